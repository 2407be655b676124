/* sets.c - PAPI's event sets: what counts, for one thread. */
#include "config.h"

#include <errno.h>
#include <stdio.h>

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

/* ---- Numbers ------------------------------------------------------------------------------- */

/*
 * A program may shut PAPI down and start it anew, and then its sets have the numbers from 0 on. Ours
 * come behind so many that stay empty: one that PAPI has forgotten is no other's, and it says so.
 * Numbers that were ours before are not used again either.
 */
enum { BEFORE_OURS = 1000 };
static int first, last; /* of ours, since PAPI was started */

static int make_set(int *set)
{
    int rc = gptl_papi.create_eventset(set);
    if (rc == PAPI_OK && *set < first) /* it was started anew */
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
    enum papi_result result = fill(*set, component, codes, n, multiplex, why, whysize);
    if (result != PAPI_COUNTS)
        drop(*set);
    return result;
}

void gptl_papi_close(int set)
{
    if (!gptl_papi_is_on() || set < first) /* which PAPI has forgotten since */
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

/* In the hot path: it asks itself what gptl_papi_is_on tells. */
static int read_set(int set, long long *values)
{
    if (__builtin_expect(gptl_papi.is_initialized() == PAPI_NOT_INITED, 0))
        return PAPI_ENOINIT;
    return gptl_papi.read(set, values);
}

const char *gptl_papi_read(int set, long long *values)
{
    int error = errno, rc = read_set(set, values); /* errno is the program's */
    const char *why = rc == PAPI_OK ? NULL : gptl_papi_why_lost(set, rc);
    errno = error;
    return why;
}

gptl_direct_read *gptl_papi_reader(void)
{
    return read_set;
}
