/* functions.c - unique functions that contain blocks. */
#include "blocks.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

struct function *memsig_functions;

struct node {
    VgHashNode node;
    struct function function;
};
static VgHashTable *table;
static UInt number;

static UWord hash(UWord value, const HChar *text)
{
    for (; *text; text++)
        value = (value ^ (UChar)*text) * 0x100000001b3UL;
    return (value ^ 0xff) * 0x100000001b3UL;
}

static Word compare(const void *a, const void *b)
{
    const struct function *x = &((const struct node *)a)->function;
    const struct function *y = &((const struct node *)b)->function;
    Int order = VG_(strcmp)(x->name, y->name);
    if (order == 0)
        order = VG_(strcmp)(x->file, y->file);
    return order ? order : VG_(strcmp)(x->module, y->module);
}

struct function *memsig_function(const HChar *name, const HChar *file, const HChar *module)
{
    struct node wanted = {.function = {.name = name, .file = file, .module = module}};
    wanted.node.key = hash(hash(hash(0xcbf29ce484222325UL, name), file), module);
    if (!table)
        table = VG_(HT_construct)("memsig.functions");
    struct node *found = VG_(HT_gen_lookup)(table, &wanted, compare);
    if (found)
        return &found->function;
    found = VG_(calloc)("memsig.function", 1, sizeof *found);
    found->node.key = wanted.node.key;
    found->function.next = memsig_functions;
    found->function.number = number++;
    found->function.name = VG_(strdup)("memsig.name", name);
    found->function.file = VG_(strdup)("memsig.name", file);
    found->function.module = VG_(strdup)("memsig.name", module);
    VG_(HT_add_node)(table, found);
    memsig_functions = &found->function;
    return memsig_functions;
}
