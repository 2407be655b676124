/* fds.h - what each descriptor is: a table that the wrappers keep, and read at each call. */
#ifndef GPTL_POSIX_FDS_H
#define GPTL_POSIX_FDS_H

#include <stdbool.h>
#include <stdint.h>

#include "posix/posix.h"

/* The bit that says that calls on this descriptor are offered. */
#define GPTL_POSIX_OFFERED (1u << 31)

static inline __attribute__((always_inline)) bool gptl_posix_is_offered(int fd)
{
    return (unsigned)fd < GPTL_POSIX_NFDS &&
           (__atomic_load_n(&gptl_posix_fds[fd], __ATOMIC_RELAXED) & GPTL_POSIX_OFFERED);
}

/* What FD is known to be; 0: nothing. */
static inline uint32_t gptl_posix_entry(int fd)
{
    return (unsigned)fd < GPTL_POSIX_NFDS ? __atomic_load_n(&gptl_posix_fds[fd], __ATOMIC_RELAXED)
                                          : 0;
}

/*
 * What FD is; looks when it is not known, and then fills in *FOUND and sets *NEW. Returns 0 when it
 * is not open.
 */
uint32_t gptl_posix_look(int fd, struct gptl_posix_found *found, bool *new);

/* FD was opened: it is FILE, whose kind is found out when it is open for the first time. */
uint32_t gptl_posix_opened(int fd, struct gptl_posix_file *file);
/* FD is now what ENTRY is. */
void gptl_posix_set(int fd, uint32_t entry);
/* FD is about to be closed. Returns what it was. */
uint32_t gptl_posix_take(int fd);

#endif
