/* reader.h - the calls of one process: its sections one after another. */
#ifndef GPTL_POSTPROC_IOC_READER_H
#define GPTL_POSTPROC_IOC_READER_H

#include "postproc/ioc/cursor.h"
#include "postproc/ioc/descriptors.h"
#include "postproc/ioc/walk.h"

/* A file by its number in the process. */
struct own_file {
    uint32_t file;
    bool used;    /* was opened before */
    int64_t size; /* at the first open */
};

struct reader {
    struct log *log;
    struct files *files;
    uint32_t process;
    uint32_t next; /* index of the next section */
    const struct gptl_ioc_header *header;
    double ns_per_tick;
    struct window window;
    struct section section;
    struct cursor cursor;
    struct descriptors descriptors;
    struct own_file *own; /* in the order of first appearance */
    size_t nown, own_room;
    struct map numbers; /* maps numbers in the process to indices in own, from 1 */
    struct call call;   /* the current call */
    bool renamed;       /* the current call renames its file to the other one */
};

void reader_begin(struct reader *reader, struct log *log, struct files *files, uint32_t process);
/* Advance to the next call. Returns false at the end. */
bool reader_next(struct reader *reader);
void reader_free(struct reader *reader);

/*
 * Add the names of a process's files without reading its calls: a selection may refer to any of
 * them.
 */
void reader_learn(struct log *log, struct files *files, uint32_t process);

/* Return the nanoseconds from the log's start to the first call of the process. */
int64_t reader_start(const struct log *log, uint32_t process);

#endif
