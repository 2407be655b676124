/*
 * regions.c - the path of regions that each thread is in, followed at the library's starts and
 * stops. Paths become what the library makes of them: a region that is open already leads back to
 * where it is, and a stop out of order takes its region from under those that stay open.
 */
#include "memsig.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_vki.h"

enum { LONGEST_NAME = 65536, PAGE = 4096 };

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
    struct edge *edge;
    Bool watched; /* one around it was stopped before it */
};

struct stack {
    struct frame *frames;
    UInt n, room, nwatched;
};

UInt memsig_region, memsig_nregions;
struct region **memsig_regions;
static UInt regions_room;
static VgHashTable *names, *functions, *edges, *callers;
static struct stack *stacks, *stack; /* of all threads; of the one that runs */

/* ---- Names ---------------------------------------------------------------------------------- */

/* How much of TEXT can be read, up to a NUL and up to MOST bytes. */
static UInt readable_length(Addr text, ULong most)
{
    UInt n = 0;
    if (most > LONGEST_NAME)
        most = LONGEST_NAME;
    for (; n < most; n++) {
        if ((n == 0 || (text + n) % PAGE == 0) &&
            !VG_(am_is_valid_for_client)(text + n, 1, VKI_PROT_READ))
            break;
        if (((const HChar *)text)[n] == '\0')
            break;
    }
    return n;
}

static Word compare_names(const void *a, const void *b)
{
    return VG_(strcmp)(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static struct name *name_of(const HChar *text, UInt length)
{
    static HChar kept[LONGEST_NAME + 1];
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
static struct name *function_name(Addr address)
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
    memsig_region = stack->n > 0 ? stack->frames[stack->n - 1].edge->region->id : 0;
}

static void take_out(UInt i)
{
    stack->nwatched -= stack->frames[i].watched ? 1 : 0;
    stack->n--;
    VG_(memmove)(&stack->frames[i], &stack->frames[i + 1], (stack->n - i) * sizeof *stack->frames);
}

static void start(struct name *name)
{
    for (UInt i = stack->n; i-- > 0 && stack->nwatched > 0;)
        if (stack->frames[i].watched && stack->frames[i].edge->name == name)
            take_out(i);
    go_on();
    struct edge *edge = edge_of(memsig_regions[memsig_region], name);
    if (stack->n == stack->room) {
        stack->room = 2 * stack->room + 16;
        stack->frames =
            VG_(realloc)("memsig.frames", stack->frames, stack->room * sizeof *stack->frames);
    }
    stack->frames[stack->n++] = (struct frame){edge, False};
    edge->region->calls++;
    go_on();
}

static void stop(const struct name *name)
{
    UInt i = stack->n;
    while (i > 0 && stack->frames[i - 1].edge->name != name)
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

/* ---- Entries -------------------------------------------------------------------------------- */

/* Fortran's names end before blanks. */
static struct name *given_name(HWord name, HWord length)
{
    Bool fortran = length != ~0UL;
    UInt n = readable_length(name, fortran ? (length & 0x7fffffff) : length);
    while (fortran && n > 0 && ((const HChar *)name)[n - 1] == ' ')
        n--;
    return name_of((const HChar *)name, n);
}

/* Where a call of the library returns to. */
struct caller {
    VgHashNode node;
    Bool measures_itself;
};

/* The library finds out what a start and a stop cost by some that are no part of the program. */
static Bool is_own_call(Addr stack_pointer)
{
    Addr to = *(const Addr *)stack_pointer;
    struct caller *found = VG_(HT_lookup)(callers, to);
    if (!found) {
        const HChar *function;
        found = VG_(calloc)("memsig.caller", 1, sizeof *found);
        found->node.key = to;
        found->measures_itself = VG_(get_fnname)(VG_(current_DiEpoch)(), to, &function) &&
                                 VG_(strcmp)(function, "gptl_core_overhead") == 0;
        VG_(HT_add_node)(callers, found);
    }
    return found->measures_itself;
}

static void start_named(HWord name, HWord length, HWord stack_pointer)
{
    if (!is_own_call(stack_pointer))
        start(given_name(name, length));
}

static void stop_named(HWord name, HWord length, HWord stack_pointer)
{
    if (!is_own_call(stack_pointer))
        stop(given_name(name, length));
}

static void enter_function(HWord address, HWord unused, HWord stack_pointer)
{
    (void)unused;
    (void)stack_pointer;
    start(function_name(address));
}

static void leave_function(HWord address, HWord unused, HWord stack_pointer)
{
    (void)unused;
    (void)stack_pointer;
    stop(function_name(address));
}

const struct entry *memsig_entry_of(const HChar *function)
{
    static const struct entry entries[] = {
        {"GPTLstart", start_named, "start_named", False},
        {"GPTLstart_handle", start_named, "start_named", False},
        {"GPTLstartf", start_named, "start_named", True},
        {"GPTLstartf_handle", start_named, "start_named", True},
        {"GPTLstop", stop_named, "stop_named", False},
        {"GPTLstop_handle", stop_named, "stop_named", False},
        {"GPTLstopf", stop_named, "stop_named", True},
        {"GPTLstopf_handle", stop_named, "stop_named", True},
        {"__cyg_profile_func_enter", enter_function, "enter_function", False},
        {"__cyg_profile_func_exit", leave_function, "leave_function", False},
    };
    for (UInt i = 0; i < sizeof entries / sizeof *entries; i++)
        if (VG_(strcmp)(function, entries[i].name) == 0)
            return &entries[i];
    return NULL;
}

/* ---- Threads -------------------------------------------------------------------------------- */

void memsig_begin_regions(void)
{
    static HChar none[] = "";
    names = VG_(HT_construct)("memsig.names");
    functions = VG_(HT_construct)("memsig.functions");
    edges = VG_(HT_construct)("memsig.edges");
    callers = VG_(HT_construct)("memsig.callers");
    stacks = VG_(calloc)("memsig.stacks", VG_N_THREADS, sizeof *stacks);
    stack = &stacks[1];
    new_region(NULL, none);
}

void memsig_thread_begins(ThreadId tid)
{
    stacks[tid].n = stacks[tid].nwatched = 0;
}

void memsig_regions_of(ThreadId tid)
{
    stack = &stacks[tid];
    go_on();
}
