/*
 * throttle.h - regions that are short and called often: one call in several is timed.
 *
 * With the option `throttle` every node is watched: its calls are counted down, and if their mean is
 * short in the end, the node is throttled. From then on its calls make blocks of K calls (option
 * `throttle.every`), of which one, chosen by chance, is timed and counts K times in the total. The
 * others are counted, and get frames without a start, so that the tree stays the same. Calls inside
 * one that is open are not calls here: they take no time of their own.
 *
 * A call may take a million times as long as the others and not be the one that is timed. So the
 * length of each block is measured as well: all its calls together take no longer. What a block that
 * is long for an unknown reason may hide counts as uncertain; see estimate.h.
 */
#ifndef GPTL_CORE_THROTTLE_H
#define GPTL_CORE_THROTTLE_H

#include "core/lookup.h"

/* Blocks by their ticks: those of bucket B are shorter than GPTL_THROTTLE_SHORTEST << B. */
enum { GPTL_THROTTLE_BUCKETS = 32, GPTL_THROTTLE_SHORTEST = 256 };

/* Of a throttled node. Its owner writes it, others read it. */
struct gptl_throttle {
    uint64_t random;
    uint32_t after;          /* of the block: calls that come after the timed one */
    bool is_timed;           /* the timed one came */
    _Atomic uint32_t every;  /* calls in a block */
    _Atomic uint64_t begun;  /* the block: when, or GPTL_UNKNOWN, … */
    _Atomic uint64_t inside; /* … at which time inside the parent, or GPTL_UNKNOWN, … */
    _Atomic uint64_t ticks;  /* … and what the timed call took */
    _Atomic uint64_t timed;  /* calls, also those before it was throttled */
    _Atomic uint64_t error;  /* of what was measured with another clock */
    struct gptl_throttle_bucket {
        _Atomic uint64_t blocks, elapsed, longest, ticks; /* ticks of their timed calls … */
        _Atomic double squares;                           /* … whose squares are these */
    } bucket[GPTL_THROTTLE_BUCKETS];
};

#define GPTL_UNKNOWN UINT64_MAX

/* The next call to NODE, which is throttled, outside of any other: whether it is to be timed. */
bool gptl_throttle_next(const struct gptl_frame *parent, struct gptl_node *node, uint64_t now);
/* Whether gptl_throttle_next has to be asked about the next call; otherwise it is not to be timed. */
GPTL_INLINED bool gptl_throttle_is_next(struct gptl_node *node)
{
    struct gptl_extra *extra = atomic_load_explicit(&node->extra, memory_order_relaxed);
    if (unlikely(extra->countdown <= 1))
        return true;
    extra->countdown--;
    return false;
}

/* How many calls a timed one stands for. */
GPTL_INLINED uint32_t gptl_throttle_calls(const struct gptl_node *node)
{
    if (likely(!gptl_node_is_throttled(node)))
        return 1;
    struct gptl_extra *extra = atomic_load_explicit(&node->extra, memory_order_relaxed);
    struct gptl_throttle *throttle = atomic_load_explicit(&extra->throttle, memory_order_relaxed);
    return atomic_load_explicit(&throttle->every, memory_order_relaxed);
}

/* What the next of these does when it comes to that. */
void gptl_throttle_ended(struct gptl_thread *t, struct gptl_node *node, uint64_t ticks);

/* A timed call to NODE has ended, and none is open. */
GPTL_INLINED void gptl_throttle_end(struct gptl_thread *t, struct gptl_node *node, uint64_t ticks)
{
    uint32_t open = atomic_load_explicit(&node->open, memory_order_relaxed);
    if (open == 0 || (open == GPTL_WATCHED && likely(!gptl_throttle_is_next(node))))
        return;
    gptl_throttle_ended(t, node, ticks);
}

/* From now on, as the options say. */
void gptl_throttle_watch(struct gptl_thread *t, struct gptl_node *node);
/* NODE's times were reset, or those of its parent. */
void gptl_throttle_reset(struct gptl_node *node);
void gptl_throttle_reset_parent(struct gptl_node *node);
/* Measuring was disabled for so long. */
void gptl_throttle_shift(struct gptl_node *node, uint64_t ticks);
/* Another clock comes, of which a tick is FACTOR of those so far; it is NOW on the old one. */
void gptl_throttle_convert(struct gptl_node *node, double factor, uint64_t now);

/* Whether any call was not timed, or the last one counts for more than itself. */
static inline bool gptl_throttle_has_any(const struct gptl_throttle *throttle)
{
    return atomic_load_explicit(&throttle->begun, memory_order_relaxed) != GPTL_UNKNOWN ||
           atomic_load_explicit(&throttle->error, memory_order_relaxed);
}

/* How long the block that is not over has lasted at most, when it is NOW; 0 if there is none. */
uint64_t gptl_throttle_lasted(const struct gptl_throttle *throttle, uint64_t now, uint64_t inside);
/* The time inside NODE's parent until now, if that is known, or GPTL_UNKNOWN. */
uint64_t gptl_throttle_inside(const struct gptl_node *node);

#endif
