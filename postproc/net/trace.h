/*
 * trace.h - reads the trace=ti file of one rank (doc/trace.md): its contents, and its records in
 * sequence. The replay, in C++, includes this file too.
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

enum { TRACE_SIZES = 65 }; /* by the number of bits of a size */

struct trace_region {
    uint32_t parent;  /* 0: none */
    const char *name; /* not terminated */
    size_t length;
    uint64_t ns; /* computed in it */
};

struct trace_chunk {
    size_t offset, size;
};

/* Records of one thread. */
struct trace_thread {
    uint32_t number;
    struct trace_chunk *chunk;
    size_t nchunks;
    struct trace_region *region; /* [0] represents time outside regions */
    size_t nregions;
    uint64_t computed, within; /* nanoseconds */
};

struct trace_comm {
    uint32_t n, nremote;
    /* world ranks; -1: of another world. Followed by the ranks of the other group. */
    int *member;
    uint64_t name; /* equal in all members, and unique */
    bool made;     /* the trace defines parent and tag: */
    size_t parent; /* the number of the parent plus 1; 0: none */
    int tag;
};

/* Actual source and tag of a receive posted for any; CANCELLED: no message arrived. */
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
    uint64_t computed;         /* nanoseconds of the thread that computes longest */
    uint64_t busy;             /* nanoseconds of the thread with the most computation plus calls */
    uint64_t sent, sent_bytes; /* messages outside collectives */
    /* Blocking collectives, by kind and by the bits of their size. */
    struct trace_renewals {
        uint64_t calls, renewing;
    } renewals[GPTL_TI_NCOLLECTIVES][TRACE_SIZES];
    uint64_t wall, lost; /* wall: end time; 0: unknown */
    bool whole;          /* has an end record */
};

/*
 * Layout in bytes: length of each contiguous piece, and of each row of pieces; 0: contiguous. LIST:
 * block length of an indexed type; 0 without a list, negative for varying lengths.
 */
struct trace_pieces {
    uint64_t piece, row;
    int64_t list;
};

struct trace_event {
    int what; /* enum gptl_ti */
    bool posted;
    uint64_t ns; /* time within a call, or of COMPUTE */
    uint64_t request;
    uint32_t region, comm;
    int mode; /* or kind of a collective */
    int peer, tag, from, from_tag;
    uint64_t bytes;
    uint64_t renewed; /* of a collective: bytes of newly allocated memory */
    uint64_t reused;  /* of a receive: bytes of its buffer that the process had sent from */
    /* layout of the message; of SENDRECV, from_pieces is the received one's */
    struct trace_pieces pieces, from_pieces;
    uint64_t number;                 /* of a name */
    const unsigned char *list, *end; /* numbers, for trace_number and trace_signed */
    /* length of the list; of ONESIDED: bytes that arrive */
    uint64_t n;
};

struct trace_cursor {
    const struct trace *trace;
    const struct trace_thread *thread;
    size_t chunk;
    const unsigned char *at, *end;
    uint64_t request;
};

/* Open a trace. NULL if unreadable; WHY gets the reason, without the path. */
struct trace *trace_open(const char *path, char *why, size_t size);
void trace_close(struct trace *trace);

void trace_begin(struct trace_cursor *cursor, const struct trace *trace, size_t thread);
/* Read the next COMPUTE or call; false after the last one. */
bool trace_next(struct trace_cursor *cursor, struct trace_event *event);

/*
 * Read the next number of LIST and advance. Scanning has verified that all numbers of an event
 * exist.
 */
uint64_t trace_number(const unsigned char **list, const unsigned char *end);
int64_t trace_signed(const unsigned char **list, const unsigned char *end);
/* Return the next request of a WAIT. */
uint64_t trace_waited(struct trace_event *event, uint64_t *latest);

/* Return whether the event is an unsuccessful test or probe. */
static inline bool trace_is_poll(const struct trace_event *event)
{
    return event->what == GPTL_TI_WAIT && event->n == 0;
}

/*
 * Return whether a collective's new memory is released afterwards: then similar calls of about this
 * size allocate memory repeatedly. Otherwise it stays allocated and is only touched for the first
 * time.
 */
bool trace_gives_back(const struct trace *trace, const struct trace_event *event);

/* Return the actual source and tag of REQUEST, or NULL if equal to the posted ones. */
const struct trace_found *trace_found_of(const struct trace *trace, uint64_t request);

const char *trace_collective_name(int kind);
const char *trace_epoch_name(int kind);

/* Open all ranks of FOLDER in order. Returns 0 and WHY on failure; always free both. */
int trace_open_all(const char *folder, struct trace ***traces, char *why, size_t size);
void trace_close_all(struct trace **traces, int n);

#ifdef __cplusplus
}
#endif
#endif
