/*
 * regions.c - the region path of each thread. Paths follow the library's rules: a start of an
 * already open region returns to it, and an out-of-order stop removes its region from below the
 * ones that stay open.
 */
#include "regions.h"

#include "pub_tool_debuginfo.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"

/* A unique name. The table's key is its hash, or a function's address. */
struct name {
    VgHashNode node;
    HChar *text;
    /* names at least one region; otherwise the search for an open region is skipped */
    Bool is_region;
};

/* A region as a child of another. */
struct edge {
    VgHashNode node;
    struct region *parent, *region; /* NULL: too many regions */
    struct name *name;
};

struct frame {
    struct region *region; /* current region */
    /* name passed to the start, without the prefix, which the stop must match */
    const struct name *given;
    Bool watched;   /* an enclosing region was stopped before it */
    Bool swallowed; /* not counted as a call of the region */
};

struct stack {
    struct frame *frames;
    UInt n, room, nwatched;
    struct wrapper wrapper;
    const HChar *prefix;
};

UInt memsig_region, memsig_nregions, memsig_most_regions = 20001;
ULong memsig_beyond;
struct region **memsig_regions;
static UInt regions_room;
static VgHashTable *names, *functions, *edges;
static struct stack *stacks, *stack; /* of all threads; of the running one */

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

/* Return the name of the function at ADDRESS. */
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
    return x->name != y->name || x->parent != y->parent;
}

/*
 * Create the edge from PARENT by NAME: back to an open region of that name, or to a new one. NULL:
 * too many paths.
 */
static struct region *new_end(struct region *parent, struct name *name)
{
    for (struct region *open = parent; open->parent && name->is_region; open = open->parent)
        if (open->name == name->text)
            return open;
    if (memsig_nregions == memsig_most_regions)
        return NULL;
    name->is_region = True;
    return new_region(parent, name->text);
}

static struct edge *edge_of(struct region *parent, struct name *name)
{
    struct edge wanted = {.parent = parent, .name = name};
    wanted.node.key = ((UWord)parent >> 4) * 0x9e3779b97f4a7c15UL ^ (UWord)name >> 4;
    struct edge *found = VG_(HT_gen_lookup)(edges, &wanted, compare_edges);
    if (found)
        return found;
    found = VG_(calloc)("memsig.edge", 1, sizeof *found);
    *found = wanted;
    found->region = new_end(parent, name);
    VG_(HT_add_node)(edges, found);
    return found;
}

static struct region *region_now(void)
{
    return stack->n > 0 ? stack->frames[stack->n - 1].region : memsig_regions[0];
}

static void go_on(void)
{
    UInt id = region_now()->id;
    if (id != memsig_region)
        memsig_last = NULL; /* the next block looks up its row */
    memsig_region = id;
}

/* Remove frame I, a completed call. */
static void take_out(UInt i)
{
    if (!stack->frames[i].swallowed)
        stack->frames[i].region->calls++;
    stack->nwatched -= stack->frames[i].watched ? 1 : 0;
    stack->n--;
    VG_(memmove)(&stack->frames[i], &stack->frames[i + 1], (stack->n - i) * sizeof *stack->frames);
}

/* Return NAME with the thread's prefix. */
static struct name *prefixed(struct name *name)
{
    static HChar text[MEMSIG_LONGEST_NAME + 1];
    if (!stack->prefix)
        return name;
    VG_(snprintf)(text, sizeof text, "%s%s", stack->prefix, name->text);
    return memsig_name(text, VG_(strlen)(text));
}

static void push(struct region *region, const struct name *given, Bool swallowed)
{
    if (stack->n == stack->room) {
        stack->room = 2 * stack->room + 16;
        stack->frames =
            VG_(realloc)("memsig.frames", stack->frames, stack->room * sizeof *stack->frames);
    }
    stack->frames[stack->n++] = (struct frame){region, given, False, swallowed};
    go_on();
}

void memsig_start(struct name *given, Bool takes_prefix)
{
    for (UInt i = stack->n; i-- > 0 && stack->nwatched > 0;)
        if (stack->frames[i].watched && stack->frames[i].given == given)
            take_out(i);
    struct region *region = edge_of(region_now(), takes_prefix ? prefixed(given) : given)->region;
    memsig_beyond += region ? 0 : 1;
    push(region ? region : region_now(), given, !region);
}

void memsig_swallow(const struct name *given)
{
    push(region_now(), given, True);
}

void memsig_add_calls(struct name *name, ULong calls)
{
    struct region *region = edge_of(region_now(), prefixed(name))->region;
    *(region ? &region->calls : &memsig_beyond) += calls;
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
