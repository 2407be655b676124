/*
 * own.h - calls that the timing library and its sisters make themselves, for reports, traces, and
 * salvage files: they are not the program's, and are left out. They are known by the address that called.
 */
#ifndef GPTL_POSIX_OWN_H
#define GPTL_POSIX_OWN_H

#include <stdbool.h>
#include <stdint.h>

#include "posix/fds.h"

/* Where the libraries lie that are loaded by the name libgptl; not, where one is in the program itself. */
enum { GPTL_POSIX_MOST_OWN = 16 };
extern struct gptl_posix_own {
    uintptr_t begin, size;
} gptl_posix_own[GPTL_POSIX_MOST_OWN];
extern unsigned gptl_posix_nown;
void gptl_posix_find_own(void);

static inline bool gptl_posix_is_own(const void *caller)
{
    for (unsigned i = 0; i < gptl_posix_nown; i++)
        if ((uintptr_t)caller - gptl_posix_own[i].begin < gptl_posix_own[i].size)
            return true;
    return false;
}

/* In a wrapper: whether one of these called it. */
#define GPTL_POSIX_IS_OWN __builtin_expect(gptl_posix_is_own(__builtin_return_address(0)), 0)

/* The same for one that opened FD, whose calls are then left out as well. */
static inline bool gptl_posix_left_out(bool is_own, int fd)
{
    if (is_own)
        gptl_posix_set(fd, (uint32_t)GPTL_POSIX_ANONYMOUS << GPTL_POSIX_KIND_SHIFT);
    return is_own;
}

#endif
