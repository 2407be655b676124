/*
 * heap.c - room for the heap of a program. Valgrind reserves 8 MiB of addresses for it; beyond, C libraries take memory in
 * another way, and give none back, but how often a program gets pages anew is counted. So what Valgrind asks its own
 * keeper of addresses for comes here first: the linker sees to that (--wrap).
 */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"

/* Beyond Valgrind's own, as much as there is room for before the tool. What comes behind stays in the same sets of caches. */
static const SizeT MOST = 1UL << 30, LEAST = 1UL << 26;

Bool __real_vgPlain_am_create_reservation(Addr start, SizeT length, ShrinkMode mode, SSizeT extra);
Bool __wrap_vgPlain_am_create_reservation(Addr start, SizeT length, ShrinkMode mode, SSizeT extra);

/* The lower end of a reservation moves up as a heap grows; that of a stack does not. */
Bool __wrap_vgPlain_am_create_reservation(Addr start, SizeT length, ShrinkMode mode, SSizeT extra)
{
    for (SizeT more = MOST; mode == SmLower && more >= LEAST; more /= 2)
        if (__real_vgPlain_am_create_reservation(start, length + more, mode, extra))
            return True;
    return __real_vgPlain_am_create_reservation(start, length, mode, extra);
}
