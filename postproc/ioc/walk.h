/*
 * walk.h - all calls of logs, one after another, with the files and offsets that they are about.
 */
#ifndef GPTL_POSTPROC_IOC_WALK_H
#define GPTL_POSTPROC_IOC_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "postproc/ioc/files.h"
#include "postproc/ioc/log.h"
#include "postproc/ioc/section.h"

#include "ioc/format.h"

/* One end of a call: the file that bytes came from or went to. */
struct end {
    int32_t fd;
    uint32_t file;
    int64_t offset; /* -1: unknown, or there is none */
};

struct call {
    uint32_t process;
    int32_t thread;
    int64_t time; /* nanoseconds since the log's begin, when it returned */
    enum gptl_ioc_type type;
    const char *name;    /* of the function */
    int64_t result;      /* or -errno */
    int64_t asked;       /* bytes; -1: as the result, or unknown */
    uint64_t n;          /* calls that are joined here, 1 mostly */
    int64_t read;        /* bytes, from .from */
    int64_t written;     /* bytes, to .to */
    int64_t streamed;    /* bytes between the program and a stream; others tell of the file's */
    struct end from, to; /* those that move nothing have .from only */
    bool has_to;         /* it wrote, or was to */
    uint32_t other;      /* a second path that it names, or 0 */
    int64_t duration;    /* nanoseconds; -1: unknown */
    uint32_t path;       /* call path in its section; 0: unknown */
    const struct section *section;
};

struct selection {
    const char *process;      /* HOST:PID, PID or a pattern for the program's name */
    const char *file;         /* a pattern */
    long rank;                /* -1: all */
    int64_t from, to;         /* nanoseconds */
    uint32_t types;           /* bits; 0: all */
    const char *const *names; /* functions, beside the types */
    size_t nnames;
};

typedef void call_visitor(void *to, const struct call *call);

/* The processes of the selection: one flag for each. Returns how many. */
size_t walk_choose(const struct log *log, const struct selection *selection, bool *chosen);

/*
 * All calls of the selection, in order of time, or one process after another, which is quicker.
 * FILES gets the files by and by.
 */
void walk(struct log *log, const struct selection *selection, struct files *files, bool in_order,
          call_visitor *visit, void *to);

/* Finds all damage, without the calls. */
void walk_check(struct log *log);

bool call_is_read(const struct call *call);
bool call_is_write(const struct call *call);
/* One of these between the program and a stream. */
bool call_is_stream_read(const struct call *call);
bool call_is_stream_write(const struct call *call);
/* Whether the time that it took contains that of calls which its stream made. */
bool call_contains_others(const struct call *call);
/* Whether it gave the file .from the name of .other. */
bool call_renames(const struct call *call);
const char *call_type_name(enum gptl_ioc_type type);

#endif
