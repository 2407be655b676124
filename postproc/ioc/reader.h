/* reader.h - the calls of one process: its sections one after another. */
#ifndef GPTL_POSTPROC_IOC_READER_H
#define GPTL_POSTPROC_IOC_READER_H

#include "postproc/ioc/cursor.h"
#include "postproc/ioc/descriptors.h"
#include "postproc/ioc/walk.h"

/* A file by the number that it has in the process. */
struct own_file {
    uint32_t file;
    bool used;    /* it was opened before */
    int64_t size; /* when it was opened first */
};

struct reader {
    struct log *log;
    struct files *files;
    uint32_t process;
    uint32_t next; /* of its sections */
    const struct gptl_ioc_header *header;
    double ns_per_tick;
    struct window window;
    struct section section;
    struct cursor cursor;
    struct descriptors descriptors;
    struct own_file *own; /* by the order in which they came */
    size_t nown, own_room;
    struct map numbers; /* number in the process to place in own, from 1 */
    struct call call;   /* the one that is there now */
    bool renamed;       /* and gave its file the name of the other one */
};

void reader_begin(struct reader *reader, struct log *log, struct files *files, uint32_t process);
/* Goes on to the next call. Returns false at the end. */
bool reader_next(struct reader *reader);
void reader_free(struct reader *reader);

/* Names of the files of a process, without its calls: any of them may be what is looked for. */
void reader_learn(struct log *log, struct files *files, uint32_t process);

/* Nanoseconds from the log's begin to the first call of the process. */
int64_t reader_start(const struct log *log, uint32_t process);

#endif
