/* instrumented.c - functions compiled with -finstrument-functions. */
#include "instrumented.h"

void bench_instrumented_empty(void)
{
    __asm__ volatile("");
}

/* DIGITS(f, n) is f for n0 to n9. */
/* clang-format off */
#define DIGITS(f, n) \
    f(n##0) f(n##1) f(n##2) f(n##3) f(n##4) f(n##5) f(n##6) f(n##7) f(n##8) f(n##9)
#define TENS(f, n) \
    DIGITS(f, n##0) DIGITS(f, n##1) DIGITS(f, n##2) DIGITS(f, n##3) DIGITS(f, n##4) \
    DIGITS(f, n##5) DIGITS(f, n##6) DIGITS(f, n##7) DIGITS(f, n##8) DIGITS(f, n##9)
#define HUNDREDS(f, n) \
    TENS(f, n##0) TENS(f, n##1) TENS(f, n##2) TENS(f, n##3) TENS(f, n##4) \
    TENS(f, n##5) TENS(f, n##6) TENS(f, n##7) TENS(f, n##8) TENS(f, n##9)
#define ALL(f) \
    HUNDREDS(f, 0) HUNDREDS(f, 1) HUNDREDS(f, 2) HUNDREDS(f, 3) HUNDREDS(f, 4) \
    HUNDREDS(f, 5) HUNDREDS(f, 6) HUNDREDS(f, 7) HUNDREDS(f, 8) HUNDREDS(f, 9)
/* clang-format on */

#define DEFINE(n)                                                                                  \
    static void f##n(void)                                                                         \
    {                                                                                              \
        __asm__ volatile("");                                                                      \
    }
#define NAME(n) f##n,

ALL(DEFINE)

bench_function *const bench_instrumented[BENCH_FUNCTIONS] = {ALL(NAME)};
