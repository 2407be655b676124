/*
 * own.h - recognizes calls made by the timing library and its companion libraries for reports,
 * traces and salvage files. They are not the program's calls and are excluded. The caller's address
 * or the stack identifies them: a static library and a second copy, which do this work on separate
 * stacks, register those stacks (core/own_stack.c).
 */
#ifndef GPTL_POSIX_OWN_H
#define GPTL_POSIX_OWN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "posix/fds.h"

/* Address ranges: code of loaded libraries named libgptl*, and registered stacks. */
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

/* In a wrapper: true if one of these libraries called it. */
#define GPTL_POSIX_IS_OWN                                                                          \
    __builtin_expect(gptl_posix_is_own(__builtin_return_address(0), __builtin_frame_address(0)), 0)

/*
 * Return IS_OWN, the result of GPTL_POSIX_IS_OWN for a call that opened FD. If it is true, exclude
 * later calls on FD too.
 */
static inline bool gptl_posix_left_out(bool is_own, int fd)
{
    if (is_own)
        gptl_posix_set(fd, (uint32_t)GPTL_POSIX_ANONYMOUS << GPTL_POSIX_KIND_SHIFT);
    return is_own;
}

#endif
