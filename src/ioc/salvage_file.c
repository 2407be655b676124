/*
 * salvage_file.c - the file with the recorder's memory.
 *
 * The file has its full size from the start, with holes, and is open only briefly, so a program
 * that closes all descriptors does no harm.
 */
#include "config.h"

#include "ioc/salvage_file.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/utsname.h>

#include "core/rundir.h"
#include "ioc/kept.h"
#include "ioc/options.h"
#include "posix/raw.h"

static char path[sizeof gptl_ioc_options.salvage_dir + 400];
static dev_t device;
static ino_t inode;

/* Build the path. ATTEMPT above 0 is part of the name. */
static void choose_path(uint64_t attempt)
{
    struct utsname host;
    char *limit = path + sizeof path - 32, *end = path;
    const char *folder = gptl_ioc_options.salvage_dir;
    if (*folder) {
        end = gptl_raw_append(end, limit, folder);
        end = gptl_raw_append(end, limit, "/");
    } else { /* next to the log */
        end = gptl_raw_append(end, limit, gptl_ioc_options.path);
        while (end > path && end[-1] != '/')
            end--;
    }
    end = gptl_raw_append(end, limit, GPTL_IOC_SALVAGE_PREFIX);
    if (attempt > 0) {
        end = gptl_raw_decimal(end, attempt);
        end = gptl_raw_append(end, limit, ".");
    }
    end = gptl_raw_append(end, limit, uname(&host) == 0 ? host.nodename : "localhost");
    end = gptl_raw_append(end, limit, ".");
    gptl_raw_decimal(end, (uint64_t)getpid());
}

static bool claim_range(int fd, uint64_t at, uint64_t size)
{
    static const char zeros[4096];
    if (*gptl_ioc_options.run_dir && !gptl_rundir_take(gptl_ioc_options.run_dir, size)) {
        errno = ENOSPC;
        return false;
    }
    if (gptl_kernel_call(SYS_fallocate, fd, 0, at, size) == 0)
        return true;
    if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL)
        return false;
    for (uint64_t done = 0; done < size; done += sizeof zeros)
        if (gptl_kernel_call(SYS_pwrite64, fd, zeros, sizeof zeros, at + done) !=
            (long)sizeof zeros)
            return false;
    return true;
}

bool gptl_ioc_salvage_claim(uint64_t at, uint64_t size)
{
    struct stat s;
    int fd = gptl_raw_open(path, O_RDWR | O_NOFOLLOW, 0);
    if (fd < 0) /* a server has dropped privileges or changed its root: use the mapping */
        return gptl_kernel_call(SYS_madvise, (char *)gptl_ioc_kept.head + at, size,
                                MADV_POPULATE_WRITE) == 0;
    bool done = gptl_raw_fstat(fd, &s) == 0 && s.st_dev == device && s.st_ino == inode &&
                claim_range(fd, at, size);
    gptl_raw_close(fd);
    return done;
}

/*
 * Set the size with SIGXFSZ blocked: exceeding the file size limit raises it, which would end the
 * host.
 */
static bool set_size(int fd, uint64_t size)
{
    sigset_t limit, before, pending;
    struct timespec none = {0, 0};
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    /* Raw, because libc's function would unblock its signals for thread cancellation. */
    gptl_kernel_call(SYS_rt_sigprocmask, SIG_BLOCK, &limit, &before, sizeof(uint64_t));
    sigpending(&pending);
    bool done = gptl_kernel_call(SYS_ftruncate, fd, size) == 0;
    int error = errno;
    if (!done && error == EFBIG && !sigismember(&pending, SIGXFSZ))
        gptl_kernel_call(SYS_rt_sigtimedwait, &limit, NULL, &none, _NSIG / 8);
    gptl_kernel_set_mask(&before, NULL);
    errno = error;
    return done;
}

static bool copy_out(int fd, uint64_t at, uint64_t size)
{
    const char *pages = (const char *)gptl_ioc_kept.head;
    for (uint64_t end = at + size; at < end;) {
        long n = gptl_kernel_call(SYS_pwrite64, fd, pages + at, end - at, at);
        if (n <= 0)
            return false;
        at += (uint64_t)n;
    }
    return true;
}

/* Copy the memory into the file, and map the file in its place. */
static bool move_into(int fd, uint64_t text_size, uint64_t used, uint64_t base)
{
    struct gptl_ioc_salvage *head = gptl_ioc_kept.head;
    return set_size(fd, head->size) && claim_range(fd, 0, head->texts.at + text_size) &&
           (base == 0 || claim_range(fd, head->base.at, base)) && copy_out(fd, 0, sizeof *head) &&
           copy_out(fd, head->texts.at, text_size) && copy_out(fd, head->base.at, used) &&
           gptl_kernel_call(SYS_mmap, head, head->size, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, 0) != -1 &&
           /* Otherwise the kernel fills megabytes of zeros around each touched page. */
           (madvise(head, head->size, MADV_RANDOM), true);
}

/*
 * Return true if the file with our name belongs to this process before an exec, and the log
 * contains all its calls.
 */
static bool is_in_log(void)
{
    uint32_t in_log = 0;
    int fd = gptl_raw_open(path, O_RDONLY | O_NOFOLLOW, 0);
    bool done = fd >= 0 && gptl_kernel_call(SYS_pread64, fd, &in_log, sizeof in_log,
                                            offsetof(struct gptl_ioc_salvage, is_in_log)) ==
                               (long)sizeof in_log;
    if (fd >= 0)
        gptl_raw_close(fd);
    return done && in_log;
}

/*
 * Create a file with a new name: an existing file of another process with our number, in another
 * container or earlier, must not be overwritten.
 */
static int open_new(void)
{
    enum { ATTEMPTS = 1000 };
    int fd = -1;
    for (uint64_t i = 0; i < ATTEMPTS && fd < 0; i++) {
        choose_path(i);
        fd = gptl_raw_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
        if (fd < 0 && errno != EEXIST)
            break;
        if (fd < 0 && is_in_log() && gptl_kernel_call(SYS_unlinkat, AT_FDCWD, path, 0) == 0)
            i--; /* the same name again */
    }
    return fd;
}

bool gptl_ioc_salvage_make(uint64_t text_size, uint64_t used, uint64_t base)
{
    struct stat s;
    int fd = open_new();
    if (fd < 0)
        return false;
    bool done = gptl_raw_fstat(fd, &s) == 0 && move_into(fd, text_size, used, base);
    int error = errno;
    device = s.st_dev;
    inode = s.st_ino;
    gptl_raw_close(fd);
    if (!done)
        gptl_kernel_call(SYS_unlinkat, AT_FDCWD, path, 0);
    errno = error;
    return done;
}

bool gptl_ioc_salvage_remove(void)
{
    struct stat s;
    bool is_there = gptl_kernel_call(SYS_newfstatat, AT_FDCWD, path, &s, 0) == 0 &&
                    s.st_dev == device && s.st_ino == inode;
    if (is_there)
        gptl_kernel_call(SYS_unlinkat, AT_FDCWD, path, 0);
    return is_there;
}
