/*
 * empty.h - two calls that do nothing, with the signatures of GPTLstart and GPTLstop, in a shared
 * library of their own: what a call into such a library costs in itself.
 */
#ifndef BENCH_EMPTY_H
#define BENCH_EMPTY_H

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((visibility("default"))) int bench_empty_start(const char *name);
__attribute__((visibility("default"))) int bench_empty_stop(const char *name);

#ifdef __cplusplus
}
#endif

#endif
