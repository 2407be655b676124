/*
 * trace.h - reads what trace=ti has recorded of one rank (doc/trace.md): what there is in it, and then
 * its records one after another. The replay, which is C++, includes this as well.
 */
#ifndef GPTL_NET_TRACE_H
#define GPTL_NET_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/trace_format.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TRACE_SIZES = 65 }; /* by the bits of a number of bytes */

struct trace_region {
    uint32_t parent;  /* 0: none */
    const char *name; /* not terminated */
    size_t length;
    uint64_t ns; /* computed there */
};

struct trace_chunk {
    size_t offset, size;
};

/* What one thread has recorded. */
struct trace_thread {
    uint32_t number;
    struct trace_chunk *chunk;
    size_t nchunks;
    struct trace_region *region; /* [0] is no region */
    size_t nregions;
    uint64_t computed, within; /* nanoseconds */
};

struct trace_comm {
    uint32_t n, nremote;
    int *member;   /* world ranks; -1: of another world. Then those of the other group. */
    uint64_t name; /* the same for all members, and of no other communicator */
    bool made;     /* the trace names its parent and tag: */
    size_t parent; /* the number of the parent plus 1; 0: none */
    int tag;
};

/* What a receive turned out to be that was posted for any sender or tag; CANCELLED: nothing came. */
struct trace_found {
    uint64_t request;
    int from, tag;
    bool cancelled;
};

struct trace_other {
    const char *name; /* not terminated */
    size_t length;
    uint64_t calls, ns;
};

struct trace {
    char *path;
    unsigned char *bytes;
    size_t size;
    int rank, ranks;
    struct trace_thread *thread;
    size_t nthreads;
    struct trace_comm *comm; /* by number */
    size_t ncomms;
    struct trace_found *found; /* by request */
    size_t nfound;
    struct trace_other *other; /* by number */
    size_t nothers;
    uint64_t calls;            /* of all threads */
    uint64_t computed;         /* nanoseconds of the thread that computes the longest */
    uint64_t busy;             /* and of the one that computes and is within calls the longest */
    uint64_t sent, sent_bytes; /* messages, without those of collectives */
    /* Of blocking collectives, by kind, and by how many bits the bytes have. */
    struct trace_renewals {
        uint64_t calls, renewing;
    } renewals[GPTL_TI_NCOLLECTIVES][TRACE_SIZES];
    uint64_t wall, lost; /* of its end; 0: it has none */
    bool whole;          /* it has an end */
};

/*
 * Bytes of each piece of memory that data lies in, and of each row of pieces; 0: it is in one. LIST: of each block of
 * the lists that it is told by, 0 if there are none, and below 0 if they have different lengths.
 */
struct trace_pieces {
    uint64_t piece, row;
    int64_t list;
};

struct trace_event {
    int what; /* enum gptl_ti */
    bool posted;
    uint64_t ns; /* of a call: within it; of COMPUTE: all */
    uint64_t request;
    uint32_t region, comm;
    int mode; /* or kind of a collective */
    int peer, tag, from, from_tag;
    uint64_t bytes;
    uint64_t renewed; /* of a collective: bytes of memory that the process got anew in it */
    uint64_t reused;  /* of what comes: bytes of the memory there that the process had given from */
    struct trace_pieces pieces, from_pieces; /* of a message, itself; of SENDRECV, what comes */
    uint64_t number;                         /* of a name */
    const unsigned char *list, *end;         /* numbers, for trace_number and trace_signed */
    uint64_t n;                              /* of the list; of ONESIDED: bytes that come */
};

struct trace_cursor {
    const struct trace *trace;
    const struct trace_thread *thread;
    size_t chunk;
    const unsigned char *at, *end;
    uint64_t request;
};

/* NULL: it cannot be read; WHY tells why, in a sentence without the path. */
struct trace *trace_open(const char *path, char *why, size_t size);
void trace_close(struct trace *trace);

void trace_begin(struct trace_cursor *cursor, const struct trace *trace, size_t thread);
/* COMPUTE and calls; false after the last one. */
bool trace_next(struct trace_cursor *cursor, struct trace_event *event);

/* The next number of LIST, which is moved on. The numbers of an event are all there. */
uint64_t trace_number(const unsigned char **list, const unsigned char *end);
int64_t trace_signed(const unsigned char **list, const unsigned char *end);
/* The next request of a WAIT. */
uint64_t trace_waited(struct trace_event *event, uint64_t *latest);

/* Whether it is a test, or a probe, that found nothing. */
static inline bool trace_is_poll(const struct trace_event *event)
{
    return event->what == GPTL_TI_WAIT && event->n == 0;
}

/*
 * Whether what a collective gets anew is given back in between, as about as large ones of its kind get some again and
 * again. Otherwise it stays: it is touched for the first time.
 */
bool trace_gives_back(const struct trace *trace, const struct trace_event *event);

/* What is known of REQUEST; NULL: it is as it was posted. */
const struct trace_found *trace_found_of(const struct trace *trace, uint64_t request);

const char *trace_collective_name(int kind);
const char *trace_epoch_name(int kind);

/* All ranks of FOLDER, in their order; 0: WHY tells why not. Free both. */
int trace_open_all(const char *folder, struct trace ***traces, char *why, size_t size);
void trace_close_all(struct trace **traces, int n);

#ifdef __cplusplus
}
#endif
#endif
