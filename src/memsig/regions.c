/*
 * regions.c - the path of regions that each thread is in. Paths become what the library makes of them: a region that is open already leads back to
 * where it is, and a stop out of order takes its region from under those that stay open.
 */
#include "regions.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

/* A name once. KEY of the table is its hash, or a function's address. */
struct name {
    VgHashNode node;
    HChar *text;
    Bool is_region; /* somewhere: otherwise it need not be looked for on the way to a new one */
};

/* A region below another one. */
struct edge {
    VgHashNode node;
    struct region *region;
    struct name *name;
};

struct frame {
    struct edge *edge;        /* NULL: to no region */
    const struct name *given; /* by which it is stopped: without the prefix that was set */
    Bool watched;             /* one around it was stopped before it */
};

struct stack {
    struct frame *frames;
    UInt n, room, nwatched;
    struct wrapper wrapper;
    const HChar *prefix;
};

UInt memsig_region, memsig_nregions;
struct region **memsig_regions;
static UInt regions_room;
static VgHashTable *names, *functions, *edges;
static struct stack *stacks, *stack; /* of all threads; of the one that runs */

/* ---- Names ---------------------------------------------------------------------------------- */

static Word compare_names(const void *a, const void *b)
{
    return VG_(strcmp)(((const struct name *)a)->text, ((const struct name *)b)->text);
}

struct name *memsig_name(const HChar *text, UInt length)
{
    static HChar kept[MEMSIG_LONGEST_NAME + 1];
    struct name wanted = {.text = kept};
    UWord hash = 0xcbf29ce484222325UL;
    for (UInt i = 0; i < length; i++) {
        kept[i] = text[i];
        hash = (hash ^ (UChar)text[i]) * 0x100000001b3UL;
    }
    kept[length] = '\0';
    wanted.node.key = hash;
    struct name *found = VG_(HT_gen_lookup)(names, &wanted, compare_names);
    if (!found) {
        found = VG_(calloc)("memsig.name", 1, sizeof *found);
        found->node.key = hash;
        found->text = VG_(strdup)("memsig.name", kept);
        VG_(HT_add_node)(names, found);
    }
    return found;
}

/* A function's, by its address. */
struct name *memsig_function_name(Addr address)
{
    struct name *found = VG_(HT_lookup)(functions, address);
    if (found)
        return found;
    HChar made[64];
    const HChar *text;
    if (!VG_(get_fnname)(VG_(current_DiEpoch)(), address, &text)) {
        VG_(snprintf)(made, sizeof made, "0x%lx", address);
        text = made;
    }
    found = VG_(calloc)("memsig.name", 1, sizeof *found);
    found->node.key = address;
    found->text = VG_(strdup)("memsig.name", text);
    VG_(HT_add_node)(functions, found);
    return found;
}

/* ---- Paths ---------------------------------------------------------------------------------- */

static struct region *new_region(struct region *parent, const HChar *name)
{
    struct region *region = VG_(calloc)("memsig.region", 1, sizeof *region);
    if (memsig_nregions == regions_room) {
        regions_room = 2 * regions_room + 64;
        memsig_regions =
            VG_(realloc)("memsig.regions", memsig_regions, regions_room * sizeof *memsig_regions);
    }
    region->id = memsig_nregions;
    region->parent = parent;
    region->name = name;
    memsig_regions[memsig_nregions++] = region;
    return region;
}

static Word compare_edges(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return x->name != y->name || x->region->parent != y->region->parent;
}

static UWord edge_key(const struct region *parent, const struct name *name)
{
    return ((UWord)parent >> 4) * 0x9e3779b97f4a7c15UL ^ (UWord)name >> 4;
}

static struct edge *find_edge(struct region *parent, struct name *name)
{
    struct region at = {.parent = parent};
    struct edge wanted = {.node.key = edge_key(parent, name), .name = name, .region = &at};
    return VG_(HT_gen_lookup)(edges, &wanted, compare_edges);
}

/* Where NAME leads to from PARENT: back, if it is on the way to it. */
static struct edge *edge_of(struct region *parent, struct name *name)
{
    struct edge *found = find_edge(parent, name);
    if (found)
        return found;
    for (struct region *open = parent; open->parent && name->is_region; open = open->parent)
        if (open->name == name->text)
            return find_edge(open->parent, name);
    found = VG_(calloc)("memsig.edge", 1, sizeof *found);
    found->node.key = edge_key(parent, name);
    found->name = name;
    found->region = new_region(parent, name->text);
    name->is_region = True;
    VG_(HT_add_node)(edges, found);
    return found;
}

static void go_on(void)
{
    const struct edge *edge = stack->n > 0 ? stack->frames[stack->n - 1].edge : NULL;
    memsig_region = edge ? edge->region->id : 0;
}

static void take_out(UInt i)
{
    stack->nwatched -= stack->frames[i].watched ? 1 : 0;
    stack->n--;
    VG_(memmove)(&stack->frames[i], &stack->frames[i + 1], (stack->n - i) * sizeof *stack->frames);
}

/* NAME behind the prefix that the thread has set. */
static struct name *prefixed(struct name *name)
{
    static HChar text[MEMSIG_LONGEST_NAME + 1];
    if (!stack->prefix)
        return name;
    VG_(snprintf)(text, sizeof text, "%s%s", stack->prefix, name->text);
    return memsig_name(text, VG_(strlen)(text));
}

static struct edge *edge_to(struct name *name)
{
    go_on();
    return edge_of(memsig_regions[memsig_region], name);
}

static void push(struct edge *edge, const struct name *given)
{
    if (stack->n == stack->room) {
        stack->room = 2 * stack->room + 16;
        stack->frames =
            VG_(realloc)("memsig.frames", stack->frames, stack->room * sizeof *stack->frames);
    }
    stack->frames[stack->n++] = (struct frame){edge, given, False};
    go_on();
}

void memsig_start(struct name *given, Bool is_function)
{
    for (UInt i = stack->n; i-- > 0 && stack->nwatched > 0;)
        if (stack->frames[i].watched && stack->frames[i].given == given)
            take_out(i);
    struct edge *edge = edge_to(is_function ? given : prefixed(given));
    edge->region->calls++;
    push(edge, given);
}

void memsig_swallow(const struct name *given)
{
    push(stack->n > 0 ? stack->frames[stack->n - 1].edge : NULL, given);
}

void memsig_add_calls(struct name *name, ULong calls)
{
    edge_to(prefixed(name))->region->calls += calls;
}

void memsig_set_prefix(const struct name *prefix)
{
    stack->prefix = prefix && *prefix->text ? prefix->text : NULL;
}

struct wrapper *memsig_wrapper(void)
{
    return &stack->wrapper;
}

void memsig_stop(const struct name *name)
{
    UInt i = stack->n;
    while (i > 0 && stack->frames[i - 1].given != name)
        i--;
    if (i == 0)
        return;
    for (UInt above = stack->n; above-- > i;)
        if (stack->frames[above].watched) {
            take_out(above);
        } else {
            stack->frames[above].watched = True;
            stack->nwatched++;
        }
    take_out(i - 1);
    go_on();
}

/* ---- Threads -------------------------------------------------------------------------------- */

void memsig_begin_regions(void)
{
    static HChar none[] = "";
    names = VG_(HT_construct)("memsig.names");
    functions = VG_(HT_construct)("memsig.functions");
    edges = VG_(HT_construct)("memsig.edges");
    stacks = VG_(calloc)("memsig.stacks", VG_N_THREADS, sizeof *stacks);
    stack = &stacks[1];
    new_region(NULL, none);
}

void memsig_thread_begins(ThreadId tid)
{
    stacks[tid] = (struct stack){.frames = stacks[tid].frames, .room = stacks[tid].room};
}

void memsig_regions_of(ThreadId tid)
{
    stack = &stacks[tid];
    go_on();
}
