/*
 * overhead.c - the cost of a start and stop, measured on the real functions.
 *
 * The calling thread temporarily gets a scratch state with an empty tree, so that the same code
 * runs with the same options, and the calls appear in no report. Signals are blocked during the
 * measurement.
 */
#include "config.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "gptl.h"

#include "core/clock.h"
#include "core/thread.h"

/*
 * Limits of the measurement. The report of a very short process must not take longer than the
 * process: after MOST_SECONDS no batch begins, except for the minimum number that a median and a
 * spread need.
 */
enum { BATCHES = 200, FEWEST = 15, PAIRS = 64 };
static const double MOST_SECONDS = 1e-4;

struct sample {
    double self, parent; /* seconds per pair */
};

/*
 * Ratio of half the range between the 5th and the 95th percentile to the interquartile range, in a
 * normal distribution.
 */
static const double SPREAD_PER_QUARTILES = 1.2194;

static struct sample measure_batch(struct gptl_thread *t, double seconds_per_tick)
{
    struct gptl_node *node = gptl_tree_node(&t->tree, t->tree.nnodes - 1);
    uint64_t self = atomic_load(&node->total), begin = t->clock->read();
    for (int i = 0; i < PAIRS; i++) {
        GPTLstart("overhead");
        GPTLstop("overhead");
    }
    uint64_t all = t->clock->read() - begin;
    self = atomic_load(&node->total) - self;
    return (struct sample){
        .self = (double)self * seconds_per_tick / PAIRS,
        .parent = all > self ? (double)(all - self) * seconds_per_tick / PAIRS : 0,
    };
}

static int by_self(const void *a, const void *b)
{
    double x = ((const struct sample *)a)->self, y = ((const struct sample *)b)->self;
    return (x > y) - (x < y);
}

static int by_parent(const void *a, const void *b)
{
    double x = ((const struct sample *)a)->parent, y = ((const struct sample *)b)->parent;
    return (x > y) - (x < y);
}

/*
 * Return the spread, from the quartiles, because outer percentiles of few samples are meaningless:
 * of 15, these are the extremes, and one sample in which the thread lost its processor would make
 * the spread milliseconds.
 */
static double spread_of(double lower_quartile, double upper_quartile)
{
    return (upper_quartile - lower_quartile) * SPREAD_PER_QUARTILES;
}

int gptl_core_overhead(struct gptl_overhead *out)
{
    static struct sample samples[BATCHES];
    sigset_t all, before;
    sigfillset(&all);
    gptl_lock();
    double seconds_per_tick = gptl_clock_seconds_per_tick(gptl_clock_now());
    pthread_sigmask(SIG_SETMASK, &all, &before);
    struct gptl_thread *own = gptl_tls;
    int n = 0;
    struct gptl_thread *scratch = gptl_thread_begin_scratch();
    if (scratch) {
        for (int i = 0; i < 2; i++) { /* the first visit, and one to warm up */
            GPTLstart("overhead");
            GPTLstop("overhead");
        }
        uint64_t begin = scratch->clock->read();
        while (n < BATCHES &&
               (n < FEWEST ||
                (double)(scratch->clock->read() - begin) * seconds_per_tick < MOST_SECONDS))
            samples[n++] = measure_batch(scratch, seconds_per_tick);
        gptl_thread_end_scratch(scratch, own);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (n > 0) {
        qsort(samples, (size_t)n, sizeof *samples, by_self);
        out->self = samples[n / 2].self;
        out->self_spread = spread_of(samples[n / 4].self, samples[n * 3 / 4].self);
        qsort(samples, (size_t)n, sizeof *samples, by_parent);
        out->parent = samples[n / 2].parent;
        out->parent_spread = spread_of(samples[n / 4].parent, samples[n * 3 / 4].parent);
    }
    gptl_unlock();
    return n > 0 ? 0 : -1;
}
