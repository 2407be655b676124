/* cursor.h - the calls of a section, all threads in order of time. */
#ifndef GPTL_POSTPROC_IOC_CURSOR_H
#define GPTL_POSTPROC_IOC_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "postproc/ioc/heap.h"
#include "postproc/ioc/section.h"

#include "ioc/format.h"

/* Maximum number of records of one kind per call. */
enum { RAW_MOST = 8 };

struct raw_pair {
    int32_t fd;
    int64_t data;
};

/* The record of a call with its extensions. */
struct raw_call {
    enum gptl_ioc_type type;
    int32_t fd, thread;
    int64_t data, time; /* in units */
    bool has_name, has_at, has_asked, has_second, has_gone, has_detail;
    uint32_t number; /* number of the call's name */
    int32_t arg;     /* arguments */
    int64_t value;
    int64_t asked;
    struct raw_pair second, gone;
    unsigned nfiles, nfound, nmade, npositions;
    uint32_t files[RAW_MOST];
    struct raw_pair found[RAW_MOST], made[RAW_MOST], positions[RAW_MOST];
    bool is_duplicate[RAW_MOST]; /* of MADE */
    int64_t duration;            /* ticks */
    uint32_t path;
};

struct lane;

struct cursor {
    const struct section *section;
    int fd; /* file */
    struct heap lanes;
    struct lane *idle; /* list of reusable lanes */
    size_t next_run;
    bool at_first;  /* the first lane's call has been returned */
    uint64_t bytes; /* bytes read so far */
};

void cursor_begin(struct cursor *cursor, const struct section *section, int fd);
/* Return the next call, valid until the following call of this function, or NULL. */
const struct raw_call *cursor_next(struct cursor *cursor);
void cursor_free(struct cursor *cursor);

#endif
