/*
 * setup.c - the beginning and the end: finds libc's functions, sets up the sinks, and tells them of
 * fork, exec and exit.
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
static bool is_in_run, has_other_root; /* of a `gptl run` */
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
 * With a NULL for the library, the handler runs when all destructors have: it is registered before
 * the dynamic linker's own handler that calls them.
 */
static void register_ends(void)
{
    __cxa_atexit(leave_at_exit, NULL, NULL);
    (void)at_quick_exit(leave_at_quick_exit);
    pthread_atfork(gptl_posix_share_all, NULL, gptl_posix_child);
}

/* A program with rights that its user lacks must not write where that user says. */
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
    /* A child of clone that shares our memory ends by itself, and its parent goes on. */
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

/* libgptl, where it is in the process. */
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
    if (!begins && before) { /* it was to be strict */
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

/* Whether the directory of `gptl run` is out of reach: below another root, or another user's. */
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
        has_left()) /* the run's directory: no file can be made there, and no line needs to say so */
        gptl_posix_is_sealed = true;
    if (gptl_posix_is_sealed) { /* it cannot get memory of its own */
        OFFER(child);
        gptl_posix_active[0] = NULL;
        errno = error;
        return;
    }
    process = getpid();
    if (gptl_posix_vforked)
        pause_sinks(false);
    gptl_posix_share_all(); /* also of one that came by no call of fork */
    OFFER(child);
    errno = error;
}
