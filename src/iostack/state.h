/*
 * state.h - the state of each thread, and the logs of the process.
 *
 * Most of a span's cost within a program comes from code and data evicted from the first-level
 * caches since the previous span. Therefore rare operations are GPTL_SELDOM, and located elsewhere.
 *
 * A thread writes into private chunks, one per layer, and allocates the next one by an atomic
 * addition to the file's size: spans share neither cache lines nor a lock. The state of an
 * ended thread, with its chunks, is reused by the next thread.
 */
#ifndef GPTL_IOSTACK_STATE_H
#define GPTL_IOSTACK_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/seldom.h"
#include "gptl_probe.h"
#include "iostack/format.h"

#define GPTL_IOSTACK_OFTEN                                                                         \
    __attribute__((hot)) /* keeps the code that runs for each span contiguous */

enum { GPTL_IOSTACK_LAYERS = 16, GPTL_IOSTACK_DEPTH = 64, GPTL_IOSTACK_SEEN = 64 };

struct gptl_iostack_lane {
    struct gptl_iostack_record *next, *limit;
    struct gptl_iostack_chunk *chunk;
    uint64_t size;    /* of the next chunk; 0: none yet */
    uint32_t refused; /* records to drop before the next request for space */
};

struct gptl_iostack_frame {
    _Alignas(64) GPTLcallid outer;      /* previous current span */
    uint64_t number;                    /* 0: lost for lack of space */
    struct gptl_iostack_record *record; /* NULL: its chunk has been unmapped */
    int layer;
    unsigned under_way; /* its place among the operations under way; 0: none */
};

struct gptl_iostack_thread {
    GPTLcallid current;
    uint64_t process;
    uint64_t number, last_number; /* next span number, and end of this thread's range */
    uint64_t anchor_due;
    uint32_t thread; /* thread id of the kernel */
    atomic_bool busy, used;
    unsigned depth, hidden;
    /* The fields up to here share one cache line. */
    uint64_t anchor_step;
    uint64_t opening; /* of the file opened last */
    unsigned place;   /* place reserved for its operations under way; 0: none */
    unsigned
        inherited; /* spans of the parent that were open at fork; their ends are ignored here */
    struct gptl_iostack_thread *next; /* in the list of all threads */
    struct gptl_iostack_frame frames[GPTL_IOSTACK_DEPTH];
    struct gptl_iostack_lane lanes[GPTL_IOSTACK_LAYERS];
    uint64_t seen[GPTL_IOSTACK_LAYERS][GPTL_IOSTACK_SEEN];
    char text[GPTL_CALLID_TEXT];
};

/* State of the current thread; NULL: none yet. */
extern __thread struct gptl_iostack_thread *gptl_iostack_tls
    __attribute__((tls_model("initial-exec")));

/* ---- process.c ------------------------------------------------------------------------------ */

extern struct gptl_iostack_process {
    uint64_t process; /* process half of its ids */
    int64_t rank;
    bool off;
    char path[4096]; /* with {layer} and other tokens */
    char node[256], host[256], program[256];
    atomic_uint_least64_t next_number;
    struct gptl_iostack_anchor first;
} gptl_iostack_process;

/* Return this thread's state, created if necessary and marked busy; NULL: record nothing now. */
GPTL_SELDOM struct gptl_iostack_thread *gptl_iostack_enter_slow(void);
/*
 * Count a lost span of LAYER: this is a signal handler, and it interrupted the recording of another
 * span.
 */
GPTL_SELDOM void gptl_iostack_interrupts(int layer);
/* Get a new range of span numbers for this thread. */
GPTL_SELDOM void gptl_iostack_more_numbers(struct gptl_iostack_thread *t);
/* Print one line on stderr, if descriptor 2 is the same file as at load. */
void gptl_iostack_say(const char *a, const char *b, const char *c, const char *d);

static inline struct gptl_iostack_thread *gptl_iostack_enter(void)
{
    struct gptl_iostack_thread *t = gptl_iostack_tls;
    if (__builtin_expect(!t || atomic_load_explicit(&t->busy, memory_order_relaxed), 0))
        return gptl_iostack_enter_slow();
    atomic_store_explicit(&t->busy, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    return t;
}

static inline void gptl_iostack_leave(struct gptl_iostack_thread *t)
{
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&t->busy, false, memory_order_relaxed);
}

/* ---- lane.c --------------------------------------------------------------------------------- */

/* Allocate N consecutive records in this thread's log of LAYER; NULL: no space. */
GPTL_SELDOM struct gptl_iostack_record *gptl_iostack_take_slow(struct gptl_iostack_thread *t,
                                                               int layer, unsigned n);
/* Unmap all chunks; in a forked child they belong to the parent. */
void gptl_iostack_lanes_drop(struct gptl_iostack_thread *t);

static inline struct gptl_iostack_record *gptl_iostack_take(struct gptl_iostack_thread *t,
                                                            int layer)
{
    struct gptl_iostack_lane *lane = &t->lanes[layer];
    if (__builtin_expect(lane->next == lane->limit, 0))
        return gptl_iostack_take_slow(t, layer, 1);
    /* Prefetch the record after the next one for writing, so that no store waits for its lines. */
    __builtin_prefetch(lane->next + 2, 1);
    __builtin_prefetch((char *)(lane->next + 2) + 64, 1);
    return lane->next++;
}

/* Publish a record by setting its kind last: all records left by a killed thread are complete. */
static inline void gptl_iostack_show(struct gptl_iostack_record *record, int kind)
{
    atomic_thread_fence(memory_order_release);
    __atomic_store_n(&record->kind, (uint8_t)kind, __ATOMIC_RELAXED);
}

/* ---- log.c ---------------------------------------------------------------------------------- */

/* Extend the log of LAYER by SIZE bytes and map them; NULL: no space. */
void *gptl_iostack_log_grow(int layer, uint64_t size);
/*
 * Map space for the time when the log cannot be opened any more; EVEN_IF_NONE: create a missing
 * log.
 */
void gptl_iostack_log_keep(int layer, bool even_if_none);
/* Make some of that space usable without a system call. */
void gptl_iostack_log_fill(int layer);
/* Allocate SIZE bytes of it; NULL: exhausted. */
void *gptl_iostack_log_take(int layer, uint64_t size);
GPTL_SELDOM void gptl_iostack_log_lost(int layer, uint64_t spans, uint64_t hidden);
/* Write a later anchor to all logs; ENDED: the final one. */
void gptl_iostack_log_anchor(bool ended);
/* Discard the logs in a forked child. */
void gptl_iostack_log_forget(void);
const char *gptl_iostack_layer_name(int layer);

/* Write a later anchor to the logs, at increasing intervals. */
GPTL_SELDOM void gptl_iostack_anchor_due(struct gptl_iostack_thread *t, uint64_t now);

static inline void gptl_iostack_tick(struct gptl_iostack_thread *t, uint64_t now)
{
    if (__builtin_expect(now >= t->anchor_due, 0))
        gptl_iostack_anchor_due(t, now);
}

/* ---- probe.c -------------------------------------------------------------------------------- */

/*
 * Create the record of a span that begins now under the innermost one, complete except for time and
 * kind.
 */
GPTL_IOSTACK_OFTEN struct gptl_iostack_record *gptl_iostack_record(struct gptl_iostack_thread *t,
                                                                   int layer, int operation,
                                                                   uint64_t *number);
static inline void gptl_iostack_fill(struct gptl_iostack_record *r, const GPTLspan *span)
{
    r->bytes = span->bytes;
    r->offset = span->offset;
    r->file = span->file;
    r->node = span->node;
    r->key = span->opening;
    r->collective = span->collective;
}
/* Add BYTES; -1: unknown. */
static inline void gptl_iostack_add_bytes(struct gptl_iostack_record *r, int64_t bytes)
{
    if (bytes >= 0 && r->bytes <= INT64_MAX - bytes)
        r->bytes = r->bytes < 0 ? bytes : r->bytes + bytes;
}

/* Return the innermost open span of LAYER, or NULL. */
struct gptl_iostack_frame *gptl_iostack_frame_of(struct gptl_iostack_thread *t, int layer);

/* ---- under_way.c ---------------------------------------------------------------------------- */

/*
 * Register an MPI-IO operation on FILE that T will end, or any thread if T is NULL; return its
 * place. The second function removes it.
 */
GPTL_IOSTACK_OFTEN unsigned gptl_iostack_under_way(struct gptl_iostack_thread *t,
                                                   const GPTLspan *span, uint64_t number);
GPTL_IOSTACK_OFTEN void gptl_iostack_no_more(const struct gptl_iostack_thread *t, unsigned place);
/* Remove it by the number of its id. */
void gptl_iostack_no_more_of(uint64_t number);
/* Return the number of operations on FILE: 0, 1 (with its description), or 2 for more. */
struct gptl_iostack_operation {
    uint64_t number, opening, collective;
};
GPTL_IOSTACK_OFTEN unsigned gptl_iostack_find_under_way(uint64_t file,
                                                        struct gptl_iostack_operation *operation);
/* Release the place of an ending thread, with any operation in it. */
void gptl_iostack_leave_place(struct gptl_iostack_thread *t);
/* Remove all operations in a forked child. */
void gptl_iostack_under_way_forget(void);

/* ---- about.c -------------------------------------------------------------------------------- */

/*
 * Mark the innermost open span of LAYER as collective call NUMBER on OPENING; number 1 opened the
 * file.
 */
void gptl_iostack_set_collective(int layer, uint64_t opening, uint64_t number);

/* ---- whole.c, device.c ---------------------------------------------------------------------- */

uint64_t gptl_iostack_name(struct gptl_iostack_thread *t, int layer, const char *name);
/* Record final samples of all devices sampled before. */
void gptl_iostack_devices_end(void);
void gptl_iostack_devices_forget(void);

static inline bool gptl_iostack_is_layer(int layer)
{
    return layer > 0 && layer < GPTL_IOSTACK_LAYERS;
}

#endif
