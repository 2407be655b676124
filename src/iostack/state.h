/*
 * state.h - what each thread knows, and the logs of the process.
 *
 * What a span costs within a program is for the most part code and data that the program's own have put out
 * of the nearest caches since the last one. So what is seldom done is GPTL_SELDOM, and lies elsewhere.
 *
 * A thread writes into chunks of its own, one for each layer, and takes the next one by an atomic
 * addition to the file's size: no line is shared while spans are measured, and there is no lock. The
 * state of a thread that ends, with its chunks, goes on to the next thread that begins.
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
    __attribute__((hot)) /* and what is done for each span lies side by side */

enum { GPTL_IOSTACK_LAYERS = 16, GPTL_IOSTACK_DEPTH = 64, GPTL_IOSTACK_SEEN = 64 };

struct gptl_iostack_lane {
    struct gptl_iostack_record *next, *limit;
    struct gptl_iostack_chunk *chunk;
    uint64_t size;    /* of the next chunk; 0: none yet */
    uint32_t refused; /* records to give up on before room is asked for again */
};

struct gptl_iostack_frame {
    _Alignas(64) GPTLcallid outer;      /* what was current before */
    uint64_t number;                    /* 0: there was no room for it */
    struct gptl_iostack_record *record; /* NULL: it is in a chunk that is not mapped any more */
    int layer;
    unsigned under_way; /* its place among those that are; 0: none */
};

struct gptl_iostack_thread {
    GPTLcallid current;
    uint64_t process;
    uint64_t number, last_number; /* of the next span, and where this thread's share of them ends */
    uint64_t anchor_due;
    uint32_t thread; /* the kernel's number */
    atomic_bool busy, used;
    unsigned depth, hidden;
    /* So far it is one line of the cache. */
    uint64_t anchor_step;
    uint64_t opening; /* of the file that was opened last */
    unsigned place;   /* that it keeps for operations under way; 0: none */
    unsigned
        inherited; /* spans of the parent that were open at fork, whose ends are no ends here */
    struct gptl_iostack_thread *next; /* of all threads */
    struct gptl_iostack_frame frames[GPTL_IOSTACK_DEPTH];
    struct gptl_iostack_lane lanes[GPTL_IOSTACK_LAYERS];
    uint64_t seen[GPTL_IOSTACK_LAYERS][GPTL_IOSTACK_SEEN];
    char text[GPTL_CALLID_TEXT];
};

/* NULL: none yet. */
extern __thread struct gptl_iostack_thread *gptl_iostack_tls
    __attribute__((tls_model("initial-exec")));

/* ---- process.c ------------------------------------------------------------------------------ */

extern struct gptl_iostack_process {
    uint64_t process; /* the half of its ids */
    int64_t rank;
    bool off;
    char path[4096]; /* with {layer} and so on */
    char node[256], host[256], program[256];
    atomic_uint_least64_t next_number;
    struct gptl_iostack_anchor first;
} gptl_iostack_process;

/* This thread's state, made if need be, and marked busy; NULL: nothing is to be measured now. */
GPTL_SELDOM struct gptl_iostack_thread *gptl_iostack_enter_slow(void);
/* A span of LAYER does not begin since this thread is just at another one: this is a signal handler. */
GPTL_SELDOM void gptl_iostack_interrupts(int layer);
/* Numbers for this thread's next spans. */
GPTL_SELDOM void gptl_iostack_more_numbers(struct gptl_iostack_thread *t);
/* One line on stderr, if that is still what it was at load. */
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

/* N records, one behind the other, in this thread's log of LAYER; NULL: there is no room. */
GPTL_SELDOM struct gptl_iostack_record *gptl_iostack_take_slow(struct gptl_iostack_thread *t,
                                                               int layer, unsigned n);
/* Unmaps all chunks; in a child of fork they are the parent's. */
void gptl_iostack_lanes_drop(struct gptl_iostack_thread *t);

static inline struct gptl_iostack_record *gptl_iostack_take(struct gptl_iostack_thread *t,
                                                            int layer)
{
    struct gptl_iostack_lane *lane = &t->lanes[layer];
    if (__builtin_expect(lane->next == lane->limit, 0))
        return gptl_iostack_take_slow(t, layer, 1);
    /* The second one from here: its lines come meanwhile, and nobody waits until they can be stored to. */
    __builtin_prefetch(lane->next + 2, 1);
    __builtin_prefetch((char *)(lane->next + 2) + 64, 1);
    return lane->next++;
}

/* A record shows with its kind: what a killed thread left is whole. */
static inline void gptl_iostack_show(struct gptl_iostack_record *record, int kind)
{
    atomic_thread_fence(memory_order_release);
    __atomic_store_n(&record->kind, (uint8_t)kind, __ATOMIC_RELAXED);
}

/* ---- log.c ---------------------------------------------------------------------------------- */

/* SIZE bytes more of the log of LAYER, mapped; NULL: there is no room. */
void *gptl_iostack_log_grow(int layer, uint64_t size);
/* Maps room for when the log can be opened no longer; EVEN_IF_NONE: which is made, if it is not there. */
void gptl_iostack_log_keep(int layer, bool even_if_none);
/* Makes some of that room usable without a system call, … */
void gptl_iostack_log_fill(int layer);
/* … and takes SIZE bytes of it; NULL: there are no more. */
void *gptl_iostack_log_take(int layer, uint64_t size);
GPTL_SELDOM void gptl_iostack_log_lost(int layer, uint64_t spans, uint64_t hidden);
/* A moment later than the last one, for all logs; ENDED: the last one of all. */
void gptl_iostack_log_anchor(bool ended);
/* In a child of fork there are none yet. */
void gptl_iostack_log_forget(void);
const char *gptl_iostack_layer_name(int layer);

/* Now and then, and more and more seldom, the logs get a later anchor. */
GPTL_SELDOM void gptl_iostack_anchor_due(struct gptl_iostack_thread *t, uint64_t now);

static inline void gptl_iostack_tick(struct gptl_iostack_thread *t, uint64_t now)
{
    if (__builtin_expect(now >= t->anchor_due, 0))
        gptl_iostack_anchor_due(t, now);
}

/* ---- probe.c -------------------------------------------------------------------------------- */

/* A record of a span that begins now under the innermost one, all filled in but the time and the kind. */
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
/* BYTES -1: nothing is known. */
static inline void gptl_iostack_add_bytes(struct gptl_iostack_record *r, int64_t bytes)
{
    if (bytes >= 0 && r->bytes <= INT64_MAX - bytes)
        r->bytes = r->bytes < 0 ? bytes : r->bytes + bytes;
}

/* The innermost open span of LAYER, or NULL. */
struct gptl_iostack_frame *gptl_iostack_frame_of(struct gptl_iostack_thread *t, int layer);

/* ---- under_way.c ---------------------------------------------------------------------------- */

/* An operation of MPI-IO on FILE begins, which T will end, or with NULL any thread. Returns its place. */
GPTL_IOSTACK_OFTEN unsigned gptl_iostack_under_way(struct gptl_iostack_thread *t,
                                                   const GPTLspan *span, uint64_t number);
GPTL_IOSTACK_OFTEN void gptl_iostack_no_more(const struct gptl_iostack_thread *t, unsigned place);
/* The same by the number of its id. */
void gptl_iostack_no_more_of(uint64_t number);
/* How many there are on FILE: 0, 1, or 2 for more; of one, which. */
struct gptl_iostack_operation {
    uint64_t number, opening, collective;
};
GPTL_IOSTACK_OFTEN unsigned gptl_iostack_find_under_way(uint64_t file,
                                                        struct gptl_iostack_operation *operation);
/* A thread ends, with what it may have had under way. */
void gptl_iostack_leave_place(struct gptl_iostack_thread *t);
/* In a child of fork there are none. */
void gptl_iostack_under_way_forget(void);

/* ---- about.c -------------------------------------------------------------------------------- */

/* The innermost open span of LAYER is the collective call NUMBER on OPENING; the first has opened it. */
void gptl_iostack_set_collective(int layer, uint64_t opening, uint64_t number);

/* ---- whole.c, device.c ---------------------------------------------------------------------- */

uint64_t gptl_iostack_name(struct gptl_iostack_thread *t, int layer, const char *name);
/* What the devices that were asked for have done in the end. */
void gptl_iostack_devices_end(void);
void gptl_iostack_devices_forget(void);

static inline bool gptl_iostack_is_layer(int layer)
{
    return layer > 0 && layer < GPTL_IOSTACK_LAYERS;
}

#endif
