/*
 * fds.c - the table of open descriptors.
 *
 * A descriptor that is missing in the table was inherited, or opened by a call without a wrapper.
 * Its first use queries the kernel.
 */
#include "config.h"

#include "posix/fds.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>

#include "posix/apart.h"
#include "posix/files.h"
#include "posix/next.h"
#include "posix/offer.h"
#include "posix/raw.h"

struct gptl_posix_fd gptl_posix_fds[GPTL_POSIX_NFDS];

static atomic_int end;
static bool all_kinds;

void gptl_posix_want_all_kinds(void)
{
    all_kinds = true;
}

int gptl_posix_fds_end(void)
{
    return atomic_load(&end);
}

static uint32_t entry_of(uint32_t number, enum gptl_posix_kind kind)
{
    uint32_t entry = number | (uint32_t)kind << GPTL_POSIX_KIND_SHIFT;
    if (all_kinds || kind == GPTL_POSIX_REGULAR || kind == GPTL_POSIX_DIRECTORY)
        entry |= GPTL_POSIX_OFFERED | GPTL_POSIX_SHORT;
    return entry;
}

static bool has_offset(uint32_t entry)
{
    return (entry & GPTL_POSIX_OFFERED) &&
           (entry >> GPTL_POSIX_KIND_SHIFT & 7) == GPTL_POSIX_REGULAR;
}

void gptl_posix_set(int fd, uint32_t entry)
{
    if (fd < 0 || fd >= GPTL_POSIX_NFDS || gptl_posix_is_child_of_vfork())
        return;
    __atomic_store_n(&gptl_posix_fds[fd].owner, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&gptl_posix_fds[fd].entry, entry, __ATOMIC_RELAXED);
    int now = atomic_load_explicit(&end, memory_order_relaxed);
    while (fd >= now && !atomic_compare_exchange_weak(&end, &now, fd + 1))
        continue;
}

uint32_t gptl_posix_take(int fd)
{
    if (fd < 0 || fd >= GPTL_POSIX_NFDS || gptl_posix_is_child_of_vfork())
        return 0;
    /*
     * No atomic exchange, which is slower: closing a descriptor in two threads at once is an error
     * anyway.
     */
    uint32_t entry = gptl_posix_entry(fd);
    if (entry)
        __atomic_store_n(&gptl_posix_fds[fd].entry, 0, __ATOMIC_RELAXED);
    return entry;
}

/*
 * Set the owner before clearing the bit: a call that still sees the bit began before the sharing.
 */
void gptl_posix_share(int fd)
{
    if (!has_offset(gptl_posix_entry(fd)))
        return;
    __atomic_store_n(&gptl_posix_fds[fd].owner, GPTL_POSIX_SHARED, __ATOMIC_SEQ_CST);
    __atomic_fetch_and(&gptl_posix_fds[fd].entry, ~GPTL_POSIX_SHORT, __ATOMIC_SEQ_CST);
}

void gptl_posix_share_all(void)
{
    for (int fd = 0, n = gptl_posix_fds_end(); fd < n; fd++)
        gptl_posix_share(fd);
}

void gptl_posix_appends(int fd, bool appends)
{
    if (!has_offset(gptl_posix_entry(fd)))
        return;
    if (appends) {
        __atomic_fetch_and(&gptl_posix_fds[fd].entry, ~GPTL_POSIX_SHORT, __ATOMIC_SEQ_CST);
        __atomic_fetch_or(&gptl_posix_fds[fd].entry, GPTL_POSIX_APPENDS, __ATOMIC_SEQ_CST);
        return;
    }
    /* The preceding calls do not determine the offset at this point. */
    if (gptl_posix_entry(fd) & GPTL_POSIX_APPENDS)
        gptl_posix_share(fd);
    __atomic_fetch_and(&gptl_posix_fds[fd].entry, ~GPTL_POSIX_APPENDS, __ATOMIC_SEQ_CST);
}

static struct gptl_posix_file *name_of(int fd)
{
    char link[40] = "/proc/self/fd/", *path = gptl_posix_scratch_take();
    gptl_raw_decimal(link + strlen(link), (uint64_t)fd);
    ssize_t n = path ? gptl_raw_readlink(link, path, PATH_MAX) : 0;
    struct gptl_posix_file *file =
        n > 0 ? gptl_posix_name_at(path[0] == '/' ? gptl_posix_root() : 0, path, (size_t)n)
              : gptl_posix_name_at(0, link, strlen(link)); /* /proc is not mounted */
    gptl_posix_scratch_give(path);
    return file;
}

uint32_t gptl_posix_opened(int fd, struct gptl_posix_file *file, int flags)
{
    struct gptl_posix_identity id = {.kind = GPTL_POSIX_UNKNOWN};
    if (gptl_posix_ask(fd, &id)) {
        if ((flags & O_TMPFILE) == O_TMPFILE) /* PATH names the directory of the new file */
            file = name_of(fd);
        if (file)
            file = gptl_posix_settle(file, &id);
    } else if (file) { /* assume the kind of its last use */
        id.kind = (enum gptl_posix_kind)__atomic_load_n(&file->kind, __ATOMIC_ACQUIRE);
    }
    if (id.kind == GPTL_POSIX_UNKNOWN)
        return 0;
    uint32_t entry = entry_of(gptl_posix_number(file), id.kind);
    gptl_posix_set(fd, entry);
    if (flags & O_APPEND)
        gptl_posix_appends(fd, true);
    return entry;
}

/* Fill in FOUND for FD, whose identity is ID, for the sinks. Return the number of its name. */
static uint32_t describe(int fd, const struct gptl_posix_identity *id,
                         struct gptl_posix_found *found)
{
    struct gptl_posix_file *file = name_of(fd);
    if (file)
        file = gptl_posix_settle(file, id);
    long flags = gptl_kernel_call(SYS_fcntl, fd, F_GETFL);
    found->fd = fd;
    found->file = gptl_posix_number(file) | (uint64_t)(flags < 0 ? 0 : flags) << 32;
    return gptl_posix_number(file);
}

uint32_t gptl_posix_look(int fd, struct gptl_posix_found *found, bool *new)
{
    struct gptl_posix_identity id;
    *new = false;
    if (fd < 0)
        return 0;
    uint32_t known = gptl_posix_entry(fd);
    if (known)
        return known;
    int error = errno;
    uint32_t entry = 0;
    if (gptl_posix_ask(fd, &id)) {
        entry = entry_of(0, id.kind);
        /* Other kinds need no name; a program may open hundreds of sockets. */
        if (entry & GPTL_POSIX_OFFERED) {
            entry |= describe(fd, &id, found);
            *new = true;
        }
        gptl_posix_set(fd, entry);
        if (*new) { /* the process that opened it may share it */
            gptl_posix_appends(fd, found->file >> 32 & O_APPEND);
            gptl_posix_share(fd);
        }
    }
    errno = error;
    return entry;
}
