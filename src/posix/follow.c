/* follow.c - offsets of descriptors that other threads or processes move as well. */
#include "config.h"

#include "posix/follow.h"

#include "posix/apart.h"
#include "posix/fds.h"
#include "posix/raw.h"

static bool has_offset(uint32_t entry)
{
    return (entry & GPTL_POSIX_OFFERED) &&
           (entry >> GPTL_POSIX_KIND_SHIFT & 7) == GPTL_POSIX_REGULAR;
}

bool gptl_posix_must_follow(int fd)
{
    uint32_t entry = gptl_posix_entry(fd), owner = 0, me = gptl_posix_thread();
    if ((unsigned)fd >= GPTL_POSIX_NFDS || !gptl_posix_is_active())
        return false;
    if (entry == 0) /* unknown */
        return true;
    if (!has_offset(entry)) { /* a pipe: this thread need not ask again */
        __atomic_compare_exchange_n(&gptl_posix_fds[fd].owner, &owner, me, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
        return false;
    }
    bool is_mine = __atomic_compare_exchange_n(&gptl_posix_fds[fd].owner, &owner, me, false,
                                               __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ||
                   owner == me;
    if (!is_mine && owner != GPTL_POSIX_SHARED)
        gptl_posix_share(fd);
    return !is_mine || (entry & GPTL_POSIX_APPENDS);
}

/* Preserves the program's errno. */
void gptl_posix_follow(struct gptl_posix_following *f, int fd)
{
    struct stat s;
    int error = errno;
    uint32_t entry = gptl_posix_look(fd, &f->found, &f->is_new);
    f->is_followed = has_offset(entry);
    f->before = f->size = -1;
    if (f->is_followed && !gptl_posix_is_sealed)
        f->before = gptl_raw_lseek(fd, 0, SEEK_CUR);
    if (f->before >= 0 && entry & GPTL_POSIX_APPENDS && gptl_raw_fstat(fd, &s) == 0)
        f->size = s.st_size;
    errno = error;
}

static int64_t place_of(const struct gptl_posix_following *f, int fd, int64_t n, bool writes)
{
    int64_t after = gptl_posix_is_sealed ? -1 : gptl_raw_lseek(fd, 0, SEEK_CUR);
    if (f->before < 0 || after < n)
        return -1;
    if (after - f->before == n)
        return f->before;
    if (!writes || !(gptl_posix_entry(fd) & GPTL_POSIX_APPENDS))
        return -1;
    /*
     * Others may lengthen the file. If they do not share this offset, it determines where we wrote.
     */
    bool is_shared =
        __atomic_load_n(&gptl_posix_fds[fd].owner, __ATOMIC_RELAXED) == GPTL_POSIX_SHARED;
    return !is_shared || after == f->size + n ? after - n : -1;
}

void gptl_posix_followed(const struct gptl_posix_following *f, struct gptl_posix_event *event,
                         int fd, bool writes)
{
    if (f->is_new)
        event->found[event->nfound++] = f->found;
    if (f->is_followed && event->data > 0)
        gptl_posix_place(event, fd, place_of(f, fd, event->data, writes));
}

/* Separate from the plain case, whose stack frame would otherwise hold the event too. */
static __attribute__((noinline)) void tell(const struct gptl_posix_following *f,
                                           enum gptl_posix_type type, unsigned call, int fd,
                                           int64_t result, int64_t asked, uint64_t start)
{
    int error = errno;
    struct gptl_posix_event event = gptl_posix_event(type, call, fd, result, start);
    event.has_asked = result != asked;
    event.asked = asked;
    gptl_posix_followed(f, &event, fd, type == GPTL_POSIX_WRITE);
    gptl_posix_offer(&event, error);
}

void gptl_posix_moved_followed(const struct gptl_posix_following *f, enum gptl_posix_type type,
                               unsigned call, int fd, int64_t result, int64_t asked, uint64_t start)
{
    if (f->is_followed || f->is_new)
        tell(f, type, call, fd, result, asked, start);
    else
        gptl_posix_moved(type, call, fd, result, asked, start);
}
