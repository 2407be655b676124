/* calls.h - the load of the tests that disturb threads: nested, recursive, many names. */
#ifndef CTESTS_CALLS_H
#define CTESTS_CALLS_H

#include <stdatomic.h>
#include <stdio.h>

#include "check.h"

/* Each round has two calls of "outer" and one of "own0" to "own499" in turn. */
static inline void calls(int rounds)
{
    char name[32];
    for (int i = 0; i < rounds; i++) {
        snprintf(name, sizeof name, "own%d", i % 500);
        CHECK_OK(GPTLstart("outer"));
        CHECK_OK(GPTLstart(name));
        CHECK_OK(GPTLstart("outer"));
        CHECK_OK(GPTLstop("outer"));
        CHECK_OK(GPTLstop(name));
        CHECK_OK(GPTLstop("outer"));
    }
}

static _Atomic int calls_done;

/* The body of a thread: runs until calls_done. */
static inline void *calls_until_done(void *unused)
{
    while (!calls_done)
        calls(200);
    return unused;
}

#endif
