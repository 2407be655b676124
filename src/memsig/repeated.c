/*
 * repeated.c - string instructions with a repeat prefix (rep movs, rep stos and similar). Valgrind
 * executes one element at a time; processors handle many at once. Therefore accesses are counted
 * per 32-byte piece, which covers the subsequent elements of the same repetition.
 */
#include "repeated.h"

#include "pub_tool_hashtable.h"
#include "pub_tool_mallocfree.h"

struct instruction {
    VgHashNode node;
    struct repeated accesses[2];
};

static Bool repeats(const UChar *code, UInt length)
{
    Bool repeated = False;
    for (UInt i = 0; i < length; i++)
        if (code[i] == 0xf2 || code[i] == 0xf3)
            repeated = True;
        else if (code[i] != 0x66 && code[i] >> 4 != 4) /* operand-size prefix, REX prefix */
            return repeated && i + 1 == length &&
                   /* movs, cmps; stos, lods, scas */
                   ((code[i] >= 0xa4 && code[i] <= 0xa7) || (code[i] >= 0xaa && code[i] <= 0xaf));
    return False;
}

struct repeated *memsig_repeated(Addr address, UInt length)
{
    static VgHashTable *instructions;
    if (!repeats((const UChar *)address, length))
        return NULL;
    if (!instructions)
        instructions = VG_(HT_construct)("memsig.repeated");
    struct instruction *found = VG_(HT_lookup)(instructions, address);
    if (!found) {
        found = VG_(calloc)("memsig.repeated", 1, sizeof *found);
        found->node.key = address;
        VG_(HT_add_node)(instructions, found);
    }
    return found->accesses;
}
