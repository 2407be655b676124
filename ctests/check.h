/*
 * check.h - assertions of the test programs. Each prints the found and the expected value, and ends
 * the program.
 */
#ifndef CTESTS_CHECK_H
#define CTESTS_CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gptl.h"

/* No exit handler may hang in the part that has just been found broken. */
#ifndef CHECK_FAILED
#define CHECK_FAILED() _Exit(1)
#endif

#define CHECK_THAT(holds, ...)                                                                     \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                        \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
            CHECK_FAILED();                                                                        \
        }                                                                                          \
    } while (0)

#define CHECK(condition) CHECK_THAT(condition, "not true: %s", #condition)

#define CHECK_INT(actual, expected)                                                                \
    do {                                                                                           \
        long long check_a = (long long)(actual), check_e = (long long)(expected);                  \
        CHECK_THAT(check_a == check_e, "%s is %lld, expected %s = %lld", #actual, check_a,         \
                   #expected, check_e);                                                            \
    } while (0)

#define CHECK_BETWEEN(actual, least, most)                                                         \
    do {                                                                                           \
        double check_a = (double)(actual), check_l = (double)(least), check_m = (double)(most);    \
        CHECK_THAT(check_a >= check_l && check_a <= check_m,                                       \
                   "%s is %.9g, expected from %.9g to %.9g", #actual, check_a, check_l, check_m);  \
    } while (0)

#define CHECK_REAL(actual, expected)                                                               \
    do {                                                                                           \
        double check_a = (actual), check_e = (expected);                                           \
        CHECK_THAT(fabs(check_a - check_e) <= 1e-12 + 1e-9 * fabs(check_e),                        \
                   "%s is %.12g, expected %s = %.12g", #actual, check_a, #expected, check_e);      \
    } while (0)

#define CHECK_STRING(actual, expected)                                                             \
    do {                                                                                           \
        const char *check_a = (actual), *check_e = (expected);                                     \
        CHECK_THAT(strcmp(check_a, check_e) == 0, "%s is \"%s\", expected \"%s\"", #actual,        \
                   check_a, check_e);                                                              \
    } while (0)

#define CHECK_OK(call) CHECK_INT(call, 0)

/* Assert that the call returns -1 and counts one error. */
#define CHECK_ERROR(call)                                                                          \
    do {                                                                                           \
        int check_errors = GPTLnum_errors();                                                       \
        CHECK_INT(call, -1);                                                                       \
        CHECK_THAT(GPTLnum_errors() == check_errors + 1, "%s counted %d errors, expected 1",       \
                   #call, GPTLnum_errors() - check_errors);                                        \
    } while (0)

/*
 * Return the calls of NAME on thread T (-1: this one); -1 if it is unknown, which counts an error.
 */
static inline int check_count(const char *name, int t)
{
    int count = -1;
    GPTLget_count(name, t, &count);
    return count;
}

static inline double check_seconds(const char *name, int t)
{
    double seconds = -1;
    GPTLget_wallclock(name, t, &seconds);
    return seconds;
}

#endif
