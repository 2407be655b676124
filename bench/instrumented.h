/* instrumented.h - functions compiled with -finstrument-functions. */
#ifndef BENCH_INSTRUMENTED_H
#define BENCH_INSTRUMENTED_H

enum { BENCH_FUNCTIONS = 10000 };

typedef void bench_function(void);

/* Empty functions. */
void bench_instrumented_empty(void);
extern bench_function *const bench_instrumented[BENCH_FUNCTIONS];

#endif
