/*
 * heap.c - reserves address space for the heap of a program. Valgrind reserves 8 MiB; beyond that,
 * C libraries allocate by other means and never return memory, which would distort the count of
 * first-touched pages. The linker option --wrap redirects Valgrind's requests for reservations to
 * this file.
 */
#include "pub_tool_aspacemgr.h"
#include "pub_tool_basics.h"

/*
 * Bounds of the size beyond Valgrind's own: as much as fits below the tool. A power of two leaves
 * the cache sets of later memory unchanged.
 */
static const SizeT MOST = 1UL << 30, LEAST = 1UL << 26;

Bool __real_vgPlain_am_create_reservation(Addr start, SizeT length, ShrinkMode mode, SSizeT extra);
Bool __wrap_vgPlain_am_create_reservation(Addr start, SizeT length, ShrinkMode mode, SSizeT extra);

/*
 * Create a reservation, enlarged if its lower end moves up (SmLower): a heap grows into it that
 * way, a stack does not.
 */
Bool __wrap_vgPlain_am_create_reservation(Addr start, SizeT length, ShrinkMode mode, SSizeT extra)
{
    for (SizeT more = MOST; mode == SmLower && more >= LEAST; more /= 2)
        if (__real_vgPlain_am_create_reservation(start, length + more, mode, extra))
            return True;
    return __real_vgPlain_am_create_reservation(start, length, mode, extra);
}
