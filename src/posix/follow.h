/*
 * follow.h - offsets of descriptors that others move as well.
 *
 * Where a plain read or write begins, tell the calls before it, if one thread of one process makes them all.
 * Else the kernel is asked before and after the call: if it was moved by as many bytes as the call moved,
 * nobody else was there. Otherwise the offset is unknown. Who is about to move the offset says so before: a
 * call of another thread that is under way then finds, when it returns, that it does not know where it was.
 */
#ifndef GPTL_POSIX_FOLLOW_H
#define GPTL_POSIX_FOLLOW_H

#include "posix/offer.h"
#include "posix/streams.h"

struct gptl_posix_following {
    bool is_followed, is_new;
    struct gptl_posix_found found;
    int64_t before, size; /* offset; of one that appends, also bytes in the file */
};

/* Of two threads that are there at once these differ. */
static inline __attribute__((always_inline)) uint32_t gptl_posix_thread(void)
{
    return (uint32_t)((uintptr_t)&gptl_posix_thread_streams >> 3);
}

/* Whether FD must be followed; if it is nobody's yet, it is this thread's from here on. */
bool gptl_posix_must_follow(int fd);

/* The same, in line where it is this thread's. Before each call that moves FD's offset. */
static inline __attribute__((always_inline)) bool gptl_posix_is_others(int fd)
{
    return __builtin_expect((unsigned)fd >= GPTL_POSIX_NFDS ||
                                __atomic_load_n(&gptl_posix_fds[fd].owner, __ATOMIC_RELAXED) !=
                                    gptl_posix_thread(),
                            0) &&
           gptl_posix_must_follow(fd);
}

/* Around a call on FD that must be followed. */
void gptl_posix_follow(struct gptl_posix_following *f, int fd);
/* Says in EVENT, which the call made, where FD was. */
void gptl_posix_followed(const struct gptl_posix_following *f, struct gptl_posix_event *event,
                         int fd, bool writes);

/* A whole call: after gptl_posix_follow. */
void gptl_posix_moved_followed(const struct gptl_posix_following *f, enum gptl_posix_type type,
                               unsigned call, int fd, int64_t result, int64_t asked,
                               uint64_t start);

#endif
