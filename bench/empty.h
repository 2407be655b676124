/*
 * empty.h - calls with the signatures of GPTLstart and GPTLstop, in a shared library of their own, to
 * compare with: two that do nothing, and two that only read the clock, the least that any library
 * can cost.
 */
#ifndef BENCH_EMPTY_H
#define BENCH_EMPTY_H

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((visibility("default"))) int bench_empty_start(const char *name);
__attribute__((visibility("default"))) int bench_empty_stop(const char *name);

__attribute__((visibility("default"))) int bench_clock_start(const char *name);
__attribute__((visibility("default"))) int bench_clock_stop(const char *name);

#ifdef __cplusplus
}
#endif

#endif
