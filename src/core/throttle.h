/*
 * throttle.h - sampling of short, frequent regions: one call in several is timed.
 *
 * With the option `throttle` every node is watched: a countdown of its calls runs, and if their
 * mean is short at its end, the node is throttled. From then on its calls form blocks of K calls
 * (option `throttle.every`), of which one, selected at random, is timed and counts K times in the
 * total. The others are counted, and get frames without a start, so that the tree stays the same.
 * Recursive calls do not count as calls here: they take no additional time.
 *
 * A call may take a million times as long as the others and not be the timed one. So the length of
 * each block is measured as well: it bounds the time of all its calls together. The part of a long
 * block that the timed call does not explain counts as uncertain; see estimate.h.
 */
#ifndef GPTL_CORE_THROTTLE_H
#define GPTL_CORE_THROTTLE_H

#include "core/lookup.h"

/* Blocks by their ticks: bucket B contains blocks shorter than GPTL_THROTTLE_SHORTEST << B. */
enum { GPTL_THROTTLE_BUCKETS = 32, GPTL_THROTTLE_SHORTEST = 256 };

/* State of a throttled node. The owner writes it, others read it. */
struct gptl_throttle {
    uint64_t random;
    uint32_t after;         /* calls of the block after the timed one */
    bool is_timed;          /* the timed call of this block has occurred */
    _Atomic uint32_t every; /* calls in a block */
    _Atomic uint64_t begun; /* tick at the start of the current block, or GPTL_UNKNOWN */
    /* time inside the parent at the start of the block, in ticks, or GPTL_UNKNOWN */
    _Atomic uint64_t inside;
    _Atomic uint64_t ticks; /* ticks of the timed call of the block */
    _Atomic uint64_t timed; /* timed calls, including the calls before throttling began */
    _Atomic uint64_t error; /* error bound, in ticks, of the part measured with another clock */
    struct gptl_throttle_bucket {
        /* number of blocks; ticks of all blocks, of the longest, and of the timed calls */
        _Atomic uint64_t blocks, elapsed, longest, ticks;
        /* sum of the squares of the timed calls' ticks */
        _Atomic double squares;
    } bucket[GPTL_THROTTLE_BUCKETS];
};

#define GPTL_UNKNOWN UINT64_MAX

/* Return whether the next outermost call to NODE, which is throttled, must be timed. */
bool gptl_throttle_next(const struct gptl_frame *parent, struct gptl_node *node, uint64_t now);
/*
 * Return whether gptl_throttle_next must decide about the next call; otherwise that call is
 * untimed.
 */
GPTL_INLINED bool gptl_throttle_is_next(struct gptl_node *node)
{
    struct gptl_extra *extra = atomic_load_explicit(&node->extra, memory_order_relaxed);
    if (unlikely(extra->countdown <= 1))
        return true;
    extra->countdown--;
    return false;
}

/* Return the number of calls that a timed call represents. */
GPTL_INLINED uint32_t gptl_throttle_calls(const struct gptl_node *node)
{
    if (likely(!gptl_node_is_throttled(node)))
        return 1;
    struct gptl_extra *extra = atomic_load_explicit(&node->extra, memory_order_relaxed);
    struct gptl_throttle *throttle = atomic_load_explicit(&extra->throttle, memory_order_relaxed);
    return atomic_load_explicit(&throttle->every, memory_order_relaxed);
}

/* Process the end of a timed call: sample it, or end the countdown of a watched node. */
void gptl_throttle_ended(struct gptl_thread *t, struct gptl_node *node, uint64_t ticks);

/* Record the end of a timed call to NODE, none of whose calls is open now. */
GPTL_INLINED void gptl_throttle_end(struct gptl_thread *t, struct gptl_node *node, uint64_t ticks)
{
    uint32_t open = atomic_load_explicit(&node->open, memory_order_relaxed);
    if (open == 0 || (open == GPTL_WATCHED && likely(!gptl_throttle_is_next(node))))
        return;
    gptl_throttle_ended(t, node, ticks);
}

/* Watch NODE from now on, as the options request. */
void gptl_throttle_watch(struct gptl_thread *t, struct gptl_node *node);
/* Adapt to a reset of NODE's times, or of its parent's times. */
void gptl_throttle_reset(struct gptl_node *node);
void gptl_throttle_reset_parent(struct gptl_node *node);
/* Shift the current block by TICKS, for which measuring was disabled. */
void gptl_throttle_shift(struct gptl_node *node, uint64_t ticks);
/* Convert to a new clock: an old tick equals FACTOR new ticks; NOW is a tick of the old clock. */
void gptl_throttle_convert(struct gptl_node *node, double factor, uint64_t now);

/* Return whether the total is an estimate: a block has begun, or an error remains from another clock. */
static inline bool gptl_throttle_has_any(const struct gptl_throttle *throttle)
{
    return atomic_load_explicit(&throttle->begun, memory_order_relaxed) != GPTL_UNKNOWN ||
           atomic_load_explicit(&throttle->error, memory_order_relaxed);
}

/* Return an upper bound of the ticks of the unfinished block at tick NOW; 0 without one. */
uint64_t gptl_throttle_lasted(const struct gptl_throttle *throttle, uint64_t now, uint64_t inside);
/* Return the time inside NODE's parent until now, in ticks, or GPTL_UNKNOWN. */
uint64_t gptl_throttle_inside(const struct gptl_node *node);

#endif
