/*
 * salvage.c - writing the salvage file, that is, mapping it.
 *
 * Room in the file is allocated before it is mapped: a store into a page that a full disk cannot
 * back would kill the host.
 */
#include "config.h"

#include "core/salvage.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/claim.h"
#include "core/clock.h"
#include "core/descriptor.h"
#include "core/function.h"
#include "core/metrics.h"
#include "core/race_checkers.h"
#include "core/rundir.h"
#include "core/thread.h"

enum { PATH_SIZE = 4096 + 128, PAGE = 4096 };

#define HEADER_SIZE ((sizeof(struct gptl_salvage_header) + PAGE - 1) / PAGE * PAGE)

static struct {
    struct gptl_salvage_header *header; /* in the file, or in a copy after the file is closed */
    bool active;                        /* the file exists under its name */
    bool mapped;                        /* header and extents are pages of the file */
    bool gave_up;
    /* use own_fd(): the program may have closed it, and opened another file with this number */
    int fd;
    dev_t device;
    ino_t inode;
    uint64_t end;     /* end of the mapped part, in bytes */
    uint64_t claimed; /* end of the allocated part, in bytes */
    char path[PATH_SIZE];
} file;

/* ---- The file ------------------------------------------------------------------------------ */

static void give_up(const char *what)
{
    file.gave_up = true;
    if (file.active)
        file.header->is_partial = 1;
    gptl_core_warn("salvage",
                   "%s %s: %s; measuring goes on, but what comes now does not survive a kill", what,
                   file.path, strerror(errno));
}

/*
 * Choose the path: in the directory of the option, or next to the report. A file left by a process
 * with the same number, in another container or earlier, must not be overwritten: names after the
 * first include their ATTEMPT.
 */
static void choose_path(int attempt)
{
    char host[256] = "localhost", number[16] = "";
    gethostname(host, sizeof host - 1);
    if (attempt > 0)
        snprintf(number, sizeof number, "%d.", attempt);
    const char *output = gptl_core_string(GPTL_STR_SALVAGE_DIR);
    if (!*output)
        output = gptl_core_string(GPTL_STR_RUN_DIR);
    int directory = (int)strlen(output);
    if (!directory) {
        output = gptl_core_string(GPTL_STR_OUTPUT_PATH);
        const char *slash = strrchr(output, '/');
        directory = slash ? (int)(slash - output) : 0;
    }
    /* Absolute, since the program may change its directory before the file is removed. */
    char here[2048] = "";
    if (output[0] != '/' && getcwd(here, sizeof here - 1))
        strcat(here, "/");
    snprintf(file.path, sizeof file.path, "%s%.*s%s" GPTL_SALVAGE_PREFIX "%s%s.%ld", here,
             directory, output, directory || output[0] == '/' ? "/" : "", number, host,
             (long)getpid());
}

/* Create a file with a new name; return a descriptor, or -1. */
static int open_new(void)
{
    enum { ATTEMPTS = 1000 };
    int fd = -1;
    for (int i = 0; i < ATTEMPTS && fd < 0; i++) {
        choose_path(i);
        fd = gptl_descriptor_open(file.path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

static bool is_own_fd(void)
{
    struct stat status;
    return file.fd >= 0 && fstat(file.fd, &status) == 0 && status.st_dev == file.device &&
           status.st_ino == file.inode;
}

/*
 * Return the file's descriptor, opened again if the program has closed it; -1 if the file has been
 * removed.
 */
static int own_fd(void)
{
    if (is_own_fd())
        return file.fd;
    file.fd = gptl_descriptor_open(file.path, O_RDWR | O_NOFOLLOW, 0);
    if (file.fd >= 0 && !is_own_fd()) {
        close(file.fd);
        file.fd = -1;
        errno = ENOENT;
    }
    return file.fd;
}

static bool claim_room(int fd, uint64_t offset, size_t size)
{
    if (fallocate(fd, 0, (off_t)offset, (off_t)size) == 0)
        return true;
    if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
        return false;
    static const char zeros[PAGE];
    for (size_t done = 0; done < size; done += PAGE) {
        ssize_t n = pwrite(fd, zeros, PAGE, (off_t)(offset + done));
        if (n != PAGE) {
            errno = n < 0 ? errno : ENOSPC;
            return false;
        }
    }
    return true;
}

/*
 * Allocate room without SIGXFSZ, which the kernel sends beyond the limit of a file's size, and
 * which would terminate the host.
 */
static bool claim(int fd, uint64_t offset, size_t size)
{
    sigset_t signals, before, pending;
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    sigpending(&pending);
    bool claimed = claim_room(fd, offset, size);
    int error = errno;
    if (!claimed && error == EFBIG && !sigismember(&pending, SIGXFSZ))
        sigtimedwait(&signals, NULL, &(struct timespec){0, 0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return claimed;
}

/*
 * Make sure that the file has room up to END. It is allocated in large steps if possible: a
 * journaling file system may block for milliseconds each time, and the other ranks would wait for
 * this one.
 */
static bool has_room(int fd, uint64_t end)
{
    enum { STEP = 1 << 18 };
    uint64_t ahead = (end + STEP - 1) / STEP * STEP;
    if (end <= file.claimed)
        return true;
    if (!gptl_rundir_take(gptl_core_string(GPTL_STR_RUN_DIR), ahead - file.claimed)) {
        errno = ENOSPC;
        return false;
    }
    if (!claim(fd, file.claimed, ahead - file.claimed)) {
        ahead = end;
        if (!claim(fd, file.claimed, ahead - file.claimed))
            return false;
    }
    file.claimed = ahead;
    return true;
}

/*
 * Map the next SIZE bytes of the file. A mapping begins at a page boundary, which is a multiple of
 * 64 KiB on some machines.
 */
static void *map_next(size_t size)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    file.end = (file.end + page - 1) / page * page;
    void *pages = MAP_FAILED;
    int fd = own_fd();
    if (fd >= 0 && has_room(fd, file.end + size))
        pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)file.end);
    if (pages == MAP_FAILED)
        return NULL;
    madvise(pages, size, MADV_RANDOM); /* disable readahead: all pages are new */
    file.end += size;
    return pages;
}

/* ---- Extents ------------------------------------------------------------------------------- */

/* Record that the last SIZE bytes of the file are at ADDRESS. */
static void add_extent(void *address, size_t size)
{
    struct gptl_salvage_extent *extent = &file.header->extents[file.header->nextents];
    extent->address = (uint64_t)(uintptr_t)address;
    extent->offset = file.end - size;
    extent->size = size;
    atomic_signal_fence(memory_order_release); /* a kill may come at any moment */
    file.header->nextents++;
}

/*
 * Copy pages to AT and move that mapping to ADDRESS. Not by mremap(3): UCX, used by MPICH,
 * interposes it and drops its last argument.
 */
static bool replace(void *address, void *at, size_t size)
{
    memcpy(at, address, size);
    return syscall(SYS_mremap, at, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, address) != -1;
}

/* Move the pages inherited from the parent into the file of a forked child. */
static bool adopt(const struct gptl_salvage_header *old)
{
    for (uint32_t i = 0; i < old->nextents; i++) {
        const struct gptl_salvage_extent *extent = &old->extents[i];
        if (!extent->address)
            continue;
        void *pages = map_next(extent->size);
        if (!pages || !replace((void *)(uintptr_t)extent->address, pages, extent->size))
            return false;
        add_extent((void *)(uintptr_t)extent->address, extent->size);
    }
    return true;
}

void gptl_salvage_started(void)
{
    struct gptl_salvage_header *h = file.header;
    if (!h)
        return;
    h->started = gptl_g.started;
    h->started_at = gptl_clock_now()->read();
}

static void describe(void)
{
    struct gptl_salvage_header *h = file.header;
    struct gptl_process process;
    struct gptl_clock_finding clock;
    gptl_core_process(&process);
    gptl_core_clock_finding(&clock);
    h->version = GPTL_SALVAGE_VERSION;
    h->node_size = sizeof(struct gptl_node);
    h->thread_size = sizeof(struct gptl_thread);
    h->pid = process.pid;
    h->rank = process.rank;
    h->seconds_per_tick = clock.seconds_per_tick;
    gptl_salvage_started();
    snprintf(h->clock, sizeof h->clock, "%s", clock.name);
    snprintf(h->clock_source, sizeof h->clock_source, "%s", clock.source);
    snprintf(h->clock_kernel, sizeof h->clock_kernel, "%s", clock.kernel);
    h->clock_cost = clock.cost;
    h->clock_resolution = clock.resolution;
    snprintf(h->program, sizeof h->program, "%s", process.program);
    memcpy(h->magic, GPTL_SALVAGE_MAGIC, sizeof h->magic);
}

/* Claim the rank: a rank without a claim is reported as missing after a kill of the job. */
static void claim_rank(void)
{
    static const char *const sizes[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"};
    const char *size = NULL;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !size; i++)
        size = getenv(sizes[i]);
    if (file.header->rank >= 0 && size)
        gptl_claim(gptl_core_string(GPTL_STR_RUN_DIR), GPTL_CLAIM_RANK, (uint64_t)file.header->rank,
                   size);
}

static bool create(void)
{
    file.fd = open_new();
    struct stat status;
    if (file.fd < 0 || fstat(file.fd, &status))
        return false;
    file.device = status.st_dev;
    file.inode = status.st_ino;
    file.end = file.claimed = 0;
    struct gptl_salvage_header *old = file.header, *header = map_next(HEADER_SIZE);
    if (header) {
        gptl_race_checkers_ignore(header, HEADER_SIZE);
        file.header = header;
        file.mapped = true;
    }
    if (!header || (old && !adopt(old))) {
        unlink(file.path);
        close(file.fd);
        return false;
    }
    if (old) {
        header->is_partial = old->is_partial; /* the parent's other pages are in no file */
        munmap(old, HEADER_SIZE);
    }
    describe();
    claim_rank();
    return true;
}

void gptl_salvage_begin(void)
{
    int error = errno; /* errno of the host */
    gptl_lock();
    if (file.active && file.header->reported) {
        file.header->reported = 0;
        describe();
    } else if (!file.active && !file.gave_up && gptl_core_option(GPTL_OPT_SALVAGE)) {
        file.active = create();
        const char *run = gptl_core_string(GPTL_STR_RUN_DIR);
        if (!file.active && *run && !gptl_rundir_is_own(run))
            file.gave_up =
                true; /* this process has another user or root: it is counted as unmeasured */
        else if (!file.active)
            give_up("cannot create");
    }
    gptl_unlock();
    errno = error;
}

/* Update the rate in the header, which becomes more accurate with time. */
static void keep_rate(void)
{
    struct gptl_clock_finding clock;
    gptl_core_clock_finding(&clock);
    file.header->seconds_per_tick = clock.seconds_per_tick;
}

void gptl_salvage_update(void)
{
    gptl_lock();
    if (file.active) {
        file.header->threads = (uint64_t)(uintptr_t)gptl_g.threads;
        file.header->nthreads = gptl_g.nthreads;
        file.header->modules = (uint64_t)(uintptr_t)gptl_function_modules();
        file.header->functions = (uint64_t)(uintptr_t)gptl_function_first();
        file.header->metrics = (uint64_t)(uintptr_t)gptl_metrics_kept();
        keep_rate();
    }
    gptl_unlock();
}

void *gptl_salvage_pages(size_t size)
{
    void *pages = NULL;
    int error = errno;
    gptl_lock();
    if (file.active && !file.gave_up) {
        errno = ENOSPC;
        pages = file.header->nextents < GPTL_SALVAGE_EXTENTS ? map_next(size) : NULL;
        if (pages) {
            add_extent(pages, size);
            keep_rate();
        } else
            give_up("no more room in");
    }
    gptl_unlock();
    errno = error;
    return pages;
}

void gptl_salvage_forget(void *pages)
{
    if (!file.header)
        return;
    int error = errno;
    gptl_lock();
    for (uint32_t i = file.header->nextents; i-- > 0;) {
        struct gptl_salvage_extent *extent = &file.header->extents[i];
        if (extent->address != (uint64_t)(uintptr_t)pages)
            continue;
        extent->address = 0;
        if (file.active && is_own_fd())
            fallocate(file.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)extent->offset,
                      (off_t)extent->size);
        if (i + 1 == file.header->nextents)
            file.header->nextents--;
        break;
    }
    gptl_unlock();
    errno = error;
}

/* ---- The end ------------------------------------------------------------------------------- */

static void *anonymous(size_t size)
{
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

static void close_file(void)
{
    if (file.active && is_own_fd())
        close(file.fd);
    file.active = false;
}

/* Turn the header and all extents into private memory of this process. */
static void detach(void)
{
    file.mapped = false;
    void *copy = anonymous(HEADER_SIZE);
    if (copy)
        replace(file.header, copy, HEADER_SIZE);
    for (uint32_t i = 0; i < file.header->nextents; i++) {
        struct gptl_salvage_extent *extent = &file.header->extents[i];
        void *pages = extent->address ? anonymous(extent->size) : NULL;
        if (pages)
            replace((void *)(uintptr_t)extent->address, pages, extent->size);
    }
}

/*
 * Fork. Parent and child share the pages until the child has copied them. The parent waits for that
 * long, with the lock held: otherwise the child would copy data that the parent is changing. A pipe
 * also reports the death of the child, or a failed fork.
 */
enum { LONGEST_COPY = 10000 /* ms */ };
static int copied[2] = {-1, -1};

void gptl_salvage_before_fork(void)
{
    int error = errno;
    if (!file.mapped || !gptl_descriptor_pipe(copied))
        copied[0] = copied[1] = -1;
    errno = error;
}

void gptl_salvage_parent(void)
{
    int error = errno;
    if (copied[0] >= 0) {
        close(copied[1]);
        while (poll(&(struct pollfd){.fd = copied[0], .events = POLLIN}, 1, LONGEST_COPY) < 0 &&
               errno == EINTR)
            ;
        close(copied[0]);
    }
    errno = error;
}

void gptl_salvage_child(void)
{
    int error = errno;
    close_file();
    if (file.mapped)
        detach();
    file.gave_up = false;
    if (copied[0] >= 0) {
        close(copied[0]);
        close(copied[1]);
    }
    errno = error;
}

/* The pages stay mapped: other threads may be using them, and measuring may continue. */
void gptl_core_salvage_done(void)
{
    gptl_lock();
    if (file.active)
        file.header->reported = 1;
    gptl_unlock();
}

void gptl_salvage_end(void)
{
    gptl_lock();
    if (file.active && file.header->reported) {
        unlink(file.path);
        gptl_claim_leave(gptl_core_string(GPTL_STR_RUN_DIR));
    }
    gptl_unlock();
}
