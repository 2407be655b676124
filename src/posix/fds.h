/* fds.h - the table of open descriptors, which the wrappers maintain and read at each call. */
#ifndef GPTL_POSIX_FDS_H
#define GPTL_POSIX_FDS_H

#include <stdbool.h>
#include <stdint.h>

#include "posix/posix.h"

/*
 * Bits of an entry next to file number and kind. SHORT: only one thread of this process moves the
 * offset, so the log's reader derives the offset of a plain read or write from the preceding calls.
 * APPENDS: writes go to the end of the file.
 */
#define GPTL_POSIX_APPENDS (1u << GPTL_POSIX_FILE_BITS)
#define GPTL_POSIX_SHORT (1u << 30)
/* Calls on this descriptor are reported to the sinks. */
#define GPTL_POSIX_OFFERED (1u << 31)

/*
 * Owner value of a descriptor that shares its offset with other threads, processes or duplicates.
 */
#define GPTL_POSIX_SHARED UINT32_MAX

/* Return the entry of FD, or 0 if it is unknown. */
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
 * Return the entry of FD. If it is unknown, query the kernel, fill in *FOUND and set *NEW. Return 0
 * if FD is not open.
 */
uint32_t gptl_posix_look(int fd, struct gptl_posix_found *found, bool *new);

/*
 * Enter FD, opened with FLAGS, as FILE, and return its entry. The first opening determines the
 * file's kind.
 */
uint32_t gptl_posix_opened(int fd, struct gptl_posix_file *file, int flags);
/*
 * Mark FD as sharing its offset from now on. gptl_posix_share_all marks all descriptors, before a
 * child inherits them.
 */
void gptl_posix_share(int fd);
void gptl_posix_share_all(void);
/* Record whether writes to FD append from now on. */
void gptl_posix_appends(int fd, bool appends);
/* Set the entry of FD. */
void gptl_posix_set(int fd, uint32_t entry);
/* Remove FD from the table before it is closed. Return its previous entry. */
uint32_t gptl_posix_take(int fd);

#endif
