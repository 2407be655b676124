/*
 * log.h - logs of I/O calls: the sections that are in the files, the processes that wrote them, and
 * what could not be read.
 */
#ifndef GPTL_POSTPROC_IOC_LOG_H
#define GPTL_POSTPROC_IOC_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "postproc/ioc/map.h"

#include "ioc/format.h"

struct log_source {
    const char *path;
    int fd;
    uint64_t size;
};

struct log_section {
    uint32_t source, process;
    uint64_t at, end; /* in its file; what is beyond is not its own */
    struct gptl_ioc_header header;
    bool checked; /* its damage is known */
};

struct log_process {
    char *host, *program, *label; /* the label tells it from all others */
    char *directory;
    int64_t pid, rank, start_wall;
    uint64_t start_ticks;
    uint32_t first, n; /* of its sections, which lie in order */
    uint32_t flags;    /* of all sections */
    uint32_t lock_errno;
    uint64_t lost, calls, memory;
};

struct log_damage {
    uint32_t source;
    uint64_t at, size;
    const char *what;
};

struct log {
    struct log_source *sources;
    size_t nsources, sources_room;
    struct log_section *sections; /* those of a process in a row, in order of time */
    size_t nsections, sections_room;
    struct log_process *processes; /* by rank, host and time of their start */
    size_t nprocesses, processes_room;
    struct log_damage *damage;
    size_t ndamage, damage_room;
    char **unseen, **notes; /* each text once */
    size_t nunseen, unseen_room, nnotes, notes_room;
    struct map texts;     /* which of the two are there */
    int64_t begin, end;   /* wall-clock times, in nanoseconds since 1970 */
    uint64_t whole, done; /* bytes, for the progress */
};

/*
 * Finds the sections of the files. Returns 0, or -1 after a message, if there is one that holds no
 * section that can be read. Free it also then.
 */
int log_open(struct log *log, char *const *paths, int npaths);
void log_free(struct log *log);

void log_add_damage(struct log *log, uint32_t source, uint64_t at, uint64_t size, const char *what);
/* UNSEEN: the name of a call; else a note. Each is kept once. */
void log_add_text(struct log *log, bool unseen, const char *text, size_t size);

/* "rank 3", "node1:4711": found by the processes, when all are known. */
void log_label(struct log *log);
/* The same with the program's name, where there are several programs: for pictures. */
void log_long_label(const struct log *log, uint32_t process, char *text, size_t size);

#endif
