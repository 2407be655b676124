/*
 * tree.c - the call-path tree of one thread.
 *
 * The search for a child has four steps, each slower and rarer than the previous one: the sibling
 * that followed the last time, the cache by address of the name (both on the fast path, timing.c),
 * the thread's table by content, and the process's names.
 *
 * After the memory budget is exhausted, paths not seen before are folded: one node per region,
 * under a common parent, represents all of them. Without room for new names the region "(other)"
 * represents these, at the position where they occur.
 */
#include "config.h"

#include "core/tree.h"

#include <string.h>

#include "core/thread.h"
#include "core/throttle.h"

struct gptl_node gptl_tree_none = {
    .known = GPTL_KNOWN_NOWHERE,
    .next = &gptl_tree_none,
    .next_function = GPTL_KNOWN_NOWHERE,
    .region = &gptl_region_root,
};

static const struct gptl_name other_name = {"(other)", 7, GPTL_KIND_FOLDED};
static const struct gptl_name fold_name = {"(paths beyond the memory budget)", 32,
                                           GPTL_KIND_FOLDED};

/* ---- Nodes --------------------------------------------------------------------------------- */

static uint32_t part_of(uint32_t index)
{
    return 31 - (uint32_t)__builtin_clz(index / GPTL_FIRST_NODES + 1);
}

uint32_t gptl_tree_index(const struct gptl_tree *tree, const struct gptl_node *node, uint32_t n)
{
    uint32_t first = 0;
    for (uint32_t k = 0; first < n; k++) {
        uint32_t size = GPTL_FIRST_NODES << k, known = n - first < size ? n - first : size;
        uintptr_t offset = (uintptr_t)node - (uintptr_t)tree->part[k];
        if (offset < known * sizeof *node)
            return first + (uint32_t)(offset / sizeof *node);
        first += size;
    }
    return n;
}

/*
 * Add the next part, twice as large as the last. If the budget refuses it, a smaller one is the
 * final part, and an eighth of that is reserved for folded paths.
 */
static bool add_part(struct gptl_tree *tree)
{
    uint32_t k = part_of(tree->capacity);
    if (tree->last_part || k >= GPTL_NODE_PARTS)
        return false;
    uint32_t whole = GPTL_FIRST_NODES << k, n = whole;
    while (n >= GPTL_FIRST_NODES && !gptl_mem_allows(n * sizeof(struct gptl_node), 8))
        n /= 2;
    tree->last_part = n < whole;
    struct gptl_node *nodes = n >= GPTL_FIRST_NODES ? gptl_mem_kept_pages(n * sizeof *nodes) : NULL;
    if (!nodes) {
        tree->last_part = n < GPTL_FIRST_NODES;
        return false;
    }
    sigset_t before = gptl_core_hold_signals();
    tree->part[k] = nodes;
    tree->capacity += n;
    tree->limit = tree->capacity - (tree->last_part ? n / 8 : 0);
    gptl_core_release_signals(before);
    return true;
}

/*
 * Create a node, or, with a TARGET, a back edge to it. The node is complete before others can see
 * it.
 */
static struct gptl_node *new_node(struct gptl_tree *tree, struct gptl_node *parent,
                                  struct gptl_region *region, struct gptl_node *target, bool folded)
{
    uint32_t n = atomic_load_explicit(&tree->nnodes, memory_order_relaxed);
    if (n >= (folded ? tree->capacity : tree->limit) && (n < tree->capacity || !add_part(tree)))
        return NULL;
    struct gptl_node *node = gptl_tree_node(tree, n);
    node->parent = parent;
    node->region = region;
    node->id = region->id;
    node->index = n;
    node->known = GPTL_KNOWN_NOWHERE;
    node->next = node;
    node->next_function = GPTL_KNOWN_NOWHERE;
    node->last = target ? target : &gptl_tree_none;
    atomic_store_explicit(&node->open, target ? GPTL_EDGE_BACK : 0, memory_order_relaxed);
    gptl_node_set_min(node, UINT64_MAX);
    if (region->id > tree->newest_id)
        tree->newest_id = region->id;
    atomic_store_explicit(&tree->nnodes, n + 1, memory_order_release);
    return node;
}

struct gptl_extra *gptl_tree_extra(struct gptl_thread *t, struct gptl_node *node)
{
    struct gptl_extra *extra = atomic_load_explicit(&node->extra, memory_order_relaxed);
    if (!extra) {
        extra = gptl_arena_alloc(&t->extras, sizeof *extra, 16);
        if (extra) {
            extra->min = UINT64_MAX;
            atomic_store_explicit(&node->extra, extra, memory_order_release);
        }
    }
    return extra;
}

/* ---- The table ----------------------------------------------------------------------------- */

static uint64_t mixed(const struct gptl_node *parent, uint64_t hash)
{
    uint64_t x = hash + (uint64_t)(uintptr_t)parent * 0x9e3779b97f4a7c15u;
    return x ^ x >> 32;
}

static void put(struct gptl_tree *tree, uint32_t index, uint64_t x)
{
    uint32_t mask = tree->table_capacity - 1, probe = 1;
    uint32_t i = (uint32_t)x & mask;
    for (; tree->table[i].index; i = (i + 1) & mask)
        probe++;
    tree->table[i] = (struct gptl_table_entry){index, (uint32_t)(x >> 32)};
    if (probe > tree->longest_probe)
        tree->longest_probe = probe;
}

static void fill_cache(struct gptl_thread *t, uint64_t *cache, uint32_t capacity)
{
    for (uint32_t i = 0; i < capacity; i++)
        cache[i] = (uintptr_t)&gptl_tree_none;
    /* A signal handler in between uses the old, smaller mask with the new cache, which is safe. */
    t->cache = cache;
    atomic_signal_fence(memory_order_release);
    t->cache_mask = (capacity - 1) * sizeof *cache;
}

static size_t tables_size(uint32_t capacity)
{
    return capacity * sizeof(struct gptl_table_entry) +
           gptl_cache_slots(capacity) * sizeof(uint64_t);
}

static void free_tables(struct gptl_thread *t, struct gptl_table_entry *table, uint32_t capacity)
{
    if (table != t->own_table)
        gptl_mem_free(table, tables_size(capacity));
}

/* Replace the table and the cache, which are one mapping. */
static bool grow_tables(struct gptl_thread *t, uint32_t capacity)
{
    struct gptl_tree *tree = &t->tree;
    /* The last part of the budget is reserved for the states of further threads. */
    size_t size = tables_size(capacity);
    struct gptl_table_entry *table = gptl_mem_allows(size, 8) ? gptl_mem_pages(size) : NULL;
    if (!table)
        return false;
    sigset_t before = gptl_core_hold_signals();
    struct gptl_table_entry *old = tree->table;
    uint32_t old_capacity = tree->table_capacity;
    tree->table = table;
    tree->table_capacity = capacity;
    tree->longest_probe = 0;
    fill_cache(t, (uint64_t *)(table + capacity), gptl_cache_slots(capacity));
    uint32_t n = atomic_load_explicit(&tree->nnodes, memory_order_relaxed);
    for (uint32_t i = 1; i < n; i++) {
        struct gptl_node *node = gptl_tree_node(tree, i);
        put(tree, i, mixed(node->parent, node->region->hash));
    }
    free_tables(t, old, old_capacity); /* last: a signal handler may be using the cache */
    gptl_core_release_signals(before);
    return true;
}

/*
 * Make room for another entry: grow at a load of four fifths; without memory for that, continue to
 * nineteen twentieths.
 */
static bool room_in_table(struct gptl_thread *t)
{
    struct gptl_tree *tree = &t->tree;
    uint64_t n = atomic_load_explicit(&tree->nnodes, memory_order_relaxed);
    if (n * 5 < (uint64_t)tree->table_capacity * 4)
        return true;
    return (tree->table_capacity < 1u << 31 && grow_tables(t, 2 * tree->table_capacity)) ||
           n * 20 < (uint64_t)tree->table_capacity * 19;
}

static struct gptl_node *find(const struct gptl_tree *tree, const struct gptl_node *parent,
                              struct gptl_name name, uint64_t hash)
{
    uint64_t x = mixed(parent, hash);
    uint32_t mask = tree->table_capacity - 1;
    for (uint32_t i = (uint32_t)x & mask; tree->table[i].index; i = (i + 1) & mask) {
        if (tree->table[i].tag != (uint32_t)(x >> 32))
            continue;
        struct gptl_node *node = gptl_tree_node(tree, tree->table[i].index);
        if (node->parent == parent && gptl_name_is_of(name, node->region))
            return node;
    }
    return NULL;
}

static struct gptl_node *add(struct gptl_thread *t, struct gptl_node *parent,
                             struct gptl_region *region, struct gptl_node *target, bool folded)
{
    if (!room_in_table(t))
        return NULL;
    struct gptl_node *node = new_node(&t->tree, parent, region, target, folded);
    if (!node)
        return NULL;
    put(&t->tree, node->index, mixed(parent, region->hash));
    if (gptl_core_option(GPTL_OPT_THROTTLE))
        gptl_throttle_watch(t, node);
    return node;
}

/* ---- Children ------------------------------------------------------------------------------ */

/* Return the node that represents all paths to this region that did not fit. */
static struct gptl_node *folded(struct gptl_thread *t, struct gptl_region *region)
{
    struct gptl_tree *tree = &t->tree;
    struct gptl_name name = {region->name, region->size - 1, region->kind};
    gptl_increment(&tree->folded_paths);
    struct gptl_node *node = find(tree, tree->fold, name, region->hash);
    if (!node)
        node = add(t, tree->fold, region, NULL, true);
    return node ? node : tree->fold_other;
}

/*
 * Return PARENT or its nearest ancestor of this region; NULL without one. For a region newer than
 * all regions in the tree the search is omitted: thousands of nested regions would each walk up to
 * the root.
 */
static struct gptl_node *find_above(const struct gptl_tree *tree, struct gptl_node *parent,
                                    const struct gptl_region *region)
{
    if (region->id > tree->newest_id)
        return NULL;
    struct gptl_node *node = parent;
    while (node && node->region != region)
        node = node->parent;
    return node;
}

static struct gptl_node *make_child(struct gptl_thread *t, struct gptl_node *parent,
                                    struct gptl_name name, uint64_t hash)
{
    struct gptl_tree *tree = &t->tree;
    struct gptl_region *region = gptl_name_intern(name, hash);
    if (!region) {
        gptl_increment(&tree->folded_names);
        region = tree->fold_other->region;
        struct gptl_node *node = find(tree, parent, other_name, region->hash);
        if (node)
            return node;
    }
    struct gptl_node *target = find_above(tree, parent, region);
    struct gptl_node *node = add(t, parent, region, target, false);
    return node ? node : folded(t, region);
}

/* Return node->known for the name given as RAW and LENGTH, which takes SIZE bytes with its NUL. */
static uintptr_t known_at(const char *raw, size_t length, size_t size)
{
    uintptr_t address = (uintptr_t)raw;
    if (gptl_length_is_counted(length) && length >= GPTL_LITERAL_LENGTHS)
        return GPTL_KNOWN_NOWHERE;
    if (gptl_length_kind(length) != GPTL_KIND_USER || gptl_name_is_fixed(raw))
        return gptl_known_literal(raw, length);
    if (length == GPTL_NUL_ENDED && size >= 8 && size <= 16 && (address & 4095) + size <= 4096 &&
        (intptr_t)address > 0)
        return ~address;
    return GPTL_KNOWN_NOWHERE;
}

void gptl_tree_remember(struct gptl_thread *t, struct gptl_node *parent, struct gptl_node *node,
                        uint64_t key)
{
    if (parent->last == &gptl_tree_none)
        parent->last = node;
    gptl_tree_follow(parent, node, gptl_tree_function(node));
    atomic_signal_fence(memory_order_release);
    uint64_t hash = gptl_cache_hash(parent, key), *slot = gptl_cache_slot(t, hash);
    int at = 0;
    while (at < GPTL_CACHE_LINE && gptl_cache_node(*gptl_cache_near(slot, at)) != node &&
           gptl_cache_node(*gptl_cache_near(slot, at)) != &gptl_tree_none)
        at++;
    if (at == GPTL_CACHE_LINE)
        at = 2;
    /*
     * The first two entries move to later slots, but never to an empty one: with that, two nodes
     * with a separate pair pushed each other out, and 5000 functions were not found 38 times in
     * 100.
     */
    if (at > 1)
        *gptl_cache_near(slot, at) = *gptl_cache_near(slot, 1);
    if (at > 0)
        *gptl_cache_near(slot, 1) = *slot;
    *slot = gptl_cache_entry(node, hash);
}

struct gptl_node *gptl_tree_child(struct gptl_thread *t, struct gptl_node *parent,
                                  struct gptl_name name, uint64_t key, const char *raw,
                                  size_t length)
{
    uint64_t hash = gptl_name_hash(name);
    struct gptl_node *node = find(&t->tree, parent, name, hash);
    if (!node)
        node = make_child(t, parent, name, hash);

    if (node->parent != parent)
        return node; /* folded: the fast path must not find it */
    if (raw && (name.text == raw || length == GPTL_FUNCTION) &&
        (intptr_t)node->known <= (intptr_t)GPTL_KNOWN_NOWHERE)
        node->known = known_at(raw, length, node->region->size);
    gptl_tree_remember(t, parent, node, key);
    return node;
}

bool gptl_tree_init(struct gptl_thread *t, struct gptl_node *nodes, struct gptl_table_entry *table,
                    uint64_t *cache)
{
    struct gptl_tree *tree = &t->tree;
    memset(tree, 0, sizeof *tree);
    t->own_nodes = tree->part[0] = nodes;
    t->own_table = tree->table = table;
    t->own_cache = cache;
    tree->capacity = tree->limit = GPTL_FIRST_NODES;
    tree->table_capacity = GPTL_FIRST_TABLE;
    fill_cache(t, cache, GPTL_FIRST_TABLE);

    struct gptl_region *fold = gptl_name_intern(fold_name, gptl_name_hash(fold_name));
    struct gptl_region *other = gptl_name_intern(other_name, gptl_name_hash(other_name));
    if (!fold || !other)
        return false;
    struct gptl_node *root = new_node(tree, NULL, &gptl_region_root, NULL, false);
    tree->fold = add(t, root, fold, NULL, false);
    tree->fold_other = add(t, tree->fold, other, NULL, false);

    uint32_t wanted = GPTL_FIRST_TABLE;
    while (wanted < (uint32_t)gptl_core_option(GPTL_OPT_TABLESIZE))
        wanted *= 2;
    if (wanted > GPTL_FIRST_TABLE)
        grow_tables(t, wanted);
    return true;
}

void gptl_tree_free(struct gptl_thread *t)
{
    free_tables(t, t->tree.table, t->tree.table_capacity);
    for (uint32_t k = 1; k < GPTL_NODE_PARTS; k++) {
        uint32_t first = (GPTL_FIRST_NODES << k) - GPTL_FIRST_NODES;
        uint32_t n = GPTL_FIRST_NODES << k;
        if (t->tree.part[k] && first + n > t->tree.capacity)
            n = t->tree.capacity - first;
        if (t->tree.part[k])
            gptl_mem_free(t->tree.part[k], n * sizeof(struct gptl_node));
    }
    gptl_arena_free(&t->extras);
}
