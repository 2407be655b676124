/* sets.c - PAPI event sets of one thread. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "counters/descriptors.h"
#include "counters/library.h"
#include "counters/papi.h"
#include "counters/perf.h"

static enum papi_result failed(int rc, const char *what, char *why, size_t whysize)
{
    if (rc == PAPI_ECNFLCT || rc == PAPI_EMULPASS || rc == PAPI_ECOUNT)
        return gptl_perf_has_files(1, why, whysize) ? PAPI_CONFLICT : PAPI_FAILED;
    if (rc == PAPI_EISRUN) {
        snprintf(why, whysize,
                 "%s: the program itself counts such events in this thread, and PAPI does that for "
                 "one at a time",
                 what);
        return PAPI_FAILED;
    }
    if ((rc == PAPI_EPERM || rc == PAPI_ESYS) && gptl_perf_why_not(why, whysize))
        return PAPI_FAILED;
    snprintf(why, whysize, "%s: %s", what, gptl_papi.strerror(rc));
    return PAPI_FAILED;
}

static enum papi_result fill(int set, int component, const int *codes, uint32_t n, bool multiplex,
                             char *why, size_t whysize)
{
    int rc = gptl_papi.assign_eventset_component(set, component);
    if (rc == PAPI_OK && multiplex) {
        gptl_papi.multiplex_init();
        rc = gptl_papi.set_multiplex(set);
        if (rc != PAPI_OK)
            return failed(rc, "PAPI cannot count in turn here", why, whysize);
    }
    if (rc != PAPI_OK)
        return failed(rc, "PAPI makes no event set", why, whysize);
    for (uint32_t i = 0; i < n; i++) {
        rc = gptl_papi.add_event(set, codes[i]);
        if (rc != PAPI_OK)
            return failed(rc, "PAPI does not take it", why, whysize);
    }
    rc = gptl_papi.start(set);
    return rc == PAPI_OK ? PAPI_COUNTS : failed(rc, "PAPI does not start it", why, whysize);
}

static void drop(int set)
{
    gptl_papi.cleanup_eventset(set);
    gptl_papi.destroy_eventset(&set);
}

/* ---- Set numbers ----------------------------------------------------------------------------- */

/*
 * A program may shut PAPI down and start it again; set numbers then restart at 0. Empty sets
 * reserve the first numbers, so a number of ours never denotes a set of the program after a
 * restart: PAPI reports that it does not exist. Earlier numbers of ours are not reused either.
 */
enum { BEFORE_OURS = 1000 };
static int first, last; /* of ours, since PAPI's start */

static int make_set(int *set)
{
    int rc = gptl_papi.create_eventset(set);
    if (rc == PAPI_OK && *set < first) /* PAPI was restarted */
        first = last + 1;
    else if (!first)
        first = BEFORE_OURS;
    while (rc == PAPI_OK && *set < first) {
        *set = PAPI_NULL;
        rc = gptl_papi.create_eventset(set);
    }
    if (rc == PAPI_OK && *set > last)
        last = *set;
    return rc;
}

/* ---- Opening and closing ------------------------------------------------------------------- */

enum papi_result gptl_papi_open(int component, const int *codes, uint32_t n, bool multiplex,
                                int *set, char *why, size_t whysize)
{
    *set = PAPI_NULL;
    if (!gptl_papi_is_on()) {
        snprintf(why, whysize, "the program has shut PAPI down");
        return PAPI_FAILED;
    }
    gptl_papi.register_thread();
    int rc = make_set(set);
    if (rc != PAPI_OK)
        return failed(rc, "PAPI makes no event set", why, whysize);
    gptl_descriptors_begin();
    enum papi_result result = fill(*set, component, codes, n, multiplex, why, whysize);
    if (gptl_descriptors_end() && result != PAPI_COUNTS) {
        result = PAPI_FAILED;
        snprintf(why, whysize,
                 "%s, and each event takes a file descriptor in each thread; a quarter of them is "
                 "left to the program: raise the limit (ulimit -n)",
                 strerror(EMFILE));
    }
    if (result != PAPI_COUNTS)
        drop(*set);
    return result;
}

void gptl_papi_close(int set)
{
    if (!gptl_papi_is_on() || set < first) /* PAPI has forgotten the set since */
        return;
    gptl_papi.stop(set, NULL);
    drop(set);
}

void gptl_papi_thread_ends(void)
{
    if (!gptl_papi_is_guest && gptl_papi_is_on())
        gptl_papi.unregister_thread();
}

/* ---- Reading ------------------------------------------------------------------------------- */

const char *gptl_papi_why_lost(int set, int rc)
{
    if (rc == PAPI_ENOINIT)
        return "the program has shut PAPI down";
    if (rc == PAPI_ENOEVST || set < first)
        return "the program has shut PAPI down, and started it anew";
    if (rc == PAPI_ESYS && errno == EBADF)
        return "the program has closed files that it did not open";
    return gptl_papi.strerror(rc);
}

/* Read a set on the fast path; the check is an inlined gptl_papi_is_on. */
static int read_set(int set, long long *values)
{
    if (__builtin_expect(gptl_papi.is_initialized() == PAPI_NOT_INITED, 0))
        return PAPI_ENOINIT;
    return gptl_papi.read(set, values);
}

const char *gptl_papi_read(int set, long long *values)
{
    int error = errno, rc = read_set(set, values); /* errno belongs to the program */
    const char *why = rc == PAPI_OK ? NULL : gptl_papi_why_lost(set, rc);
    errno = error;
    return why;
}

gptl_direct_read *gptl_papi_reader(void)
{
    return read_set;
}
