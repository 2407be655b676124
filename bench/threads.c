/*
 * threads.c - two threads on two cores compared with one: pairs per second, and the same for raw
 * clock reads, which shows the capacity of the two cores.
 *
 * While one thread works alone the other one spins. So the cores run at the same frequency in both
 * cases, and the time contains no wake-up.
 */
#include "bench.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    const struct bench_work *work;
    long rounds;
    atomic_int turn; /* odd while the helper works */
} job;

static void await_turn(int odd)
{
    while (atomic_load_explicit(&job.turn, memory_order_acquire) % 2 != odd) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
}

static void *help(void *arg)
{
    if (bench_pin(1))
        bench_stop(77, "threads needs two cores");
    /* Barrier of the main thread before it measures. */
    atomic_store(&job.turn, 0);
    for (;;) {
        await_turn(1);
        job.work->run(job.work->arg, job.rounds);
        atomic_fetch_add_explicit(&job.turn, 1, memory_order_release);
    }
    return arg;
}

static void run_both(void *arg, long rounds)
{
    job.work = arg;
    job.rounds = rounds;
    atomic_fetch_add_explicit(&job.turn, 1, memory_order_release);
    job.work->run(job.work->arg, rounds);
    await_turn(0);
}

int main(void)
{
    enum { RAW, RAW_BOTH, PAIR, PAIR_BOTH, WORKS };
    struct bench_work work[WORKS] = {
        [RAW_BOTH] = {.run = run_both, .arg = &work[RAW], .pairs = 2},
        [PAIR] = {.run = bench_run_pair, .pairs = 1},
        [PAIR_BOTH] = {.run = run_both, .arg = &work[PAIR], .pairs = 2},
    };
    pthread_t helper;
    char one[32], two[32];

    bench_open();
    work[RAW] = bench_library(NULL);
    atomic_store(&job.turn, 1);
    if (pthread_create(&helper, NULL, help, NULL))
        bench_stop(1, "cannot start a thread");
    await_turn(0);
    bench_compare(work, WORKS);

    printf("# ns a pair: floor of one thread alone, figure of two together (throughput)\n");
    snprintf(one, sizeof one, "%.2f", work[RAW].ns);
    snprintf(two, sizeof two, "%.2f", work[RAW_BOTH].ns);
    bench_row_text("two threads, raw clock reads", one, two, work[RAW].ns / work[RAW_BOTH].ns,
                   "shown: what the cores give");
    snprintf(one, sizeof one, "%.2f", work[PAIR].ns);
    snprintf(two, sizeof two, "%.2f", work[PAIR_BOTH].ns);
    bench_row_text("two threads, throughput of one", one, two, work[PAIR].ns / work[PAIR_BOTH].ns,
                   "1.95x");
    bench_close();
}
