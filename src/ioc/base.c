/*
 * base.c - the file of each descriptor, and its offset if known, before the oldest record in
 * memory.
 *
 * Chunks leave memory one at a time, and chunks of different threads overlap in time: of two
 * records about one descriptor the later one counts, in any order of processing.
 */
#include "config.h"

#include "ioc/base.h"

#include <stdatomic.h>
#include <stddef.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>

#include "ioc/kept.h"
#include "posix/apart.h"
#include "posix/posix.h"
#include "posix/raw.h"

/*
 * Descriptors that a new process queries for their offset, at most: programs have had 100,000 open.
 */
enum { MOST_ASKED = 1024 };

struct holding {
    gptl_raw_signals signals;
    bool is_blocked;
};

/*
 * Lock the table, with signals blocked, because a thread canceled here would never unlock it.
 * Return false after too many attempts; the caller then continues without the table.
 */
static bool take(struct holding *holding)
{
    atomic_flag *changing = &gptl_ioc_kept.head->base_changing;
    holding->is_blocked = !gptl_posix_is_sealed;
    if (!holding->is_blocked) /* one attempt, without a system call */
        return !atomic_flag_test_and_set_explicit(changing, memory_order_acquire);
    gptl_ioc_kept_block(&holding->signals);
    for (int i = 0; i < 100000; i++) {
        if (!atomic_flag_test_and_set_explicit(changing, memory_order_acquire))
            return true;
        sched_yield();
    }
    gptl_raw_unblock(&holding->signals);
    return false;
}

static void give(const struct holding *holding)
{
    atomic_flag_clear_explicit(&gptl_ioc_kept.head->base_changing, memory_order_release);
    if (holding->is_blocked)
        gptl_raw_unblock(&holding->signals);
}

static int end_of_base(void)
{
    return gptl_ioc_kept.head->base_end;
}

static struct gptl_ioc_open *at(int fd)
{
    if (fd < 0 || fd >= GPTL_POSIX_NFDS)
        return NULL;
    if (fd >= end_of_base()) {
        if (!gptl_ioc_kept_base(fd))
            return NULL;
        gptl_ioc_kept.head->base_end = fd + 1;
    }
    return &gptl_ioc_kept.base[fd];
}

static void set(int fd, uint64_t time, int64_t file, int64_t offset)
{
    struct gptl_ioc_open *o = at(fd);
    if (o && time >= o->time)
        *o = (struct gptl_ioc_open){time, offset, (uint32_t)file, (uint32_t)((uint64_t)file >> 32),
                                    0};
}

static void move(int fd, int64_t bytes)
{
    struct gptl_ioc_open *o = at(fd);
    if (o && o->offset >= 0 && bytes > 0)
        o->offset += bytes;
}

static void forget_offset(int fd)
{
    struct gptl_ioc_open *o = at(fd);
    if (o)
        o->offset = -1;
}

static void pass_extension(const struct gptl_ioc_record *call, const struct gptl_ioc_record *r,
                           uint64_t time)
{
    struct gptl_ioc_open *o;
    switch (gptl_ioc_kind(r)) {
    case GPTL_IOC_FOUND:
        set(r->fd, time, r->data, -1);
        break;
    case GPTL_IOC_POSITION:
        if ((o = at(r->fd)))
            o->offset = r->data;
        break;
    case GPTL_IOC_MADE:
        set(r->fd, time, r->data, gptl_ioc_value(r) ? -1 : 0);
        if (gptl_ioc_value(r))
            forget_offset(call->fd);
        break;
    case GPTL_IOC_GONE:
        for (int64_t fd = r->fd; fd <= r->data && fd < end_of_base(); fd++)
            set((int)fd, time, 0, -1);
        break;
    case GPTL_IOC_SECOND:
        if (r->data < 0)
            move(r->fd, call->data);
        break;
    default:
        break;
    }
}

/* Apply the effects of CALL and of the extensions after it to the descriptors. */
static void pass_call(const struct gptl_ioc_record *call, const struct gptl_ioc_record *end_of_all,
                      uint64_t time)
{
    bool has_at = false;
    for (const struct gptl_ioc_record *r = call + 1;
         r < end_of_all && gptl_ioc_type(r) == GPTL_IOC_EXTENSION; r++) {
        has_at |= gptl_ioc_kind(r) == GPTL_IOC_AT;
        pass_extension(call, r, time);
    }
    switch (gptl_ioc_type(call)) {
    case GPTL_IOC_OPEN:
    case GPTL_IOC_CREAT:
        set(call->fd, time, call->data, 0);
        break;
    case GPTL_IOC_CLOSE:
        if (call->data == 0)
            set(call->fd, time, 0, -1);
        break;
    case GPTL_IOC_READ:
    case GPTL_IOC_WRITE:
        if (!has_at)
            move(call->fd, call->data);
        break;
    case GPTL_IOC_LSEEK:
        if (call->data >= 0 && at(call->fd))
            at(call->fd)->offset = call->data;
        break;
    default:
        break;
    }
}

uint64_t gptl_ioc_base_pass(const struct gptl_ioc_record *start,
                            const struct gptl_ioc_record *records, uint32_t n)
{
    struct holding holding;
    bool taken = take(&holding);
    uint64_t time = (uint64_t)start->data, calls = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct gptl_ioc_record *r = &records[i];
        if (gptl_ioc_type(r) == GPTL_IOC_START) {
            time = (uint64_t)r->data;
        } else if (gptl_ioc_type(r) <= GPTL_IOC_OTHER) {
            bool is_long = gptl_ioc_bits(r) == GPTL_IOC_LONG_GAP && i + 1 < n;
            time += is_long ? (uint64_t)r[1].data : gptl_ioc_bits(r);
            if (taken)
                pass_call(r, records + n, time);
            calls++;
        }
    }
    if (taken)
        give(&holding);
    return calls;
}

void gptl_ioc_base_child(void)
{
    int now = gptl_posix_fds_end();
    for (int fd = 0; fd < now; fd++) {
        uint32_t entry = gptl_posix_fds[fd].entry;
        if (!(entry & GPTL_POSIX_FILE_MASK))
            continue;
        struct gptl_ioc_open *o = at(fd);
        *o = (struct gptl_ioc_open){0, -1, entry & GPTL_POSIX_FILE_MASK, 0, 0};
        if (fd >= MOST_ASKED)
            continue;
        o->offset = gptl_kernel_call(SYS_lseek, fd, 0, SEEK_CUR);
        long flags = gptl_kernel_call(SYS_fcntl, fd, F_GETFL);
        o->flags = flags < 0 ? 0 : (uint32_t)flags;
    }
}

bool gptl_ioc_base_next(int fd, struct gptl_ioc_descriptor *out)
{
    for (; fd < end_of_base(); fd++) {
        const struct gptl_ioc_open *o = &gptl_ioc_kept.base[fd];
        if (o->file == 0)
            continue;
        *out = (struct gptl_ioc_descriptor){fd, o->file, o->offset, o->flags, 0};
        return true;
    }
    return false;
}
