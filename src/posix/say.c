/*
 * say.c - what a library that is preloaded has to say to the user, on stderr.
 *
 * A command may be thousands of processes, with the same to say: those of a `gptl run` leave word in its
 * folder, and the first one says it.
 */
#include "config.h"

#include "posix/say.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "core/claim.h"
#include "posix/raw.h"

static dev_t error_device;
static ino_t error_inode;
static bool has_error;
static char run_folder[4096];

void gptl_posix_say_begin(void)
{
    struct stat s;
    has_error = gptl_raw_fstat(STDERR_FILENO, &s) == 0;
    error_device = s.st_dev;
    error_inode = s.st_ino;
}

void gptl_posix_say_once(const char *folder)
{
    gptl_raw_append(run_folder, run_folder + sizeof run_folder, folder);
}

/*
 * By a raw call, as libc's is a point of cancellation: a thread that ended here would stay the one that
 * writes.
 */
void gptl_posix_hold_signals(sigset_t *before)
{
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGPIPE);
    sigaddset(&held, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &held, before);
}

void gptl_posix_release_signals(const sigset_t *before)
{
    sigset_t mine;
    struct timespec none = {0, 0};
    sigemptyset(&mine);
    if (!sigismember(before, SIGPIPE))
        sigaddset(&mine, SIGPIPE);
    if (!sigismember(before, SIGXFSZ))
        sigaddset(&mine, SIGXFSZ);
    while (syscall(SYS_rt_sigtimedwait, &mine, NULL, &none, _NSIG / 8) > 0)
        continue;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* Whether somebody reads what is said. */
static bool is_heard(void)
{
    struct stat s;
    return has_error && gptl_raw_fstat(STDERR_FILENO, &s) == 0 && s.st_dev == error_device &&
           s.st_ino == error_inode && !(S_ISCHR(s.st_mode) && s.st_rdev == makedev(1, 3));
}

void gptl_posix_say(const char *who, const char *a, const char *b, const char *c, const char *d)
{
    char line[5000], *limit = line + sizeof line - 1, *end = line;
    sigset_t signals;
    uint64_t key = gptl_claim_key(gptl_claim_key(gptl_claim_key(gptl_claim_key(0, who), a), c), d);
    if (!is_heard() || gptl_claim(run_folder, GPTL_CLAIM_LINE, key, NULL) == 0)
        return;
    end = gptl_raw_append(end, limit, who);
    end = gptl_raw_append(end, limit, a);
    end = gptl_raw_append(end, limit, b);
    end = gptl_raw_append(end, limit, c);
    end = gptl_raw_append(end, limit, d);
    *end++ = '\n';
    gptl_posix_hold_signals(&signals);
    gptl_raw_write(STDERR_FILENO, line, (size_t)(end - line));
    gptl_posix_release_signals(&signals);
}
