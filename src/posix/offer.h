/*
 * offer.h - reports calls from wrappers to sinks: the fast paths inline, the other cases in
 * offer.c.
 */
#ifndef GPTL_POSIX_OFFER_H
#define GPTL_POSIX_OFFER_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/counter.h"
#include "posix/fds.h"
#include "posix/posix.h"

/* The active sinks; ends with NULL. */
extern const struct gptl_posix_sink *gptl_posix_active[];
extern bool gptl_posix_wants_start;

/*
 * This thread is in vfork: until the parent resumes, the child uses the parent's memory, including
 * this variable, and the child's calls do not belong to the parent.
 */
extern __thread bool gptl_posix_vforked __attribute__((tls_model("initial-exec")));
/* Return true if the parent has resumed. */
bool gptl_posix_vfork_ended(void);

static inline bool gptl_posix_is_child_of_vfork(void)
{
    return __builtin_expect(gptl_posix_vforked, 0) && !gptl_posix_vfork_ended();
}

/* Return true if a sink wants this thread's calls. */
static inline bool gptl_posix_is_active(void)
{
    return gptl_posix_active[0] && !gptl_posix_is_child_of_vfork();
}

#define OFFER(member, ...)                                                                         \
    for (const struct gptl_posix_sink *const *offered = gptl_posix_active; *offered; offered++)    \
    (*offered)->member(__VA_ARGS__)

static inline __attribute__((always_inline)) uint64_t gptl_posix_start(void)
{
    return __builtin_expect(gptl_posix_wants_start, 0) ? gptl_counter_read() : 0;
}

/*
 * Report a call that transferred RESULT bytes, if that differs from ASKED or the descriptor is
 * unknown.
 */
void gptl_posix_moved_else(enum gptl_posix_type type, unsigned call, int fd, int64_t result,
                           int64_t asked, uint64_t start);
void gptl_posix_moved_at_else(enum gptl_posix_type type, unsigned call, int fd, int64_t result,
                              int64_t asked, int64_t offset, uint64_t start);
/*
 * Report a call on a descriptor that failed, or on an unknown descriptor. DATA: the recorded value
 * on success.
 */
void gptl_posix_status_else(enum gptl_posix_type type, unsigned call, int fd, int64_t result,
                            int64_t data, int64_t argument, int64_t value, uint64_t start);

static inline __attribute__((always_inline)) void gptl_posix_moved(enum gptl_posix_type type,
                                                                   unsigned call, int fd,
                                                                   int64_t result, int64_t asked,
                                                                   uint64_t start)
{
    if (__builtin_expect(result >= 0 && result == asked && gptl_posix_is_short(fd), 1)) {
        if (call)
            OFFER(named, type, call, fd, result, start);
        else
            OFFER(plain, type, fd, result, start);
    } else if (!call && result >= 0 && gptl_posix_is_short(fd)) { /* at the end of a file */
        OFFER(fewer, type, fd, result, asked, start);
    } else {
        gptl_posix_moved_else(type, call, fd, result, asked, start);
    }
}

static inline __attribute__((always_inline)) void gptl_posix_moved_at(enum gptl_posix_type type,
                                                                      unsigned call, int fd,
                                                                      int64_t result, int64_t asked,
                                                                      int64_t offset,
                                                                      uint64_t start)
{
    if (__builtin_expect(result >= 0 && result == asked && gptl_posix_is_offered(fd), 1))
        OFFER(at, type, call, fd, result, offset, start);
    else
        gptl_posix_moved_at_else(type, call, fd, result, asked, offset, start);
}

static inline __attribute__((always_inline)) void gptl_posix_status(enum gptl_posix_type type,
                                                                    unsigned call, int fd,
                                                                    int64_t result, int64_t data,
                                                                    uint64_t start)
{
    if (__builtin_expect(result >= 0 && gptl_posix_is_offered(fd), 1)) {
        if (call)
            OFFER(named, type, call, fd, data, start);
        else
            OFFER(plain, type, fd, data, start);
    } else {
        gptl_posix_status_else(type, call, fd, result, data, 0, 0, start);
    }
}

/*
 * Return an event with TYPE, CALL, FD and START; data is RESULT, or -errno if RESULT is negative.
 */
struct gptl_posix_event gptl_posix_event(enum gptl_posix_type type, unsigned call, int fd,
                                         int64_t result, uint64_t start);
/* Add a description of FD to EVENT if FD was unknown. Return true if calls on FD are reported. */
bool gptl_posix_identify(struct gptl_posix_event *event, int fd);
/* Add the offset of FD at the beginning of the call; -1: unknown. */
static inline void gptl_posix_place(struct gptl_posix_event *event, int fd, int64_t offset)
{
    event->positions[event->npositions].fd = fd;
    event->positions[event->npositions++].offset = offset;
}
/* Report EVENT to the sinks, then set errno to ERROR, its value at the beginning of the event. */
void gptl_posix_offer(const struct gptl_posix_event *event, int error);

/* Report a call that names PATH and, unless NULL, PATH2. */
void gptl_posix_offer_paths(unsigned call, int64_t result, int argument, int dir, const char *path,
                            int dir2, const char *path2, uint64_t start);

#endif
