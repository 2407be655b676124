/*
 * fds.c - what each descriptor is.
 *
 * A descriptor that is not in the table was inherited, or made by a call that is not seen: it is
 * looked at when it is first used.
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

uint32_t gptl_posix_fds[GPTL_POSIX_NFDS];

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
        entry |= GPTL_POSIX_OFFERED;
    return entry;
}

void gptl_posix_set(int fd, uint32_t entry)
{
    if (fd < 0 || fd >= GPTL_POSIX_NFDS || gptl_posix_is_child_of_vfork())
        return;
    __atomic_store_n(&gptl_posix_fds[fd], entry, __ATOMIC_RELAXED);
    int now = atomic_load_explicit(&end, memory_order_relaxed);
    while (fd >= now && !atomic_compare_exchange_weak(&end, &now, fd + 1))
        continue;
}

uint32_t gptl_posix_take(int fd)
{
    if (fd < 0 || fd >= GPTL_POSIX_NFDS || gptl_posix_is_child_of_vfork())
        return 0;
    /* Not an exchange, which costs more: who closes a descriptor twice at once has other worries. */
    uint32_t entry = __atomic_load_n(&gptl_posix_fds[fd], __ATOMIC_RELAXED);
    if (entry)
        __atomic_store_n(&gptl_posix_fds[fd], 0, __ATOMIC_RELAXED);
    return entry;
}

uint32_t gptl_posix_opened(int fd, struct gptl_posix_file *file)
{
    struct stat s;
    enum gptl_posix_kind kind =
        file ? (enum gptl_posix_kind)__atomic_load_n(&file->kind, __ATOMIC_ACQUIRE)
             : GPTL_POSIX_UNKNOWN;
    if (kind == GPTL_POSIX_UNKNOWN) {
        if (gptl_raw_fstat(fd, &s) != 0)
            return 0;
        kind = gptl_posix_kind_of(&s);
        if (file)
            gptl_posix_describe(file, &s);
    }
    uint32_t entry = entry_of(gptl_posix_number(file), kind);
    gptl_posix_set(fd, entry);
    return entry;
}

static struct gptl_posix_file *name_of(int fd)
{
    char link[40] = "/proc/self/fd/", *path = gptl_posix_scratch_take();
    gptl_raw_decimal(link + strlen(link), (uint64_t)fd);
    ssize_t n = path ? gptl_raw_readlink(link, path, PATH_MAX) : 0;
    struct gptl_posix_file *file =
        n > 0 ? gptl_posix_name_at(0, path, (size_t)n)
              : gptl_posix_name_at(0, link, strlen(link)); /* there is no /proc */
    gptl_posix_scratch_give(path);
    return file;
}

/* What a sink is told of FD, which S is the status of. Returns the number of its name. */
static uint32_t describe(int fd, const struct stat *s, struct gptl_posix_found *found)
{
    struct gptl_posix_file *file = name_of(fd);
    if (file && file->kind == GPTL_POSIX_UNKNOWN)
        gptl_posix_describe(file, s);
    long flags = gptl_kernel_call(SYS_fcntl, fd, F_GETFL);
    found->fd = fd;
    found->file = gptl_posix_number(file) | (uint64_t)(flags < 0 ? 0 : flags) << 32;
    found->position = S_ISREG(s->st_mode) ? gptl_raw_lseek(fd, 0, SEEK_CUR) : -1;
    return gptl_posix_number(file);
}

uint32_t gptl_posix_look(int fd, struct gptl_posix_found *found, bool *new)
{
    struct stat s;
    *new = false;
    if (fd < 0)
        return 0;
    if (fd < GPTL_POSIX_NFDS) {
        uint32_t known = __atomic_load_n(&gptl_posix_fds[fd], __ATOMIC_RELAXED);
        if (known)
            return known;
    }
    int error = errno;
    uint32_t entry = 0;
    if (gptl_raw_fstat(fd, &s) == 0) {
        entry = entry_of(0, gptl_posix_kind_of(&s));
        /* Of the others nobody asks for more; a program may open sockets by the hundred. */
        if (entry & GPTL_POSIX_OFFERED) {
            entry |= describe(fd, &s, found);
            *new = true;
        }
        gptl_posix_set(fd, entry);
    }
    errno = error;
    return entry;
}
