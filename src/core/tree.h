/*
 * tree.h - the call-path tree of one thread.
 *
 * A node is a region reached by one path. Where a path comes back to a region that is already on
 * it, the edge leads to that ancestor's node: such an edge is a node as well, whose target is the
 * ancestor. So the tree never gets deeper than there are regions.
 *
 * Only the owner writes a tree. Others read it while it grows and changes: a node is complete
 * before nnodes counts it, and its numbers are relaxed atomics.
 */
#ifndef GPTL_CORE_TREE_H
#define GPTL_CORE_TREE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"
#include "core/mem.h"
#include "core/names.h"

/* Sums of what meters say: CPU time, then the counters. More of them take another block. */
struct gptl_values {
    uint32_t n, unused;
    _Atomic int64_t value[];
};

/* What calls moved: see amounts.h. */
struct gptl_amounts {
    _Atomic int64_t own[GPTL_NAMOUNTS], later[GPTL_NAMOUNTS];
};

/* What a node has besides its times: sums of meters, a histogram, times before the last mark. */
struct gptl_extra {
    uint64_t count, recurse, total, max, min; /* before the last mark; under the lock */
    _Atomic uint64_t
        given; /* of the whole total: ticks the caller gave, at the thread's given_rate */
    struct gptl_values *_Atomic values;       /* or NULL; its owner's */
    struct gptl_histogram *_Atomic histogram; /* its owner's too: relaxed atomic accesses */
    struct gptl_throttle *_Atomic throttle;   /* once most calls were not timed */
    uint32_t countdown; /* calls until a watched node is looked at: see throttle.h */
    _Atomic bool moves; /* its calls are of those that have amounts */
    struct gptl_amounts amounts;
};

struct gptl_node {
    uintptr_t known; /* at which address its name was given, and what that tells: see below */
    _Atomic uint64_t total, count; /* since the last mark */
    _Atomic uint32_t max, min;     /* of a call since then, … */
    _Atomic uint32_t latest;       /* … and of the last one; unless they are long: see below */
    _Atomic uint32_t open;         /* frames of this node, and the bits below */
    struct gptl_node *parent;
    struct gptl_node *next; /* the sibling that was started after this one the last time */
    uint32_t next_function; /* half of that one's address, or of its complement: see below */
    uint32_t id;            /* the region's */
    /* The above is what a call of an ordinary node touches: 64 bytes. */
    struct gptl_region *region;
    struct gptl_node *last; /* the child started last; of an edge back, the node it leads to */
    struct gptl_extra *_Atomic extra;
    _Atomic uint64_t recurse;
    _Atomic uint64_t long_max, long_min, long_latest;
    uint32_t index;
    _Atomic uint32_t unstopped;
};
_Static_assert(sizeof(struct gptl_node) == 128, "what a node costs in memory");

/*
 * A call of as many ticks, which are seconds, is long. Its time is in long_max and so on, and there
 * is this where the short path looks; as max one less, so that all long calls take the slow path.
 */
#define GPTL_LONG UINT32_MAX

/* The two that have no frames, and no other bits: */
#define GPTL_EDGE_BACK 0x80000000u /* leads back to an ancestor */
#define GPTL_LEFT_OUT 0x40000000u  /* a filter leaves this function out: its events do nothing */
/* Of a node, beside the number of its frames: */
#define GPTL_WATCHED 0x20000000u   /* short calls of it may be throttled: see throttle.h */
#define GPTL_THROTTLED 0x10000000u /* it is */
#define GPTL_OPEN_FRAMES 0x0fffffffu

/*
 * What node->known can be:
 *  - a literal, gptl_known_literal: an address at which no byte can change, with the length that
 *    was given with it: who gives both again need not be read;
 *  - the address of a function, whose module will not be gone unnoticed;
 *  - the complement of an address, so that it is none: the name there ends with NUL and may change,
 *    but 8 to 16 bytes can be read there, as many as this node's name has with its NUL, and all lie
 *    in one page;
 *  - GPTL_KNOWN_NOWHERE, which is no name's address.
 */
#define GPTL_KNOWN_NOWHERE ((uintptr_t)1)

/*
 * Instead of a length: the name ends with NUL, and belongs to a region of this KIND. The linker may merge
 * equal strings of the program and of a library, so the address alone doesn't tell the kinds apart. The
 * lower 16 bits do, which become part of node->known after one is added: 0 for a user's name and for a
 * function (its address), else a number above all counted lengths.
 */
#define GPTL_NAME_OF(kind)                                                                         \
    (((kind) < GPTL_KIND_MPI ? (size_t)0 : (size_t)0x7fff - (kind)) - ((size_t)(kind) << 16) - 1)
#define GPTL_NUL_ENDED GPTL_NAME_OF(GPTL_KIND_USER)
#define GPTL_FUNCTION GPTL_NAME_OF(GPTL_KIND_FUNCTION)

/* A length from here on, and any where an address has no bits to spare, makes no literal. */
#define GPTL_LITERAL_LENGTHS (sizeof(uintptr_t) < 8 ? (size_t)0 : (size_t)0x7fff - GPTL_NKINDS)

/* Whether LENGTH is the number of a name's bytes. */
static inline __attribute__((always_inline)) bool gptl_length_is_counted(size_t length)
{
    return length < GPTL_NAME_OF(GPTL_NKINDS);
}

static inline __attribute__((always_inline)) enum gptl_kind gptl_length_kind(size_t length)
{
    return gptl_length_is_counted(length) ? GPTL_KIND_USER
                                          : (enum gptl_kind)((0xffff - (length + 1)) >> 16);
}

/*
 * The literal NAME of LENGTH bytes: no length in the address bits that processes are not given
 * unless they ask for them, where the name ends with NUL.
 */
static inline __attribute__((always_inline)) uintptr_t gptl_known_literal(const char *name,
                                                                          size_t length)
{
    return (uintptr_t)((uintptr_t)name ^ ((uint64_t)length + 1) << 48);
}

/* Stands for no node: in the cache, and as the last child of a node that has none. */
extern struct gptl_node gptl_tree_none __attribute__((visibility("hidden")));

static inline bool gptl_node_is_edge_back(const struct gptl_node *node)
{
    return atomic_load_explicit(&node->open, memory_order_relaxed) == GPTL_EDGE_BACK;
}

static inline bool gptl_node_is_left_out(const struct gptl_node *node)
{
    return atomic_load_explicit(&node->open, memory_order_relaxed) == GPTL_LEFT_OUT;
}

static inline bool gptl_node_is_throttled(const struct gptl_node *node)
{
    return atomic_load_explicit(&node->open, memory_order_relaxed) & GPTL_THROTTLED;
}

/* Frames of the node. */
static inline uint32_t gptl_node_open(const struct gptl_node *node)
{
    return atomic_load_explicit(&node->open, memory_order_relaxed) & GPTL_OPEN_FRAMES;
}

/* Whether the short path is to have a look at a function's node before it reads the clock. */
static inline bool gptl_node_needs_a_look(const struct gptl_node *node)
{
    uint32_t open = atomic_load_explicit(&node->open, memory_order_relaxed);
    return open & (GPTL_LEFT_OUT | GPTL_THROTTLED);
}

static inline uint64_t gptl_node_max(const struct gptl_node *node)
{
    uint32_t max = atomic_load_explicit(&node->max, memory_order_relaxed);
    return max < GPTL_LONG - 1 ? max : atomic_load_explicit(&node->long_max, memory_order_relaxed);
}

static inline uint64_t gptl_node_min(const struct gptl_node *node)
{
    uint32_t min = atomic_load_explicit(&node->min, memory_order_relaxed);
    return min < GPTL_LONG ? min : atomic_load_explicit(&node->long_min, memory_order_relaxed);
}

static inline uint64_t gptl_node_latest(const struct gptl_node *node)
{
    uint32_t latest = atomic_load_explicit(&node->latest, memory_order_relaxed);
    return latest < GPTL_LONG ? latest
                              : atomic_load_explicit(&node->long_latest, memory_order_relaxed);
}

static inline void gptl_node_set_max(struct gptl_node *node, uint64_t max)
{
    atomic_store_explicit(&node->long_max, max, memory_order_relaxed);
    atomic_store_explicit(&node->max, max < GPTL_LONG ? (uint32_t)max : GPTL_LONG - 1,
                          memory_order_relaxed);
}

static inline void gptl_node_set_min(struct gptl_node *node, uint64_t min)
{
    atomic_store_explicit(&node->long_min, min, memory_order_relaxed);
    atomic_store_explicit(&node->min, min < GPTL_LONG ? (uint32_t)min : GPTL_LONG,
                          memory_order_relaxed);
}

static inline void gptl_node_set_latest(struct gptl_node *node, uint64_t latest)
{
    atomic_store_explicit(&node->long_latest, latest, memory_order_relaxed);
    atomic_store_explicit(&node->latest, latest < GPTL_LONG ? (uint32_t)latest : GPTL_LONG,
                          memory_order_relaxed);
}

/* Only the owner adds, so this needs no lock of the bus. */
static inline void gptl_increment(_Atomic uint64_t *counter)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

enum { GPTL_FIRST_NODES = 16, GPTL_FIRST_TABLE = 128, GPTL_NODE_PARTS = 26 };

/*
 * Slots of the cache beside a table of CAPACITY entries. As many, or a seventh of 10,000 functions
 * would have no place; but where it is larger than the processor's, half of that costs no more time.
 */
static inline uint32_t gptl_cache_slots(uint32_t capacity)
{
    return capacity <= 32768 ? capacity : capacity / 2;
}

struct gptl_tree {
    struct gptl_node *part[GPTL_NODE_PARTS]; /* part k holds GPTL_FIRST_NODES << k nodes */
    _Atomic uint32_t nnodes;
    uint32_t limit;            /* nodes that ordinary paths may use, … */
    _Atomic uint32_t capacity; /* … and those that stand for paths beyond the budget */
    uint32_t last_part : 1;    /* the budget has no room for another part */
    uint32_t newest_id : 31;   /* the largest of its nodes' regions */
    struct gptl_table_entry {
        uint32_t index; /* 0 is free: the root is not in the table */
        uint32_t tag;
    } * table; /* nodes by (parent, name) */
    _Atomic uint32_t table_capacity;
    _Atomic uint32_t longest_probe;
    struct gptl_node *fold; /* parent of the nodes that stand for paths beyond the budget */
    struct gptl_node
        *fold_other; /* the one for all regions, when there is not even room for that */
    _Atomic uint64_t folded_paths, folded_names;
};

struct gptl_thread;

static inline struct gptl_node *gptl_tree_node(const struct gptl_tree *tree, uint32_t index)
{
    uint32_t k = 31 - (uint32_t)__builtin_clz(index / GPTL_FIRST_NODES + 1);
    return tree->part[k] + (index - ((GPTL_FIRST_NODES << k) - GPTL_FIRST_NODES));
}

/*
 * The number of NODE, if it is one of the first N, or else N. Nothing is read of the node itself: its owner may have made it
 * a moment ago, after the last one that the caller knows of.
 */
uint32_t gptl_tree_index(const struct gptl_tree *tree, const struct gptl_node *node, uint32_t n);

/*
 * Makes an empty tree in the memory given: GPTL_FIRST_NODES nodes, GPTL_FIRST_TABLE entries of the
 * table and of the cache, all zero. False when there is no memory.
 */
bool gptl_tree_init(struct gptl_thread *t, struct gptl_node *nodes, struct gptl_table_entry *table,
                    uint64_t *cache);
/* Gives back all memory but that. */
void gptl_tree_free(struct gptl_thread *t);

/*
 * The child of PARENT with this name, made if it is new, and put into the thread's cache for KEY. RAW
 * and LENGTH are what the caller gave for it; RAW is NULL when it must not be known by that.
 */
struct gptl_node *gptl_tree_child(struct gptl_thread *t, struct gptl_node *parent,
                                  struct gptl_name name, uint64_t key, const char *raw,
                                  size_t length);

/* Has the short path find the child NODE of PARENT by KEY, and after PARENT's last child. */
void gptl_tree_remember(struct gptl_thread *t, struct gptl_node *parent, struct gptl_node *node,
                        uint64_t key);

/*
 * Remembers that NODE was started under PARENT after PARENT's last child, when there is one, as
 * there is when any child of PARENT is in the cache.
 */
static inline __attribute__((always_inline)) void gptl_tree_follow(struct gptl_node *parent,
                                                                   struct gptl_node *node,
                                                                   uintptr_t function)
{
    struct gptl_node *last = parent->last;
    last->next = node;
    last->next_function = (uint32_t)function;
    parent->last = node;
}

/* What a node is to those that it follows. */
static inline uintptr_t gptl_tree_function(const struct gptl_node *node)
{
    return gptl_node_needs_a_look(node) ? ~node->known : node->known;
}

/* The node's extra, made if it has none; NULL when there is no memory. */
struct gptl_extra *gptl_tree_extra(struct gptl_thread *t, struct gptl_node *node);

#endif
