/*
 * walk.h - visits all calls of logs with their files and offsets.
 */
#ifndef GPTL_POSTPROC_IOC_WALK_H
#define GPTL_POSTPROC_IOC_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "postproc/ioc/files.h"
#include "postproc/ioc/log.h"
#include "postproc/ioc/section.h"

#include "ioc/format.h"

/* One end of a call: the file that bytes are read from or written to. */
struct end {
    int32_t fd;
    uint32_t file;
    int64_t offset; /* -1: unknown or not applicable */
};

struct call {
    uint32_t process;
    int32_t thread;
    int64_t time; /* return time in nanoseconds since the log's start */
    enum gptl_ioc_type type;
    const char *name; /* function */
    int64_t result;   /* or -errno */
    int64_t asked;    /* requested bytes; -1: equal to the result, or unknown */
    uint64_t n;       /* number of merged calls, usually 1 */
    int64_t read;     /* bytes from .from */
    int64_t written;  /* bytes to .to */
    /* bytes between the program and a stream; the other fields concern the stream's file */
    int64_t streamed;
    struct end from, to; /* calls without transfers only have .from */
    bool has_to;         /* the call writes to .to, or tried to */
    uint32_t other;      /* second path of the call, or 0 */
    int64_t duration;    /* nanoseconds; -1: unknown */
    uint32_t path;       /* call path in its section; 0: unknown */
    const struct section *section;
};

struct selection {
    const char *process;      /* HOST:PID, PID or a pattern of the program's name */
    const char *file;         /* pattern */
    long rank;                /* -1: all */
    int64_t from, to;         /* nanoseconds */
    uint32_t types;           /* bits; 0: all */
    const char *const *names; /* functions, in addition to the types */
    size_t nnames;
};

typedef void call_visitor(void *to, const struct call *call);

/* Select processes: one flag each. Returns their number. */
size_t walk_choose(const struct log *log, const struct selection *selection, bool *chosen);

/*
 * Visit all calls of the selection, in order of time, or process by process, which is faster. FILES
 * is filled along the way.
 */
void walk(struct log *log, const struct selection *selection, struct files *files, bool in_order,
          call_visitor *visit, void *to);

/* Find all damage without decoding calls. */
void walk_check(struct log *log);

bool call_is_read(const struct call *call);
bool call_is_write(const struct call *call);
/* Return whether a call transfers data between the program and a stream. */
bool call_is_stream_read(const struct call *call);
bool call_is_stream_write(const struct call *call);
/* Return whether its duration includes calls made by its stream. */
bool call_contains_others(const struct call *call);
/* Return whether it renamed the file .from to .other. */
bool call_renames(const struct call *call);
const char *call_type_name(enum gptl_ioc_type type);

#endif
