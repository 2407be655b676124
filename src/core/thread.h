/*
 * thread.h - the state of a thread, and the slots that outlive threads.
 *
 * A thread that exits leaves its tree in its slot, and a later thread goes on in it. The state of a
 * thread is never freed while that thread lives.
 */
#ifndef GPTL_CORE_THREAD_H
#define GPTL_CORE_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/host.h"
#include "core/measured.h"
#include "core/mem.h"
#include "core/state.h"
#include "core/tree.h"

struct gptl_frame {
    struct gptl_node *_Atomic node;
    _Atomic uint64_t start; /* ticks; or GPTL_UNTIMED, or a little more after a shift */
    struct gptl_call call;  /* of a function's hook; else nothing */
};

/* When a call that is not timed begins: so late that it seems to end longer ago than any lasts. */
#define GPTL_UNTIMED ((uint64_t)1 << 63)

static inline bool gptl_frame_is_untimed(const struct gptl_frame *frame)
{
    return atomic_load_explicit(&frame->start, memory_order_relaxed) >= GPTL_UNTIMED;
}

/* What a frame has besides, when the gate asks for more than times. */
struct gptl_side_frame {
    uint32_t prefix;        /* bytes of the region's name that a stop does not name */
    uint32_t metered;       /* when the meters were read: the meters' generation then; or 0 */
    bool crossed;           /* a region around it was stopped before it, … */
    uint64_t crossed_at;    /* … then, … */
    uint64_t crossed_start; /* … which had been started then; see crossed.h */
};

/* A thread's meters, see meter.h. */
struct gptl_metering {
    uint32_t generation; /* gptl_g.metering when they were opened, or 0 */
    uint32_t first, n;   /* values that are read: from FIRST up to N */
    uint32_t nsources;
    bool paused; /* measuring is disabled, and PAUSED_AT has what was read then */
    int number;  /* for DIRECT */
    int *error;  /* the thread's errno, which DIRECT may change when it fails */
    gptl_direct_read
        *direct; /* reads all values from FIRST on, in place of the only source; or NULL */
    struct gptl_source {
        void (*read)(void *opened, int64_t *values); /* the meter's */
        void *opened;
        const struct gptl_meter *meter;
        uint32_t at; /* place of its values */
    } source[2];
    int64_t *now;                /* N values; behind them, in the same block: */
    int64_t *paused_at;          /* N, */
    int64_t *missed;             /* N for each of GPTL_NMISSED */
    size_t size;                 /* of the block */
    uintptr_t stack, stack_size; /* the part of the thread's stack on which they are read; or 0 */
};

/*
 * What other threads want this one to do before its next event, in ticks of its own clock. No event
 * lies between the orders, so they need no queue: what happens to a number is settled by the
 * latest of each kind.
 */
struct gptl_orders {
    uint64_t shift;    /* of the open frames: how long measuring was disabled */
    uint64_t mark;     /* the first GPTLmark since the last event, or 0 */
    bool reset;        /* of everything */
    uint64_t reset_at; /* less the shift at that moment, as in the next */
    struct gptl_reset_order {
        struct gptl_reset_order *next;
        struct gptl_region *region;
        uint64_t at;
        bool before_mark;
    } * resets;                     /* of single regions */
    const struct gptl_clock *clock; /* to be used from now on, or NULL */
    bool forget;                    /* addresses by which nodes are known: some mean another now */
    bool watch;                     /* nodes that were there before the option throttle */
};

/* What one thread did in one interval of GPTLmark. */
struct gptl_interval_part {
    struct gptl_interval_part *next; /* the one before */
    uint64_t mark;                   /* that ended it */
    uint32_t nrows;
    size_t size; /* of this mapping */
    struct gptl_interval_row rows[];
};

/* A call that was ended because its stop seemed to be missing; see crossed.h. */
struct gptl_missed {
    struct gptl_node *node;
    uint64_t start, ended;
    uint64_t min;     /* the node's before that */
    uint32_t metered; /* as in its side frame */
};

enum { GPTL_NCROSSINGS = 32, GPTL_NMISSED = 8, GPTL_NSWALLOWED = 8, GPTL_NSKIPPED = 64 };

struct gptl_thread {
    /* What a start or stop touches. */
    struct gptl_frame *_Atomic top;
    struct gptl_frame *_Atomic limit; /* a start from here on takes the slow path, … */
    struct gptl_frame
        *_Atomic floor;  /* … and a stop up to here; while the gate is closed, all do */
    uint64_t *cache;     /* nodes by (parent, address of the name), always verified */
    uint64_t cache_mask; /* of an offset in bytes */
    _Atomic uint32_t gate;
    uint32_t nswallowed; /* starts while measuring was disabled, whose stops are to come */
    uintptr_t left_out;  /* the function that was started last and is left out by a filter */

    /* What else its owner needs. */
    struct gptl_frame *_Atomic base; /* the root's frame */
    uint32_t busy; /* inside the library: an event now comes from a signal handler, … */
    struct gptl_call busy_call; /* … whose stack lies below that of this call, while it lasts */
    uint32_t ndropped;          /* starts dropped for that, whose stops are still to come, … */
    struct gptl_call dropped_call; /* … the outermost one within this call */
    uint32_t nrow;    /* dropped one after another, not one within another, since it became busy */
    uint32_t skipped; /* open starts that are not timed, see skipped.h, … */
    uint32_t skipped_hash[GPTL_NSKIPPED]; /* … the outer ones by their names, … */
    uint32_t late_hash[GPTL_NMISSED];     /* … and those whose stops seem to be missing */
    uint32_t nlate;
    uintptr_t skipped_stack; /* where the stack was at the outermost one, if it is a function's */
    uint32_t unwinds;        /* since the open frames of all nodes were counted, see unwound.c */
    struct gptl_swallowed {
        uint32_t depth, count;    /* so many starts, with so many frames open */
    } swallowed[GPTL_NSWALLOWED]; /* nswallowed from earlier times, outermost first */
    uint32_t nswallowed_before;
    uint32_t ncrossed; /* frames that were crossed */
    uint32_t nmissed;
    struct gptl_missed missed[GPTL_NMISSED];
    uint32_t inherited; /* frames that were open in the parent process at fork */
    uint64_t moved;     /* ticks by which the starts of open frames were moved, in all: work.h */
    uint32_t epoch;
    const struct gptl_clock *clock;
    double given_rate; /* seconds per tick by which given times became ticks, or 0 */
    struct gptl_tree tree;
    struct gptl_node *own_nodes; /* first parts of the tree, in this thread's own mapping */
    struct gptl_table_entry *own_table;
    uint64_t *own_cache;
    struct gptl_frame *own_stack;
    _Atomic uint32_t stack_size; /* frames */
    struct gptl_side_frame *side;
    int64_t *side_values; /* behind them: for each, what meters said when it started, … */
    uint32_t side_size;
    uint32_t side_stride; /* … and when it was crossed: so many values in all */
    struct gptl_metering meter;
    char *prefix; /* followed by room for a name */
    uint32_t prefix_length, prefix_size;

    /* What others read. */
    _Atomic uint64_t crossed, dropped, unmatched, backwards, too_deep, unwound;
    _Atomic uint64_t own_work;        /* ticks of the library's work, which no region has: work.h */
    struct gptl_arena extras;         /* and histograms, and names of ledgers' rows */
    struct gptl_ledger_table *ledger; /* or NULL; its owner replaces it, with the lock held */

    /* Under the lock. */
    struct gptl_crossing crossings[GPTL_NCROSSINGS];
    uint32_t ncrossings;
    int slot;
    bool live;        /* its thread has not exited */
    uint32_t nserved; /* threads that used this slot, one after another */
    struct gptl_orders orders;
    struct gptl_interval_part *intervals;
    uint32_t nintervals;
};

/*
 * A slot of the cache is for a child of PARENT found by KEY, the address of a name or a handle. Two
 * slots take turns, and what they push out goes on to the others of the same cache line. A slot holds
 * the node's address, and in the bits that processes are not given unless they ask for them, a tag:
 * the first bits of the hash, by which one is chosen without a look at the nodes.
 */
enum { GPTL_CACHE_LINE = 8, GPTL_CACHE_SHIFT = 48 };

static inline uint64_t gptl_cache_hash(const struct gptl_node *parent, uint64_t key)
{
    return (key + ((uint64_t)(uintptr_t)parent << 17)) * 0x9e3779b97f4a7c15u;
}

static inline uint64_t *gptl_cache_slot(const struct gptl_thread *t, uint64_t hash)
{
    return (uint64_t *)((char *)t->cache + (hash >> 32 & t->cache_mask));
}

/* The Ith slot in the same line, counted from this one. */
static inline uint64_t *gptl_cache_near(uint64_t *slot, int i)
{
    return (uint64_t *)((uintptr_t)slot ^ (uintptr_t)i * sizeof *slot);
}

static inline struct gptl_node *gptl_cache_node(uint64_t slot)
{
    return (struct gptl_node *)(uintptr_t)(slot & (((uint64_t)1 << GPTL_CACHE_SHIFT) - 1));
}

/* One that may need no clock has the complement of the tag: it is not taken for one that is timed. */
static inline uint64_t gptl_cache_entry(const struct gptl_node *node, uint64_t hash)
{
    uint64_t first = gptl_node_needs_a_look(node) ? ~hash : hash;
    return (uintptr_t)node | first >> GPTL_CACHE_SHIFT << GPTL_CACHE_SHIFT;
}

/* Whether it may be for this hash. */
static inline bool gptl_cache_is_entry(uint64_t entry, uint64_t hash)
{
    uint64_t differs = (entry ^ hash) >> GPTL_CACHE_SHIFT;
    return differs == 0 || differs == UINT64_MAX >> GPTL_CACHE_SHIFT;
}

/* The calling thread's state, or NULL when it has none. */
static inline struct gptl_thread *gptl_thread_own(void)
{
    struct gptl_thread *t = gptl_tls;
    return t == &gptl_nobody || t == &gptl_limbo ? NULL : t;
}

/* What limit and floor are while the gate is closed: for disabled alone there is a way back. */
#define GPTL_LIMIT_CLOSED ((struct gptl_frame *)0)
#define GPTL_LIMIT_DISABLED ((struct gptl_frame *)1)
#define GPTL_FLOOR_CLOSED ((struct gptl_frame *)UINTPTR_MAX)
#define GPTL_FLOOR_DISABLED ((struct gptl_frame *)(UINTPTR_MAX - 1))

/* Closes and opens the gate; any thread may do it. */
void gptl_thread_gate_set(struct gptl_thread *t, uint32_t bits);
void gptl_thread_gate_clear(struct gptl_thread *t, uint32_t bits);

/*
 * The calling thread's state for an event that may begin its life, and with it the library's. NULL
 * when there is none: *RC is then what the public function returns.
 */
struct gptl_thread *gptl_thread_enter(const char *function, int *rc);

/*
 * A state that belongs to no slot takes the calling thread's place, to measure what a start and stop
 * cost; then the thread's own comes back. NULL when there is no memory.
 */
struct gptl_thread *gptl_thread_begin_scratch(void);
void gptl_thread_end_scratch(struct gptl_thread *scratch, struct gptl_thread *own);

/*
 * Measuring goes on: starts that it swallowed meanwhile are kept apart from those of the next time,
 * since regions may be started, and then measured, before they are stopped.
 */
void gptl_thread_keep_swallowed(struct gptl_thread *t);

/* Bytes that a thread uses. */
size_t gptl_thread_bytes(const struct gptl_thread *t);

/* With the lock held: */
struct gptl_thread *gptl_thread_by_slot(int slot);
/* Ends the measurement in all threads, and frees what no living thread may be using. */
void gptl_thread_end_all(void);

/* Makes room for another frame. False when there is no memory. */
bool gptl_thread_grow_stack(struct gptl_thread *t);
/* Room for the side frames of the whole stack. False when there is no memory. */
bool gptl_thread_grow_side(struct gptl_thread *t);

/* Once, when the library is loaded. */
void gptl_thread_setup(void);

static inline uint32_t gptl_thread_depth(const struct gptl_thread *t)
{
    return (uint32_t)(atomic_load_explicit(&t->top, memory_order_relaxed) -
                      atomic_load_explicit(&t->base, memory_order_relaxed));
}

#endif
