/* stderr.c - lines for the user, and writes without a signal. */
#include "config.h"

#include "core/stderr.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "core/kernel.h"

static atomic_bool begun;
static bool was_open;
static dev_t device;
static ino_t inode;

/* Get the status of descriptor 2, without fstat(2), which libgptl_io interposes. */
static bool look(struct stat *status)
{
    int error = errno;
    bool is_open = gptl_kernel_call(SYS_fstat, STDERR_FILENO, status) == 0;
    errno = error;
    return is_open;
}

/* Early, before the program can change descriptor 2. */
__attribute__((constructor(101))) void gptl_stderr_begin(void)
{
    struct stat status;
    begun = true;
    was_open = look(&status);
    if (was_open) {
        device = status.st_dev;
        inode = status.st_ino;
    }
}

static bool is_same(struct stat *status)
{
    if (!begun) /* other libraries' constructors may run earlier */
        gptl_stderr_begin();
    return was_open && look(status) && status->st_dev == device && status->st_ino == inode;
}

bool gptl_stderr_is_open(void)
{
    struct stat status;
    return is_same(&status);
}

bool gptl_stderr_is_heard(void)
{
    struct stat status;
    return is_same(&status) && !(S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3));
}

/* ---- Signals ------------------------------------------------------------------------------- */

static void set_of_writing(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGPIPE);
    sigaddset(set, SIGXFSZ);
}

void gptl_stderr_hold_signals(struct gptl_write_signals *before)
{
    sigset_t held;
    set_of_writing(&held);
    /*
     * libc's function would remove the signals by which it cancels threads from the mask, and so
     * let them through.
     */
    gptl_kernel_call(SYS_rt_sigprocmask, SIG_BLOCK, &held, &before->mask, sizeof(uint64_t));
    sigpending(&before->pending);
}

void gptl_stderr_release_signals(const struct gptl_write_signals *before)
{
    static const int raised[] = {SIGPIPE, SIGXFSZ};
    struct timespec none = {0, 0};
    sigset_t mine;
    int error = errno;
    sigemptyset(&mine);
    for (size_t i = 0; i < sizeof raised / sizeof *raised; i++)
        if (!sigismember(&before->pending, raised[i]))
            sigaddset(&mine, raised[i]);
    /* By a system call, since libc's function is a cancellation point. */
    while (gptl_kernel_call(SYS_rt_sigtimedwait, &mine, NULL, &none, sizeof(uint64_t)) > 0)
        continue;
    gptl_kernel_set_mask(&before->mask, NULL);
    errno = error;
}

/* ---- Lines --------------------------------------------------------------------------------- */

void gptl_stderr_write(const char *line, size_t size)
{
    struct gptl_write_signals signals;
    int error = errno;
    if (!gptl_stderr_is_open())
        return;
    gptl_stderr_hold_signals(&signals);
    gptl_kernel_call(SYS_write, STDERR_FILENO, line, size); /* a failure cannot be reported */
    gptl_stderr_release_signals(&signals);
    errno = error;
}
