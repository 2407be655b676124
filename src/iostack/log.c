/*
 * log.c - the log files: one per layer of the process, created with the first span.
 *
 * No descriptor stays open: daemons close all descriptors, and their next file would get the log's
 * number. A server that drops privileges cannot reopen its logs, so it maps space beforehand. Space
 * is allocated before use, because a store that a full disk cannot back kills the host. Calls
 * bypass libc's functions, because libgptl_io, which records the host's calls, must not record
 * these.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iostack/clock.h"
#include "iostack/state.h"
#include "posix/apart.h"
#include "posix/raw.h"

enum log_state { NONE, OPENING, OPEN, FAILED };

static struct log {
    _Atomic int state;
    atomic_uint_least64_t size;
    atomic_bool complained;
    atomic_uint_least64_t lost, hidden; /* not yet added to the header */
    struct gptl_iostack_header *header;
    _Atomic(char *) kept; /* space mapped in advance for the offsets KEPT_FROM to KEPT_TO */
    uint64_t kept_from, kept_to;
    uint64_t filled_to; /* end of the part usable without a system call */
    dev_t device;
    ino_t inode;
} logs[GPTL_IOSTACK_LAYERS];

/* Separate array, so that the state accessed by spans and forks fits into one page. */
static char paths[GPTL_IOSTACK_LAYERS][4096];

static char *path_of(const struct log *log)
{
    return paths[log - logs];
}

/* Held while a later anchor is written; concurrent writers skip theirs. */
static atomic_flag anchoring = ATOMIC_FLAG_INIT;

const char *gptl_iostack_layer_name(int layer)
{
    static const char *const names[] = {"none", "app",    "hdf5",   "pnetcdf", "mpi", "adio",
                                        "comm", "client", "server", "posix",   "disk"};
    return layer < (int)(sizeof names / sizeof names[0]) ? names[layer] : "other";
}

/* ---- File name ------------------------------------------------------------------------------- */

struct name {
    char *to;
    size_t size, used;
};

static void put(struct name *name, const char *text)
{
    for (; *text && name->used + 1 < name->size; text++)
        name->to[name->used++] = *text;
    name->to[name->used] = '\0';
}

static void put_number(struct name *name, int64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)number);
    put(name, text);
}

/* Expand one token of the path; false if it is unknown. */
static bool put_token(struct name *name, const char *token, size_t n, int layer, int attempt)
{
    const struct gptl_iostack_process *p = &gptl_iostack_process;
    if (n == 5 && memcmp(token, "layer", n) == 0)
        put(name, gptl_iostack_layer_name(layer));
    else if (n == 4 && memcmp(token, "rank", n) == 0)
        put_number(name, p->rank >= 0 ? p->rank : attempt);
    else if (n == 5 && memcmp(token, "index", n) == 0)
        put_number(name, attempt);
    else if (n == 3 && memcmp(token, "pid", n) == 0)
        put_number(name, getpid());
    else if (n == 4 && memcmp(token, "host", n) == 0)
        put(name, p->host);
    else if (n == 7 && memcmp(token, "program", n) == 0)
        put(name, p->program);
    else
        return false;
    return true;
}

/*
 * Expand the path. If it is the same for each attempt, all attempts but the first insert the
 * process number before the ".log".
 */
static void expand(char *to, size_t size, int layer, int attempt)
{
    struct name name = {to, size, 0};
    bool counts = false;
    for (const char *at = gptl_iostack_process.path; *at;) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        if (end && put_token(&name, at + 1, (size_t)(end - at - 1), layer, attempt)) {
            counts |= strncmp(at, "{index}", 7) == 0 ||
                      (strncmp(at, "{rank}", 6) == 0 && gptl_iostack_process.rank < 0);
            at = end + 1;
            continue;
        }
        char c[2] = {*at++, '\0'};
        put(&name, c);
    }
    if (attempt > 0 && !counts) {
        bool ends = name.used > 4 && strcmp(to + name.used - 4, ".log") == 0;
        name.used -= ends ? 4 : 0;
        put(&name, ".");
        put_number(&name, getpid());
        if (attempt > 1) {
            put(&name, ".");
            put_number(&name, attempt);
        }
        if (ends)
            put(&name, ".log");
    }
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Return whether the file size limit allows END; beyond it the kernel sends a signal. */
static bool may_reach(uint64_t end)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           end <= limit.rlim_cur;
}

/* Allocate SIZE bytes from AT on, backed by disk space. */
static int claim(int fd, uint64_t at, uint64_t size)
{
    static const char zeros[1 << 16];
    if (!may_reach(at + size)) {
        errno = EFBIG;
        return -1;
    }
    while (gptl_kernel_call(SYS_fallocate, fd, 0, (off_t)at, (off_t)size) != 0) {
        if (errno == EINTR)
            continue;
        if (errno != EOPNOTSUPP && errno != ENOSYS)
            return -1;
        for (uint64_t done = 0; done < size;) {
            uint64_t left = size - done;
            ssize_t n =
                pwrite(fd, zeros, left < sizeof zeros ? left : sizeof zeros, (off_t)(at + done));
            if (n < 0 && errno != EINTR)
                return -1;
            done += n > 0 ? (uint64_t)n : 0;
        }
        return 0;
    }
    return 0;
}

static void *map(int fd, uint64_t at, uint64_t size)
{
    long place =
        gptl_kernel_call(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
    if (place == -1)
        return NULL;
    void *memory = (void *)place;
    madvise(memory, size, MADV_POPULATE_WRITE); /* cheaper than one page fault per page */
    return memory;
}

static void fill_header(struct gptl_iostack_header *h, int layer)
{
    const struct gptl_iostack_process *p = &gptl_iostack_process;
    h->version = GPTL_IOSTACK_VERSION;
    h->header_size = sizeof *h;
    h->record_size = sizeof(struct gptl_iostack_record);
    h->layer = (uint32_t)layer;
    h->process = p->process;
    h->pid = getpid();
    h->parent = getppid();
    h->rank = p->rank;
    h->flags = gptl_counter_gives_ticks() ? 0 : GPTL_IOSTACK_NANOSECONDS;
    h->first = p->first;
    memcpy(h->host, p->host, sizeof h->host);
    memcpy(h->program, p->program, sizeof h->program);
    memcpy(h->node, p->node, sizeof h->node);
}

enum { MOST_ATTEMPTS = 100000 };

static bool is_there(struct log *log, int layer, int attempt)
{
    expand(path_of(log), sizeof paths[layer], layer, attempt);
    return gptl_kernel_call(SYS_faccessat, AT_FDCWD, path_of(log), F_OK) == 0;
}

/*
 * Return the first attempt after TAKEN with an unused name, assuming that used names are
 * contiguous. Doubling and bisection avoid testing thousands of names in each process of a script.
 */
static int next_free(struct log *log, int layer, int taken)
{
    int step = 1;
    while (taken + step < MOST_ATTEMPTS && is_there(log, layer, taken + step)) {
        taken += step;
        step *= 2;
    }
    for (int free = taken + step; free - taken > 1;) {
        int middle = taken + (free - taken) / 2;
        *(is_there(log, layer, middle) ? &taken : &free) = middle;
    }
    return taken + 1;
}

static int create(struct log *log, int layer)
{
    int fd = -1;
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt = next_free(log, layer, attempt)) {
        expand(path_of(log), sizeof paths[layer], layer, attempt);
        fd = gptl_raw_open(path_of(log), O_RDWR | O_CREAT | O_EXCL | O_NOCTTY, 0666);
        if (fd >= 0 || errno != EEXIST)
            break;
    }
    return fd;
}

/* Create the log; return whether it exists now. */
static bool begin_log(struct log *log, int layer)
{
    struct stat status;
    int fd = create(log, layer);
    if (fd < 0)
        return false;
    if (gptl_raw_fstat(fd, &status) == 0 && claim(fd, 0, sizeof *log->header) == 0)
        log->header = map(fd, 0, sizeof *log->header);
    int error = errno;
    gptl_raw_close(fd);
    errno = error;
    if (!log->header) {
        gptl_kernel_call(SYS_unlinkat, AT_FDCWD, path_of(log), 0);
        errno = error;
        return false;
    }
    log->device = status.st_dev;
    log->inode = status.st_ino;
    atomic_store(&log->size, GPTL_IOSTACK_ALIGN);
    fill_header(log->header, layer);
    return true;
}

static void set_later(struct gptl_iostack_header *h, bool ended)
{
    uint32_t other = !(h->later_index & 1);
    struct gptl_iostack_anchor *a = &h->later[other];
    gptl_iostack_clock_anchor(a);
    int64_t ns = a->monotonic - h->first.monotonic;
    if (ns > 0)
        h->ticks_per_second = gptl_counter_gives_ticks()
                                  ? (double)(a->ticks - h->first.ticks) * 1e9 / (double)ns
                                  : 1e9;
    __atomic_store_n(&h->later_index, other, __ATOMIC_RELEASE);
    if (ended)
        h->flags |= GPTL_IOSTACK_ENDED;
}

static void complain(struct log *log)
{
    const char *why = strerror(errno);
    if (!atomic_exchange(&log->complained, true))
        gptl_iostack_say("cannot write ", path_of(log), ": ", why);
}

/* Add losses counted by signal handlers while the log was being opened. */
static void tell_lost(struct log *log)
{
    __atomic_fetch_add(&log->header->lost, atomic_exchange(&log->lost, 0), __ATOMIC_RELAXED);
    __atomic_fetch_add(&log->header->hidden, atomic_exchange(&log->hidden, 0), __ATOMIC_RELAXED);
}

/* Return the log of LAYER, created by its first user; NULL: unavailable. */
static struct log *log_of(int layer)
{
    struct log *log = &logs[layer];
    int state = NONE;
    if (atomic_compare_exchange_strong(&log->state, &state, OPENING)) {
        bool open = begin_log(log, layer);
        if (open) {
            set_later(log->header, false);
            memcpy(log->header->magic, GPTL_IOSTACK_MAGIC, sizeof log->header->magic);
        } else
            complain(log);
        atomic_store(&log->state, state = open ? OPEN : FAILED);
        if (open)
            tell_lost(log);
    }
    for (; state == OPENING; state = atomic_load(&log->state))
        sched_yield();
    return state == OPEN ? log : NULL;
}

/* ---- Interface to other files ---------------------------------------------------------------- */

/* Return a descriptor of the file if it still exists under its name, or -1. */
static int reopen(const struct log *log)
{
    struct stat status;
    int fd = gptl_raw_open(path_of(log), O_RDWR | O_NOCTTY, 0);
    if (fd >= 0 && (gptl_raw_fstat(fd, &status) != 0 || status.st_dev != log->device ||
                    status.st_ino != log->inode)) {
        gptl_raw_close(fd);
        errno = ESTALE;
        return -1;
    }
    return fd;
}

/* Allocate from the space mapped in advance; NULL: absent or exhausted. */
static void *take_kept(struct log *log, uint64_t size)
{
    char *kept = atomic_load(&log->kept);
    if (!kept || atomic_load(&log->size) + size > log->kept_to)
        return NULL;
    uint64_t at = atomic_fetch_add(&log->size, size);
    if (at + size > log->kept_to)
        return NULL;
    kept += at - log->kept_from;
    return madvise(kept, size, MADV_POPULATE_WRITE) == 0 ? kept : NULL;
}

void gptl_iostack_log_fill(int layer)
{
    enum { FILLED = 2 << 20 };
    struct log *log = &logs[layer];
    char *kept = atomic_load(&log->kept);
    uint64_t from = atomic_load(&log->size);
    if (!kept || from + FILLED > log->kept_to)
        return;
    if (madvise(kept + (from - log->kept_from), FILLED, MADV_POPULATE_WRITE) == 0)
        log->filled_to = from + FILLED;
}

void *gptl_iostack_log_take(int layer, uint64_t size)
{
    struct log *log = &logs[layer];
    if (atomic_load(&log->size) + size > log->filled_to)
        return NULL;
    uint64_t at = atomic_fetch_add(&log->size, size);
    return at + size > log->filled_to ? NULL : atomic_load(&log->kept) + (at - log->kept_from);
}

void *gptl_iostack_log_grow(int layer, uint64_t size)
{
    void *memory = NULL;
    struct log *log = log_of(layer);
    if (!log)
        return NULL;
    int fd = reopen(log);
    if (fd >= 0) {
        uint64_t at = atomic_fetch_add(&log->size, size);
        if (claim(fd, at, size) == 0)
            memory = map(fd, at, size);
    } else
        memory = take_kept(log, size);
    if (!memory)
        complain(log);
    if (fd >= 0)
        gptl_raw_close(fd);
    return memory;
}

void gptl_iostack_log_keep(int layer, bool even_if_none)
{
    enum { KEPT = 256 << 20 };
    struct log *log = &logs[layer];
    if (even_if_none)
        log_of(layer);
    int fd = atomic_load(&log->state) == OPEN && !log->kept ? reopen(log) : -1;
    if (fd < 0)
        return;
    uint64_t from = atomic_load(&log->size), to = from + KEPT;
    if (may_reach(to) && gptl_kernel_call(SYS_ftruncate, fd, (off_t)to) == 0) {
        long place = gptl_kernel_call(SYS_mmap, NULL, to - from, PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_NORESERVE, fd, (off_t)from);
        log->kept_from = from;
        log->kept_to = to;
        atomic_store(&log->kept, place == -1 ? NULL : (char *)place);
    }
    gptl_raw_close(fd);
}

void gptl_iostack_log_lost(int layer, uint64_t spans, uint64_t hidden)
{
    struct log *log = &logs[layer];
    atomic_fetch_add(&log->lost, spans);
    atomic_fetch_add(&log->hidden, hidden);
    if (atomic_load(&log->state) == OPEN)
        tell_lost(log);
}

void gptl_iostack_log_anchor(bool ended)
{
    if (atomic_flag_test_and_set(&anchoring))
        return;
    for (int i = 0; i < GPTL_IOSTACK_LAYERS; i++)
        if (atomic_load(&logs[i].state) == OPEN)
            set_later(logs[i].header, ended);
    atomic_flag_clear(&anchoring);
}

static void anchor_apart(void *unused)
{
    (void)unused;
    gptl_iostack_log_anchor(false);
}

/*
 * Write the anchor on a separate stack: any call may trigger it, including one with very little
 * stack.
 */
void gptl_iostack_anchor_due(struct gptl_iostack_thread *t, uint64_t now)
{
    gptl_posix_apart(anchor_apart, NULL);
    t->anchor_step = t->anchor_step < UINT64_C(1) << 34 ? t->anchor_step * 2 : t->anchor_step;
    t->anchor_due = now + t->anchor_step;
}

void gptl_iostack_log_forget(void)
{
    for (int i = 0; i < GPTL_IOSTACK_LAYERS; i++) {
        if (logs[i].header)
            gptl_raw_free(logs[i].header, sizeof *logs[i].header);
        char *kept = atomic_exchange(&logs[i].kept, NULL);
        /* chunks below this offset are unmapped individually */
        uint64_t used = atomic_load(&logs[i].size);
        if (kept && used < logs[i].kept_to)
            gptl_raw_free(kept + (used - logs[i].kept_from), logs[i].kept_to - used);
        logs[i].header = NULL;
        atomic_store(&logs[i].complained, false);
        atomic_store(&logs[i].lost, 0);
        atomic_store(&logs[i].hidden, 0);
        atomic_store(&logs[i].state, NONE);
    }
    atomic_flag_clear(&anchoring);
}
