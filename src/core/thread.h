/*
 * thread.h - the state of a thread, and the slots that outlive threads.
 *
 * An exiting thread leaves its tree in its slot, and a later thread continues in that tree. The
 * state of a thread is never freed while the thread lives.
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
    _Atomic uint64_t start; /* start time in ticks, or GPTL_UNTIMED plus any later shifts */
    struct gptl_call call;  /* call of the compiler's hook; zero for other regions */
};

/*
 * Start time of an untimed call. It is so far in the future that the elapsed time wraps to a value
 * above any real duration, which sends the stop to the slow path.
 */
#define GPTL_UNTIMED ((uint64_t)1 << 63)

static inline bool gptl_frame_is_untimed(const struct gptl_frame *frame)
{
    return atomic_load_explicit(&frame->start, memory_order_relaxed) >= GPTL_UNTIMED;
}

/* Additional state of a frame, used only while the gate requests more than times. */
struct gptl_side_frame {
    /* length in bytes of the prefix in the region's name, which a stop omits */
    uint32_t prefix;
    uint32_t metered; /* meters' generation at the start reading, or 0: not read */
    /* an enclosing region was stopped while this frame was open; see crossed.h */
    bool crossed;
    uint64_t crossed_at;    /* tick of that stop */
    uint64_t crossed_start; /* start tick of the enclosing region that was stopped */
};

/* Meters of a thread; see meter.h. */
struct gptl_metering {
    uint32_t generation; /* gptl_g.metering when the meters were opened, or 0 */
    uint32_t first, n;   /* range of values to read: FIRST inclusive, N exclusive */
    uint32_t nsources;
    bool paused; /* measuring is disabled; PAUSED_AT contains the values read at that moment */
    int number;  /* argument of DIRECT */
    int *error;  /* the thread's errno, which DIRECT may change on failure */
    /* function that reads all values from FIRST on in place of the only source, or NULL */
    gptl_direct_read *direct;
    struct gptl_source {
        void (*read)(void *opened, int64_t *values); /* read function of the meter */
        void *opened;
        const struct gptl_meter *meter;
        uint32_t at; /* index of the source's first value */
    } source[2];
    /* N current values; paused_at and missed follow in the same block */
    int64_t *now;
    int64_t *paused_at; /* N values at the last pause */
    int64_t *missed;    /* N values for each of the GPTL_NMISSED missed calls */
    size_t size;        /* bytes of the block */
    /* part of the thread's stack on which the meters may be read; 0: unknown */
    uintptr_t stack, stack_size;
};

/*
 * Requests of other threads that the owner applies before its next event, in ticks of the thread's
 * clock. No event lies between two pending requests, so they need no queue: the latest request of
 * each kind determines the result.
 */
struct gptl_orders {
    /* duration for which measuring was disabled; added to the starts of open frames */
    uint64_t shift;
    uint64_t mark; /* tick of the first GPTLmark since the last event, or 0 */
    bool reset;    /* pending reset of all regions */
    /* tick of that reset minus the shift at that moment; the same for each entry of resets */
    uint64_t reset_at;
    struct gptl_reset_order {
        struct gptl_reset_order *next;
        struct gptl_region *region;
        uint64_t at;
        bool before_mark;
    } * resets;                     /* pending resets of single regions */
    const struct gptl_clock *clock; /* clock to use from now on, or NULL */
    /* forget the addresses that identify nodes: some addresses have a new meaning */
    bool forget;
    /* watch the nodes that existed before the option throttle was set */
    bool watch;
};

/* Measurements of one thread in one interval of GPTLmark. */
struct gptl_interval_part {
    struct gptl_interval_part *next; /* preceding interval */
    uint64_t mark;                   /* tick of the mark that ended the interval */
    uint32_t nrows;
    size_t size; /* bytes of this mapping */
    struct gptl_interval_row rows[];
};

/* A call that the library ended because its stop seemed to be missing; see crossed.h. */
struct gptl_missed {
    struct gptl_node *node;
    uint64_t start, ended;
    uint64_t min;     /* minimum of the node before the call, in ticks */
    uint32_t metered; /* meters' generation of the call, as in its side frame */
};

enum { GPTL_NCROSSINGS = 32, GPTL_NMISSED = 8, GPTL_NSWALLOWED = 8, GPTL_NSKIPPED = 64 };

struct gptl_thread {
    /* Fields that the fast path of a start or stop uses. */
    struct gptl_frame *_Atomic top;
    /* first frame at which a start takes the slow path; GPTL_LIMIT_* while the gate is closed */
    struct gptl_frame *_Atomic limit;
    /* last frame at which a stop takes the slow path; GPTL_FLOOR_* while the gate is closed */
    struct gptl_frame *_Atomic floor;
    uint64_t *cache;     /* nodes by (parent, address of the name); every hit is verified */
    uint64_t cache_mask; /* mask of a slot's offset in bytes */
    _Atomic uint32_t gate;
    uint32_t nswallowed; /* starts ignored while disabled whose stops are pending */
    uintptr_t left_out;  /* function started last, if a filter excludes it */

    /* Further fields that only the owner uses. */
    struct gptl_frame *_Atomic base; /* frame of the root */
    uint32_t busy; /* re-entry depth: while it is not 0, a new event comes from a signal handler */
    /* call during which the thread is busy; the handler's stack lies below its stack pointer */
    struct gptl_call busy_call;
    /* starts dropped because the thread was busy, whose stops are pending */
    uint32_t ndropped;
    struct gptl_call dropped_call; /* call of the outermost dropped start */
    uint32_t nrow;    /* dropped starts in sequence (not nested) since the thread became busy */
    uint32_t skipped; /* open starts that are not timed; see skipped.h */
    uint32_t skipped_hash[GPTL_NSKIPPED]; /* hashes of the names of the outer skipped starts */
    /* hashes of the names of skipped starts whose stops seem to be missing */
    uint32_t late_hash[GPTL_NMISSED];
    uint32_t nlate;
    /* stack pointer at the outermost skipped start, if a function's hook made it */
    uintptr_t skipped_stack;
    /* unwound calls since the last count of the open frames of all nodes; see unwound.c */
    uint32_t unwinds;
    struct gptl_swallowed {
        /* number of open frames, and number of starts ignored at that depth */
        uint32_t depth, count;
    } swallowed[GPTL_NSWALLOWED]; /* nswallowed of earlier disabled periods, outermost first */
    uint32_t nswallowed_before;
    uint32_t ncrossed; /* open frames that were crossed */
    uint32_t nmissed;
    struct gptl_missed missed[GPTL_NMISSED];
    uint32_t
        inherited; /* starts that were open when the measurement changed; their stops are not errors */
    uint64_t moved; /* total ticks by which the starts of open frames were moved; see work.h */
    uint32_t epoch;
    const struct gptl_clock *clock;
    double given_rate; /* seconds per tick used to convert times given by the caller, or 0 */
    struct gptl_tree tree;
    struct gptl_node *own_nodes; /* first part of the tree, in the thread's own mapping */
    struct gptl_table_entry *own_table;
    uint64_t *own_cache;
    struct gptl_frame *own_stack;
    _Atomic uint32_t stack_size; /* capacity in frames */
    struct gptl_side_frame *side;
    /*
     * meter values in the block of side: for each frame the values at its start, then those at its
     * crossing
     */
    int64_t *side_values;
    uint32_t side_size;
    uint32_t side_stride; /* number of values per frame, both sets together */
    struct gptl_metering meter;
    char *prefix; /* prefix of names, followed by space for a name */
    uint32_t prefix_length, prefix_size;

    /* Fields that other threads read. */
    _Atomic uint64_t crossed, dropped, unmatched, backwards, too_deep, unwound;
    /* ticks of the library's work, charged to no region; see work.h */
    _Atomic uint64_t own_work;
    /* extras of nodes, histograms, and names in rows of ledgers */
    struct gptl_arena extras;
    /* keyed counters, or NULL; the owner replaces the table with the lock held */
    struct gptl_ledger_table *ledger;

    /* Fields protected by the lock. */
    struct gptl_crossing crossings[GPTL_NCROSSINGS];
    uint32_t ncrossings;
    int slot;
    bool live;        /* the thread of this slot has not exited */
    uint32_t nserved; /* threads that have used this slot */
    struct gptl_orders orders;
    struct gptl_interval_part *intervals;
    uint32_t nintervals;
};

/*
 * Layout of the cache. A slot maps a parent and a key to a child of PARENT. KEY is the address of a
 * name or a handle. The first two slots of a cache line are the most recent ones; an entry
 * displaced from them moves to another slot of the same line. A slot contains the node's address
 * and, in the address bits that the kernel assigns only on request, a tag: the first bits of the
 * hash. The tag selects a slot without a load from the nodes.
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

/* Return the Ith slot of the same cache line, counted from SLOT. */
static inline uint64_t *gptl_cache_near(uint64_t *slot, int i)
{
    return (uint64_t *)((uintptr_t)slot ^ (uintptr_t)i * sizeof *slot);
}

static inline struct gptl_node *gptl_cache_node(uint64_t slot)
{
    return (struct gptl_node *)(uintptr_t)(slot & (((uint64_t)1 << GPTL_CACHE_SHIFT) - 1));
}

/*
 * Return the cache entry of NODE. A node that may need no clock reading gets the complement of the
 * tag, so that the fast path does not take it for a timed node.
 */
static inline uint64_t gptl_cache_entry(const struct gptl_node *node, uint64_t hash)
{
    uint64_t first = gptl_node_needs_a_look(node) ? ~hash : hash;
    return (uintptr_t)node | first >> GPTL_CACHE_SHIFT << GPTL_CACHE_SHIFT;
}

/* Return whether the tag of ENTRY matches HASH or its complement. */
static inline bool gptl_cache_is_entry(uint64_t entry, uint64_t hash)
{
    uint64_t differs = (entry ^ hash) >> GPTL_CACHE_SHIFT;
    return differs == 0 || differs == UINT64_MAX >> GPTL_CACHE_SHIFT;
}

/* Return the calling thread's state, or NULL if it does not exist. */
static inline struct gptl_thread *gptl_thread_own(void)
{
    struct gptl_thread *t = gptl_tls;
    return t == &gptl_nobody || t == &gptl_limbo ? NULL : t;
}

/*
 * Values of limit and floor while the gate is closed. The fast path handles the value for
 * "disabled" without a call.
 */
#define GPTL_LIMIT_CLOSED ((struct gptl_frame *)0)
#define GPTL_LIMIT_DISABLED ((struct gptl_frame *)1)
#define GPTL_FLOOR_CLOSED ((struct gptl_frame *)UINTPTR_MAX)
#define GPTL_FLOOR_DISABLED ((struct gptl_frame *)(UINTPTR_MAX - 1))

/* Set or clear bits of the gate; callable from any thread. */
void gptl_thread_gate_set(struct gptl_thread *t, uint32_t bits);
void gptl_thread_gate_clear(struct gptl_thread *t, uint32_t bits);

/*
 * Return the calling thread's state for an event, which may create the state and turn the library
 * on. Return NULL without a state; *RC is then the result of the public function.
 */
struct gptl_thread *gptl_thread_enter(const char *function, int *rc);

/*
 * Replace the calling thread's state by a scratch state that belongs to no slot, to measure the
 * cost of a start and stop; the second function restores the thread's own state. The first returns
 * NULL without memory.
 */
struct gptl_thread *gptl_thread_begin_scratch(void);
void gptl_thread_end_scratch(struct gptl_thread *scratch, struct gptl_thread *own);

/*
 * Save the count of starts that the thread ignored while measuring was disabled, when measuring
 * resumes. The count stays separate from the count of the next disabled period, since the thread
 * may start measured regions before it stops the ignored ones.
 */
void gptl_thread_keep_swallowed(struct gptl_thread *t);

/* Return the bytes of memory that a thread uses. */
size_t gptl_thread_bytes(const struct gptl_thread *t);

/* The following functions require the lock. */
struct gptl_thread *gptl_thread_by_slot(int slot);
/* End the measurement in all threads, and free the memory that no living thread can be using. */
void gptl_thread_end_all(void);

/* Double the capacity of the stack. Return false without memory. */
bool gptl_thread_grow_stack(struct gptl_thread *t);
/* Allocate side frames for the whole stack. Return false without memory. */
bool gptl_thread_grow_side(struct gptl_thread *t);

/* Initialize the module; called once, when the library is loaded. */
void gptl_thread_setup(void);

static inline uint32_t gptl_thread_depth(const struct gptl_thread *t)
{
    return (uint32_t)(atomic_load_explicit(&t->top, memory_order_relaxed) -
                      atomic_load_explicit(&t->base, memory_order_relaxed));
}

#endif
