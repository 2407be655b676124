/* fds.h - what each descriptor is: a table that the wrappers keep, and read at each call. */
#ifndef GPTL_POSIX_FDS_H
#define GPTL_POSIX_FDS_H

#include <stdbool.h>
#include <stdint.h>

#include "posix/posix.h"

/*
 * Bits of an entry, beside file number and kind. SHORT: what a plain read or write moves, the log's reader
 * can tell from the calls before it, since only one thread of this process makes them. With APPEND, writes go
 * to the end of the file.
 */
#define GPTL_POSIX_APPENDS (1u << GPTL_POSIX_FILE_BITS)
#define GPTL_POSIX_SHORT (1u << 30)
/* Calls on this descriptor are offered. */
#define GPTL_POSIX_OFFERED (1u << 31)

/* An owner, for descriptors that share their offset: with other threads, processes, or duplicates. */
#define GPTL_POSIX_SHARED UINT32_MAX

/* What FD is known to be; 0: nothing. */
static inline __attribute__((always_inline)) uint32_t gptl_posix_entry(int fd)
{
    return (unsigned)fd < GPTL_POSIX_NFDS
               ? __atomic_load_n(&gptl_posix_fds[fd].entry, __ATOMIC_RELAXED)
               : 0;
}

static inline __attribute__((always_inline)) bool gptl_posix_is_offered(int fd)
{
    return gptl_posix_entry(fd) & GPTL_POSIX_OFFERED;
}

static inline __attribute__((always_inline)) bool gptl_posix_is_short(int fd)
{
    return gptl_posix_entry(fd) & GPTL_POSIX_SHORT;
}

/*
 * What FD is; looks when it is not known, and then fills in *FOUND and sets *NEW. Returns 0 when it
 * is not open.
 */
uint32_t gptl_posix_look(int fd, struct gptl_posix_found *found, bool *new);

/* FD was opened with FLAGS: it is FILE, whose kind is found out when it is open for the first time. */
uint32_t gptl_posix_opened(int fd, struct gptl_posix_file *file, int flags);
/* FD shares its offset from here on; all descriptors do, when a child is about to get them. */
void gptl_posix_share(int fd);
void gptl_posix_share_all(void);
/* FD appends from here on, or no longer. */
void gptl_posix_appends(int fd, bool appends);
/* FD is now what ENTRY is. */
void gptl_posix_set(int fd, uint32_t entry);
/* FD is about to be closed. Returns what it was. */
uint32_t gptl_posix_take(int fd);

#endif
