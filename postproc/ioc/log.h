/*
 * log.h - logs of I/O calls: the sections in the files, the processes that wrote them, and the
 * damage.
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
    uint64_t at, end; /* position in its file; bytes beyond END belong to others */
    struct gptl_ioc_header header;
    bool checked; /* its damage is recorded */
};

struct log_process {
    char *host, *program, *label; /* the label is unique */
    char *directory;
    int64_t pid, rank, start_wall;
    uint64_t start_ticks;
    uint32_t first, n; /* its consecutive sections */
    uint32_t flags;    /* union over all sections */
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
    struct log_section *sections; /* grouped by process, in order of time */
    size_t nsections, sections_room;
    struct log_process *processes; /* sorted by rank, host and start time */
    size_t nprocesses, processes_room;
    struct log_damage *damage;
    size_t ndamage, damage_room;
    char **unseen, **notes; /* without duplicates */
    size_t nunseen, unseen_room, nnotes, notes_room;
    struct map texts;     /* set of the texts in both lists */
    int64_t begin, end;   /* wall-clock times in nanoseconds since 1970 */
    uint64_t whole, done; /* bytes, for the progress */
};

/*
 * Find the sections of the files. Returns 0, or -1 after a message if a file lacks readable
 * sections. Always free the log.
 */
int log_open(struct log *log, char *const *paths, int npaths);
void log_free(struct log *log);

void log_add_damage(struct log *log, uint32_t source, uint64_t at, uint64_t size, const char *what);
/* Add a text once. UNSEEN: the name of a call; otherwise a note. */
void log_add_text(struct log *log, bool unseen, const char *text, size_t size);

/* Compute the labels "rank 3", "node1:4711" when all processes are known. */
void log_label(struct log *log);
/* Write the label, with the program's name if there are several programs: for pictures. */
void log_long_label(const struct log *log, uint32_t process, char *text, size_t size);

#endif
