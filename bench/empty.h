/*
 * empty.h - functions with the signatures of GPTLstart and GPTLstop in a separate shared library,
 * for comparison: two do nothing, two only read the clock, the lower bound of any library's cost.
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
