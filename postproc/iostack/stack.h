/*
 * stack.h - what is known of the logs of a run: their processes, hosts with their clocks, names, and
 * what must be told before any number.
 */
#ifndef GPTL_POSTPROC_IOSTACK_STACK_H
#define GPTL_POSTPROC_IOSTACK_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "postproc/ioc/map.h"

#include "gptl_probe.h"
#include "iostack/format.h"

enum { NLAYERS = 16 };
enum { NO_PROCESS = UINT32_MAX };

struct span_log {
    char *path;
    int fd;
    uint64_t size;
    dev_t device;
    ino_t inode;
    struct gptl_iostack_header header;
    uint32_t process, host;
    uint64_t spans, damaged; /* damaged: bytes that are no chunk, and records that cannot be */
    bool is_cut;
};

struct process {
    uint64_t id;
    uint32_t host;
    int64_t rank, pid;
    char *label;
    uint64_t program; /* the name */
    unsigned layers;  /* a bit for each that has a log */
};

/* What is to be added to the time of a host lies in all of these; of the narrowest alone as well. */
struct clock_range {
    int64_t least, most, narrow_least, narrow_most;
    uint64_t n; /* how many there were */
};

/* What spans say of the clocks of two hosts. */
struct clock_bound {
    uint32_t a, b;             /* hosts; it is added to the time of B */
    struct clock_range sure;   /* children within their parents, files that both opened together */
    struct clock_range likely; /* collective calls, which may not wait for all processes */
};

/* A call that several clients make together, all that have opened a file together. */
struct collective {
    int64_t row;    /* its number in the first of them */
    uint64_t calls; /* clients that made it */
    size_t opening; /* its place in the stack's openings */
};

struct host {
    char *name;
    uint32_t best;         /* the log whose clock counts for all of this host */
    int64_t offset, bound; /* ns to add to its times, and how wrong that may be; -1: not known */
    bool is_tied;          /* to the first host, by pairs */
};

struct counts {
    uint64_t spans, open, left, ends_without_begin, duplicates, without_parent, circles, too_deep;
    uint64_t lost, hidden, damaged, killed;
    uint64_t tied, among; /* under the only operation on the file; nowhere, as there were several */
    uint64_t collective;  /* calls that several processes made together */
    uint64_t lacking;     /* collective calls that some clients of the opening did not make */
    uint64_t
        unknown_operation; /* reads and writes in calls of no known operation, which -O leaves out */
    uint64_t in_parts;     /* collective calls that ended in another call: non-blocking or split */
};

/* What a device, or a process, had done by a moment. */
struct device_sample {
    uint64_t name;
    uint32_t host, process;
    bool is_process;
    int64_t when;
    uint64_t reads, writes, bytes_read, bytes_written, busy_ms;
};

struct stack {
    struct span_log *logs;
    size_t nlogs, logs_room;
    struct process *processes;
    size_t nprocesses, processes_room;
    bool has_programs; /* unlike ones */
    struct host *hosts;
    size_t nhosts, hosts_room;
    struct clock_bound *bounds;
    size_t nbounds, bounds_room;
    struct map bound_of; /* two hosts: which bound, plus 1 */
    struct collective *collectives;
    size_t ncollectives, collectives_room;
    uint64_t *openings; /* of files: the most clients that made a call on each */
    size_t nopenings, openings_room;
    struct device_sample *samples;
    size_t nsamples, samples_room;
    struct map process_by_id, name_by_hash;
    char *names; /* one behind the other; the map has where each begins, plus 1 */
    size_t names_used, names_room;
    struct counts counts;
};

/* ---- stack.c -------------------------------------------------------------------------------- */

/* Returns 0, or -1 after a message. A log that is there twice is taken once. */
int stack_open(struct stack *stack, char *const *paths, size_t npaths);
void stack_free(struct stack *stack);
/* The index of the process of this id, or NO_PROCESS. */
uint32_t stack_process(const struct stack *stack, uint64_t id);
void stack_add_name(struct stack *stack, uint64_t hash, const char *text, size_t size);
/* "" where it is not known. */
const char *stack_name(const struct stack *stack, uint64_t hash);
const char *stack_layer(int layer);
const char *stack_operation(int operation);
/* Which of the processes with a log of LAYER this is, from 0; and the process that is the N-th. */
int64_t stack_index(const struct stack *stack, uint32_t process, int layer);
uint32_t stack_nth(const struct stack *stack, int64_t n, int layer);
/* The layer of this name, in any case of letters, also as the paper has it; 0: none. */
int stack_layer_of(const char *name, size_t size);

/* ---- clock.c -------------------------------------------------------------------------------- */

void clock_begin(struct stack *stack);
/* Ticks of a log as nanoseconds since 1970, by the clock of its host. */
int64_t clock_ns(const struct stack *stack, const struct span_log *log, uint64_t ticks);
/* A parent on one host and its child on another, both with both times. */
void clock_pair(struct stack *stack, uint32_t a, int64_t a_begin, int64_t a_end, uint32_t b,
                int64_t b_begin, int64_t b_end);
/* A collective call on two hosts, each with its latest begin and its earliest end; SURE: it waits for all. */
void clock_meeting(struct stack *stack, uint32_t a, int64_t a_begin, int64_t a_end, uint32_t b,
                   int64_t b_begin, int64_t b_end, bool sure);
/* Offsets of all hosts to the first, from pairs and meetings. */
void clock_settle(struct stack *stack);
/* Whether there is a value in all of the range's parts. */
bool clock_agrees(const struct clock_range *range);

/* ---- notes.c -------------------------------------------------------------------------------- */

/* Sentences, NULL behind the last. Free each, and the array. */
char **stack_notes(const struct stack *stack);

#endif
