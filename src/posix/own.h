/*
 * own.h - calls that the timing library makes itself, for its reports and salvage files: they are not
 * the program's, and are left out. They are known by the address that called.
 */
#ifndef GPTL_POSIX_OWN_H
#define GPTL_POSIX_OWN_H

#include <stdbool.h>
#include <stdint.h>

#include "posix/fds.h"

/* Where libgptl.so lies; nothing, where it is not loaded, or linked into the program. */
extern uintptr_t gptl_posix_own_begin, gptl_posix_own_size;
void gptl_posix_find_own(void);

/* In a wrapper: whether the timing library called it. */
#define GPTL_POSIX_IS_OWN                                                                          \
    __builtin_expect(                                                                              \
        (uintptr_t)__builtin_return_address(0) - gptl_posix_own_begin < gptl_posix_own_size, 0)

/* The same for one that opened FD, whose calls are then left out as well. */
static inline bool gptl_posix_left_out(bool is_own, int fd)
{
    if (is_own)
        gptl_posix_set(fd, (uint32_t)GPTL_POSIX_ANONYMOUS << GPTL_POSIX_KIND_SHIFT);
    return is_own;
}

#endif
