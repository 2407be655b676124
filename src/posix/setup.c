/*
 * setup.c - start and end: finds libc's functions, sets up the sinks, and reports fork, exec and
 * exit to them.
 */
#include "config.h"

#include "posix/setup.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "core/counter.h"
#include "posix/apart.h"
#include "posix/confine.h"
#include "posix/fds.h"
#include "posix/filters.h"
#include "posix/next.h"
#include "posix/offer.h"
#include "posix/own.h"
#include "posix/posix.h"
#include "posix/raw.h"
#include "posix/streams.h"

extern char **environ;
extern int __cxa_atexit(void (*function)(void *), void *arg, void *library);

enum { MOST_SINKS = 4 };

bool gptl_posix_wants_start;
const struct gptl_posix_sink *gptl_posix_active[MOST_SINKS + 1];

__thread bool gptl_posix_vforked __attribute__((tls_model("initial-exec")));

static atomic_int began;
static bool handlers_have_run;
static pid_t process;
static bool is_in_run, has_other_root; /* is_in_run: below a `gptl run` */
static uid_t user;

void gptl_posix_want_start(void)
{
    gptl_posix_wants_start = true;
}

static void leave_at_exit(void *unused)
{
    (void)unused;
    gptl_posix_leave(false);
    handlers_have_run = true;
}

static void leave_at_quick_exit(void)
{
    gptl_posix_leave(false);
}

/*
 * With NULL as the library, the handler runs after all destructors: it is registered before the
 * dynamic linker's own handler, which calls them.
 */
static void register_ends(void)
{
    __cxa_atexit(leave_at_exit, NULL, NULL);
    (void)at_quick_exit(leave_at_quick_exit);
    pthread_atfork(gptl_posix_share_all, NULL, gptl_posix_child);
}

/* A program with privileges that its user lacks must not write to files chosen by that user. */
static void set_up(char **environment)
{
    if (atomic_exchange(&began, 1))
        return;
    gptl_posix_find_next();
    if (getauxval(AT_SECURE))
        return;
    if (gptl_posix_began_confined(environment))
        return;
    process = getpid();
    user = geteuid();
    is_in_run = getenv(GPTL_RUN_FILTERS) != NULL;
    gptl_posix_find_own();
    gptl_counter_setup();
    int n = 0;
    for (const struct gptl_posix_sink *const *s = gptl_posix_sinks; *s && n < MOST_SINKS; s++)
        if ((gptl_posix_active[n] = (*s)->setup(environment)))
            n++;
    if (n == 0)
        return;
    gptl_posix_watch_streams();
    register_ends();
}

void gptl_posix_setup_early(void)
{
    int error = errno;
    if (environ)
        set_up(environ);
    errno = error;
}

__attribute__((constructor)) static void load(int argc, char **argv, char **environment)
{
    (void)argc;
    (void)argv;
    set_up(environment ? environment : environ);
}

void gptl_posix_leave(bool for_exec)
{
    /* A child of clone that shares our memory ends separately, and its parent continues. */
    if (!gptl_posix_active[0] || gptl_posix_is_sealed || getpid() != process)
        return;
    int error = errno;
    OFFER(leave, for_exec);
    errno = error;
}

void gptl_posix_leave_again(void)
{
    if (!handlers_have_run || gptl_posix_is_sealed || getpid() != process)
        return;
    for (const struct gptl_posix_sink *const *s = gptl_posix_active; *s; s++)
        if ((*s)->streamed)
            (*s)->leave(false);
}

void gptl_posix_confine(void)
{
    if (!gptl_posix_active[0] || gptl_posix_is_sealed || getpid() != process || geteuid() != 0)
        return;
    int error = errno;
    for (const struct gptl_posix_sink *const *s = gptl_posix_active; *s; s++)
        if ((*s)->confine)
            (*s)->confine();
    errno = error;
}

/* libgptl, if it is loaded. */
extern void gptl_core_confine(int begins) __attribute__((weak));

static bool seals(bool begins)
{
    bool any = false;
    for (const struct gptl_posix_sink *const *s = gptl_posix_active; *s; s++)
        if ((*s)->seal) {
            (*s)->seal(begins);
            any = true;
        }
    return any;
}

void gptl_posix_seal(bool begins, bool strict)
{
    static const struct gptl_posix_sink *before;
    int error = errno;
    if (begins && !gptl_posix_is_active())
        return;
    if (!begins && before) { /* strict mode was refused */
        gptl_posix_active[0] = before;
        before = NULL;
    }
    if (begins != gptl_posix_is_sealed && seals(begins)) {
        gptl_posix_is_sealed = begins;
        if (gptl_core_confine)
            gptl_core_confine(begins);
    }
    if (begins && strict) {
        before = gptl_posix_active[0];
        gptl_posix_active[0] = NULL;
    }
    errno = error;
}

static void pause_sinks(bool begins)
{
    for (const struct gptl_posix_sink *const *s = gptl_posix_active; *s; s++)
        if ((*s)->pause)
            (*s)->pause(begins);
    gptl_posix_vforked = begins;
}

void *gptl_posix_vfork_begins(void)
{
    void *next = gptl_posix_next_vfork();
    gptl_posix_share_all();
    if (gptl_posix_active[0] && !gptl_posix_is_child_of_vfork())
        pause_sinks(true);
    return next;
}

bool gptl_posix_vfork_ended(void)
{
    if (gptl_posix_is_sealed || gptl_kernel_call(SYS_getpid) != process)
        return false;
    pause_sinks(false);
    return true;
}

void gptl_posix_left_root(void)
{
    has_other_root = true;
}

/*
 * Return true if the directory of `gptl run` is out of reach: outside a changed root, or owned by
 * another user.
 */
static bool has_left(void)
{
    return is_in_run && (has_other_root || geteuid() != user);
}

void gptl_posix_child(void)
{
    gptl_posix_apart_child();
    if (!gptl_posix_active[0])
        return;
    int error = errno;
    if (!gptl_posix_is_sealed &&
        has_left()) /* no file can be created in the run's directory; needs no message */
        gptl_posix_is_sealed = true;
    if (gptl_posix_is_sealed) { /* it cannot allocate memory */
        OFFER(child);
        gptl_posix_active[0] = NULL;
        errno = error;
        return;
    }
    process = getpid();
    if (gptl_posix_vforked)
        pause_sinks(false);
    gptl_posix_share_all(); /* also if no wrapped fork created this process */
    OFFER(child);
    errno = error;
}
