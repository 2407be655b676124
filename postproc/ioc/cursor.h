/* cursor.h - the calls of a section, all threads in order of time. */
#ifndef GPTL_POSTPROC_IOC_CURSOR_H
#define GPTL_POSTPROC_IOC_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "postproc/ioc/heap.h"
#include "postproc/ioc/section.h"

#include "ioc/format.h"

/* No recorder writes more of one kind to a call. */
enum { RAW_MOST = 8 };

struct raw_pair {
    int32_t fd;
    int64_t data;
};

/* A record of a call, and what belongs to it. */
struct raw_call {
    enum gptl_ioc_type type;
    int32_t fd, thread;
    int64_t data, time; /* in units */
    bool has_name, has_at, has_asked, has_second, has_gone, has_detail;
    uint32_t number; /* of the call's name */
    int32_t arg;     /* and the arguments */
    int64_t value;
    int64_t asked;
    struct raw_pair second, gone;
    unsigned nfiles, nfound, nmade, npositions;
    uint32_t files[RAW_MOST];
    struct raw_pair found[RAW_MOST], made[RAW_MOST], positions[RAW_MOST];
    bool is_duplicate[RAW_MOST]; /* of what is made */
    int64_t duration;            /* in ticks */
    uint32_t path;
};

struct lane;

struct cursor {
    const struct section *section;
    int fd; /* of the file */
    struct heap lanes;
    struct lane *idle; /* a list of those that may be used again */
    size_t next_run;
    bool at_first;  /* the first lane's call has been given out */
    uint64_t bytes; /* read so far */
};

void cursor_begin(struct cursor *cursor, const struct section *section, int fd);
/* The next call, or NULL; it stands until the next call of this. */
const struct raw_call *cursor_next(struct cursor *cursor);
void cursor_free(struct cursor *cursor);

#endif
