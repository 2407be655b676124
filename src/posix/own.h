/*
 * own.h - calls that the timing library and its sisters make themselves, for reports, traces, and
 * salvage files: they are not the program's, and are left out. They are known by the address of the caller,
 * or by the stack: a static library and a second copy, which do this work on stacks of their own, register
 * those (core/own_stack.c).
 */
#ifndef GPTL_POSIX_OWN_H
#define GPTL_POSIX_OWN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "posix/fds.h"

/* Code of the libraries that are loaded by the name libgptl, and stacks. */
enum { GPTL_POSIX_MOST_OWN = 64 };
extern struct gptl_posix_own {
    _Atomic uintptr_t begin, size;
} gptl_posix_own[GPTL_POSIX_MOST_OWN];
extern atomic_uint gptl_posix_nown;
void gptl_posix_find_own(void);
__attribute__((visibility("default"))) void gptl_posix_add_own(uintptr_t begin, size_t size);

static inline bool gptl_posix_is_own(const void *caller, const void *stack)
{
    unsigned n = atomic_load_explicit(&gptl_posix_nown, memory_order_relaxed);
    for (unsigned i = 0; i < n && i < GPTL_POSIX_MOST_OWN; i++) {
        struct gptl_posix_own *own = &gptl_posix_own[i];
        uintptr_t begin = atomic_load_explicit(&own->begin, memory_order_relaxed);
        uintptr_t size = atomic_load_explicit(&own->size, memory_order_relaxed);
        if ((uintptr_t)caller - begin < size || (uintptr_t)stack - begin < size)
            return true;
    }
    return false;
}

/* In a wrapper: whether one of these called it. */
#define GPTL_POSIX_IS_OWN                                                                          \
    __builtin_expect(gptl_posix_is_own(__builtin_return_address(0), __builtin_frame_address(0)), 0)

/* The same for one that opened FD, whose calls are then left out as well. */
static inline bool gptl_posix_left_out(bool is_own, int fd)
{
    if (is_own)
        gptl_posix_set(fd, (uint32_t)GPTL_POSIX_ANONYMOUS << GPTL_POSIX_KIND_SHIFT);
    return is_own;
}

#endif
