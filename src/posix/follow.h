/*
 * follow.h - offsets of descriptors that other threads or processes move as well.
 *
 * If one thread of one process makes all calls on a descriptor, the preceding calls determine where
 * a plain read or write begins. Otherwise the kernel is asked before and after the call. If the
 * offset advanced by the transferred bytes, no other call intervened; if not, the offset is
 * unknown. A thread marks the descriptor as shared before it moves the offset, so a concurrent call
 * of another thread notices on return that its offset is unknown.
 */
#ifndef GPTL_POSIX_FOLLOW_H
#define GPTL_POSIX_FOLLOW_H

#include "posix/offer.h"
#include "posix/streams.h"

struct gptl_posix_following {
    bool is_followed, is_new;
    struct gptl_posix_found found;
    int64_t before, size; /* offset; file size in bytes if it appends */
};

/* Return a number that differs between threads that exist at the same time. */
static inline __attribute__((always_inline)) uint32_t gptl_posix_thread(void)
{
    return (uint32_t)((uintptr_t)&gptl_posix_thread_streams >> 3);
}

/*
 * Return true if calls on FD must be followed. A descriptor without an owner becomes this thread's.
 */
bool gptl_posix_must_follow(int fd);

/*
 * Like gptl_posix_must_follow, inlined for the case that this thread is the owner. Call it before
 * each call that moves FD's offset.
 */
static inline __attribute__((always_inline)) bool gptl_posix_is_others(int fd)
{
    return __builtin_expect((unsigned)fd >= GPTL_POSIX_NFDS ||
                                __atomic_load_n(&gptl_posix_fds[fd].owner, __ATOMIC_RELAXED) !=
                                    gptl_posix_thread(),
                            0) &&
           gptl_posix_must_follow(fd);
}

/* Read the offset of FD before a call that must be followed. */
void gptl_posix_follow(struct gptl_posix_following *f, int fd);
/* After the call: add the position of FD at its beginning to EVENT. */
void gptl_posix_followed(const struct gptl_posix_following *f, struct gptl_posix_event *event,
                         int fd, bool writes);

/* Report a complete call after gptl_posix_follow. */
void gptl_posix_moved_followed(const struct gptl_posix_following *f, enum gptl_posix_type type,
                               unsigned call, int fd, int64_t result, int64_t asked,
                               uint64_t start);

#endif
