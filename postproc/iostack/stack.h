/*
 * stack.h - the logs of a run: processes, hosts with their clocks, names, and caveats.
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
    uint64_t spans, damaged; /* damaged: bytes outside chunks, and invalid records */
    bool is_cut;
};

struct process {
    uint64_t id;
    uint32_t host;
    int64_t rank, pid;
    char *label;
    uint64_t program; /* hash of the name */
    unsigned layers;  /* a bit for each layer with a log */
};

/* Intersection of bounds of a clock offset; also the narrowest bound alone. */
struct clock_range {
    int64_t least, most, narrow_least, narrow_most;
    uint64_t n; /* number of bounds */
};

/* Bounds of the clock offset between two hosts. */
struct clock_bound {
    uint32_t a, b;             /* hosts; the offset is added to the time of B */
    struct clock_range sure;   /* children within their parents, files opened together */
    struct clock_range likely; /* collective calls, which may not wait for all processes */
};

/* A call made together by several clients that opened a file together. */
struct collective {
    int64_t row;    /* its number in the first client */
    uint64_t calls; /* clients that made it */
    size_t opening; /* index in the stack's openings */
};

struct host {
    char *name;
    uint32_t best;         /* log whose clock is used for this host */
    int64_t offset, bound; /* ns to add to its times, and maximum error; -1: unknown */
    bool is_tied;          /* connected to the first host by bounds */
};

struct counts {
    uint64_t spans, open, left, ends_without_begin, duplicates, without_parent, circles, too_deep;
    uint64_t lost, hidden, damaged, killed;
    /*
     * tied: attributed to the only operation on the file; among: not attributed because there were
     * several
     */
    uint64_t tied, among;
    uint64_t collective;        /* calls made together by several processes */
    uint64_t lacking;           /* collective calls that some clients of the opening did not make */
    uint64_t unknown_operation; /* reads and writes in calls of unknown operation, excluded by -O */
    uint64_t in_parts; /* nonblocking or split collective calls, which end in another call */
};

/* Cumulative counts of a device or a process at a time. */
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
    bool has_programs; /* processes run different programs */
    struct host *hosts;
    size_t nhosts, hosts_room;
    struct clock_bound *bounds;
    size_t nbounds, bounds_room;
    struct map bound_of; /* maps two hosts to the index of the bound plus 1 */
    struct collective *collectives;
    size_t ncollectives, collectives_room;
    uint64_t *openings; /* by opening of a file: the maximum number of clients of a call */
    size_t nopenings, openings_room;
    struct device_sample *samples;
    size_t nsamples, samples_room;
    struct map process_by_id, name_by_hash;
    char *names; /* concatenated; the map contains offsets plus 1 */
    size_t names_used, names_room;
    struct counts counts;
};

/* ---- stack.c -------------------------------------------------------------------------------- */

/* Open the logs. Returns 0, or -1 after a message. A duplicate log is ignored. */
int stack_open(struct stack *stack, char *const *paths, size_t npaths);
void stack_free(struct stack *stack);
/* Return the index of the process with ID, or NO_PROCESS. */
uint32_t stack_process(const struct stack *stack, uint64_t id);
void stack_add_name(struct stack *stack, uint64_t hash, const char *text, size_t size);
/* Return the name with HASH, "" if unknown. */
const char *stack_name(const struct stack *stack, uint64_t hash);
const char *stack_layer(int layer);
const char *stack_operation(int operation);
/* Convert between a process and its index, from 0, among the processes with a log of LAYER. */
int64_t stack_index(const struct stack *stack, uint32_t process, int layer);
uint32_t stack_nth(const struct stack *stack, int64_t n, int layer);
/* Return the layer named NAME in any case, including the paper's names; 0: unknown. */
int stack_layer_of(const char *name, size_t size);

/* ---- clock.c -------------------------------------------------------------------------------- */

void clock_begin(struct stack *stack);
/* Return ticks of a log as nanoseconds since 1970, by the clock of its host. */
int64_t clock_ns(const struct stack *stack, const struct span_log *log, uint64_t ticks);
/* Add the bound from a parent on host A and its child on host B. */
void clock_pair(struct stack *stack, uint32_t a, int64_t a_begin, int64_t a_end, uint32_t b,
                int64_t b_begin, int64_t b_end);
/*
 * Add the bound from a collective call on two hosts, each with its latest start and its earliest
 * end; SURE: it waits for all.
 */
void clock_meeting(struct stack *stack, uint32_t a, int64_t a_begin, int64_t a_end, uint32_t b,
                   int64_t b_begin, int64_t b_end, bool sure);
/* Compute the offsets of all hosts relative to the first. */
void clock_settle(struct stack *stack);
/* Return whether the intersection of a range's bounds is nonempty. */
bool clock_agrees(const struct clock_range *range);

/* ---- notes.c -------------------------------------------------------------------------------- */

/* Return the notes as a NULL-terminated array; free each sentence, and the array. */
char **stack_notes(const struct stack *stack);

#endif
