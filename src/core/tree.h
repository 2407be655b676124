/*
 * tree.h - the call-path tree of one thread.
 *
 * A node is a region reached by one call path. Where a path returns to a region that is already on
 * it, the edge leads to that ancestor's node. Such a back edge is a node as well, whose target is
 * the ancestor. So the depth of the tree is at most the number of regions.
 *
 * Only the owner writes a tree. Other threads read it while it grows and changes: a node is
 * complete before nnodes counts it, and its numbers are relaxed atomics.
 */
#ifndef GPTL_CORE_TREE_H
#define GPTL_CORE_TREE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/core.h"
#include "core/mem.h"
#include "core/names.h"

/*
 * Sums of meter values: CPU time, then the counters. A growing number of values takes a new block.
 */
struct gptl_values {
    uint32_t n, unused;
    _Atomic int64_t value[];
};

/* Bytes that calls transferred; see amounts.h. */
struct gptl_amounts {
    _Atomic int64_t own[GPTL_NAMOUNTS], later[GPTL_NAMOUNTS];
};

/* Additional data of a node: sums of meters, a histogram, times before the last mark. */
struct gptl_extra {
    /* numbers before the last mark; times in ticks; protected by the lock */
    uint64_t count, recurse, total, max, min;
    /*
     * ticks given by the caller, included in the whole total; converted with the thread's
     * given_rate
     */
    _Atomic uint64_t given;
    /* sums of meter values, or NULL; written by the owner */
    struct gptl_values *_Atomic values;
    /* histogram, or NULL; written by the owner with relaxed atomic stores */
    struct gptl_histogram *_Atomic histogram;
    struct gptl_throttle *_Atomic throttle; /* state of a throttled node, or NULL */
    uint32_t countdown; /* calls until the next examination of a watched node; see throttle.h */
    _Atomic bool moves; /* the region transfers data (has byte counts) */
    struct gptl_amounts amounts;
};

struct gptl_node {
    /* key by which a start recognizes the name without comparing bytes; see below */
    uintptr_t known;
    _Atomic uint64_t total, count; /* ticks and calls since the last mark */
    /* ticks of the longest and the shortest call since then; see GPTL_LONG */
    _Atomic uint32_t max, min;
    _Atomic uint32_t latest; /* ticks of the latest call; see GPTL_LONG */
    /* number of open frames of this node, with the flag bits below */
    _Atomic uint32_t open;
    struct gptl_node *parent;
    struct gptl_node *next; /* sibling that was started after this node the last time */
    /*
     * lower half of the address of that sibling's function, or of its complement; see
     * gptl_tree_function
     */
    uint32_t next_function;
    uint32_t id; /* id of the region */
    /* The fields above are the first 64 bytes: a call of an ordinary node touches no others. */
    struct gptl_region *region;
    struct gptl_node *last; /* child started last; for a back edge its target */
    struct gptl_extra *_Atomic extra;
    _Atomic uint64_t recurse;
    _Atomic uint64_t long_max, long_min, long_latest;
    uint32_t index;
    _Atomic uint32_t unstopped;
};
_Static_assert(sizeof(struct gptl_node) == 128, "what a node costs in memory");

/*
 * Limit of the 32-bit times: a call of at least this many ticks (a few seconds) is long. The exact
 * time of a long call is in long_max, long_min or long_latest, and the 32-bit field contains this
 * value. The field max contains one less, so that every long call takes the slow path.
 */
#define GPTL_LONG UINT32_MAX

/* Values of node->open for nodes without frames; they exclude all other bits. */
#define GPTL_EDGE_BACK 0x80000000u /* back edge: leads to an ancestor */
#define GPTL_LEFT_OUT 0x40000000u  /* function excluded by a filter: its events are ignored */
/* Flags of node->open next to the number of frames. */
#define GPTL_WATCHED 0x20000000u   /* short calls of the node may be throttled; see throttle.h */
#define GPTL_THROTTLED 0x10000000u /* the node is throttled */
#define GPTL_OPEN_FRAMES 0x0fffffffu

/*
 * Values of node->known:
 *  - gptl_known_literal: address and given length of a literal, whose bytes cannot change; the same
 *    address and length need no comparison of bytes;
 *  - the address of a function; the library notices when its module is unloaded;
 *  - the complement of an address, to differ from all addresses: the name there ends with NUL and
 *    may change, but the 8 to 16 bytes of this node's name including its NUL are readable there,
 *    within one page;
 *  - GPTL_KNOWN_NOWHERE, which equals no name's address.
 */
#define GPTL_KNOWN_NOWHERE ((uintptr_t)1)

/*
 * Pseudo-length of a NUL-terminated name of a region of this KIND. The linker may merge equal
 * strings of the program and of a library, so the address alone does not distinguish the kinds. The
 * lower 16 bits do: after adding one they become part of node->known. They are 0 for a user's name
 * and for a function (its address), else a number above all counted lengths.
 */
#define GPTL_NAME_OF(kind)                                                                         \
    (((kind) < GPTL_KIND_MPI ? (size_t)0 : (size_t)0x7fff - (kind)) - ((size_t)(kind) << 16) - 1)
#define GPTL_NUL_ENDED GPTL_NAME_OF(GPTL_KIND_USER)
#define GPTL_FUNCTION GPTL_NAME_OF(GPTL_KIND_FUNCTION)

/*
 * Smallest counted length that makes no literal; 0 (no length does) where an address lacks spare
 * bits.
 */
#define GPTL_LITERAL_LENGTHS (sizeof(uintptr_t) < 8 ? (size_t)0 : (size_t)0x7fff - GPTL_NKINDS)

/* Return whether LENGTH is a number of bytes, not a pseudo-length. */
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
 * Return node->known for the literal NAME of LENGTH bytes. The length occupies the address bits
 * that the kernel assigns only on request; they are 0 for a NUL-terminated name.
 */
static inline __attribute__((always_inline)) uintptr_t gptl_known_literal(const char *name,
                                                                          size_t length)
{
    return (uintptr_t)((uintptr_t)name ^ ((uint64_t)length + 1) << 48);
}

/* Sentinel for "no node": in the cache, and as the last child of a node without children. */
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

/* Return the number of open frames of the node. */
static inline uint32_t gptl_node_open(const struct gptl_node *node)
{
    return atomic_load_explicit(&node->open, memory_order_relaxed) & GPTL_OPEN_FRAMES;
}

/* Return whether the fast path must examine a function's node before it reads the clock. */
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

/* Add one to a counter that only the owner writes, so that no locked instruction is needed. */
static inline void gptl_increment(_Atomic uint64_t *counter)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}

enum { GPTL_FIRST_NODES = 16, GPTL_FIRST_TABLE = 128, GPTL_NODE_PARTS = 26 };

/*
 * Return the number of cache slots for a table of CAPACITY entries. With fewer slots a seventh of
 * 10,000 functions would not fit. Where the cache exceeds the processor's, half the slots cost no
 * additional time.
 */
static inline uint32_t gptl_cache_slots(uint32_t capacity)
{
    return capacity <= 32768 ? capacity : capacity / 2;
}

struct gptl_tree {
    struct gptl_node *part[GPTL_NODE_PARTS]; /* part k contains GPTL_FIRST_NODES << k nodes */
    _Atomic uint32_t nnodes;
    uint32_t limit; /* nodes available to ordinary paths */
    /* nodes including those reserved for folded paths, which represent paths beyond the budget */
    _Atomic uint32_t capacity;
    uint32_t last_part : 1;  /* the budget does not allow another part */
    uint32_t newest_id : 31; /* largest region id of its nodes */
    struct gptl_table_entry {
        uint32_t index; /* node index; 0: free entry (the root is not in the table) */
        uint32_t tag;
    } * table; /* hash table of nodes by (parent, name) */
    _Atomic uint32_t table_capacity;
    _Atomic uint32_t longest_probe;
    struct gptl_node *fold; /* parent of the nodes that represent paths beyond the budget */
    struct gptl_node
        *fold_other; /* node for all regions when the fold lacks space for a node per region */
    _Atomic uint64_t folded_paths, folded_names;
};

struct gptl_thread;

static inline struct gptl_node *gptl_tree_node(const struct gptl_tree *tree, uint32_t index)
{
    uint32_t k = 31 - (uint32_t)__builtin_clz(index / GPTL_FIRST_NODES + 1);
    return tree->part[k] + (index - ((GPTL_FIRST_NODES << k) - GPTL_FIRST_NODES));
}

/*
 * Return the index of NODE if it is one of the first N nodes, or else N. The function does not read
 * the node: its owner may have created it after the caller read nnodes.
 */
uint32_t gptl_tree_index(const struct gptl_tree *tree, const struct gptl_node *node, uint32_t n);

/*
 * Create an empty tree in the given memory: GPTL_FIRST_NODES nodes, GPTL_FIRST_TABLE entries of the
 * table and of the cache, all zero. Return false without memory.
 */
bool gptl_tree_init(struct gptl_thread *t, struct gptl_node *nodes, struct gptl_table_entry *table,
                    uint64_t *cache);
/* Free all memory except the memory given to gptl_tree_init. */
void gptl_tree_free(struct gptl_thread *t);

/*
 * Return the child of PARENT with this name, created if necessary, and enter it in the thread's
 * cache under KEY. RAW and LENGTH are the caller's arguments for the name; RAW is NULL if the node
 * must not be recognized by them.
 */
struct gptl_node *gptl_tree_child(struct gptl_thread *t, struct gptl_node *parent,
                                  struct gptl_name name, uint64_t key, const char *raw,
                                  size_t length);

/*
 * Let the fast path find NODE, a child of PARENT, by KEY and as the successor of PARENT's last
 * child.
 */
void gptl_tree_remember(struct gptl_thread *t, struct gptl_node *parent, struct gptl_node *node,
                        uint64_t key);

/*
 * Record that NODE was started under PARENT after PARENT's last child. PARENT has one whenever any
 * of its children is in the cache.
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

/* Return the key under which the preceding sibling remembers this node. */
static inline uintptr_t gptl_tree_function(const struct gptl_node *node)
{
    return gptl_node_needs_a_look(node) ? ~node->known : node->known;
}

/* Return the node's extra, created if necessary; NULL without memory. */
struct gptl_extra *gptl_tree_extra(struct gptl_thread *t, struct gptl_node *node);

#endif
