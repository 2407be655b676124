/* estimate.c - estimates of all calls of a throttled node from its timed calls. */
#include "config.h"

#include "core/estimate.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)

/*
 * Holds in 96 of 100 cases; another 1 is the probability that the unfinished block is the longest.
 */
#define CONFIDENCE 4.3175 /* ln(3/0.04) */
enum { MANY_BLOCKS = 100 };

struct sums {
    double blocks, elapsed, ticks, squares, longest;
};

static struct sums sum_up(const struct gptl_throttle *throttle, int from, int to)
{
    struct sums sums = {0};
    for (int i = from; i < to; i++) {
        const struct gptl_throttle_bucket *bucket = &throttle->bucket[i];
        sums.blocks += (double)load(&bucket->blocks);
        sums.elapsed += (double)load(&bucket->elapsed);
        sums.ticks += (double)load(&bucket->ticks);
        sums.squares += load(&bucket->squares);
        if (load(&bucket->blocks))
            sums.longest = (double)load(&bucket->longest);
    }
    return sums;
}

/* Return the bucket up to which blocks count as short, selected for the smallest uncertainty. */
static int choose(const struct gptl_throttle *throttle, double every)
{
    int chosen = 0;
    double least = sum_up(throttle, 0, GPTL_THROTTLE_BUCKETS).elapsed;
    for (int i = 1; i <= GPTL_THROTTLE_BUCKETS; i++) {
        struct sums some = sum_up(throttle, 0, i);
        double uncertain = sum_up(throttle, i, GPTL_THROTTLE_BUCKETS).elapsed +
                           3 * every * some.longest * CONFIDENCE;
        if (some.blocks >= 2 && uncertain < least) {
            least = uncertain;
            chosen = i;
        }
    }
    return chosen;
}

struct range {
    double low, middle, high;
};

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Return the square root, by Newton's method from above. The library does not link libm. */
static double square_root(double x)
{
    if (!(x > 0))
        return 0;
    double root = x > 1 ? x : 1, next = (root + x / root) / 2;
    while (next < root * (1 - 1e-9)) {
        root = next;
        next = (root + x / root) / 2;
    }
    return next;
}

static double within(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* Return the estimate for short blocks, each with one randomly selected call. */
static struct range sampled(struct sums s, double every)
{
    if (s.blocks < 2)
        return (struct range){0, 0, 0};
    double mean = s.ticks / s.blocks, variance = s.squares / s.blocks - mean * mean;
    double spread = every * (square_root(2 * larger(variance, 0) * s.blocks * CONFIDENCE) +
                             3 * s.longest * CONFIDENCE);
    double middle = every * s.ticks;
    struct range range = {larger(s.ticks, middle - spread), middle,
                          smaller(s.elapsed, middle + spread)};
    range.middle = within(middle, range.low, range.high);
    return range;
}

/* Return the estimate for arbitrary blocks: at most their length. */
static struct range anything(double ticks, double elapsed, double every)
{
    return (struct range){ticks, smaller(every * ticks, elapsed), elapsed};
}

static struct range unfinished(const struct gptl_throttle *throttle, struct sums all,
                               uint64_t lasted)
{
    double elapsed = (double)lasted, ticks = (double)load(&throttle->ticks);
    if (all.blocks >= MANY_BLOCKS)
        elapsed = smaller(elapsed, larger(all.longest, ticks));
    return anything(ticks, elapsed, (double)load(&throttle->every));
}

uint64_t gptl_estimate_total(const struct gptl_throttle *throttle, uint64_t total, uint64_t lasted,
                             uint64_t *error)
{
    double every = (double)load(&throttle->every);
    int bound = choose(throttle, every);
    struct sums all = sum_up(throttle, 0, GPTL_THROTTLE_BUCKETS);
    struct sums some = sum_up(throttle, 0, bound);
    struct sums others = sum_up(throttle, bound, GPTL_THROTTLE_BUCKETS);
    struct range parts[] = {sampled(some, every), anything(others.ticks, others.elapsed, every),
                            unfinished(throttle, all, lasted)};
    struct range sum = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        sum.low += parts[i].low;
        sum.middle += parts[i].middle;
        sum.high += parts[i].high;
    }
    *error = load(&throttle->error) +
             (uint64_t)(larger(sum.high - sum.middle, sum.middle - sum.low) + 1);
    double counted = every * (all.ticks + (double)load(&throttle->ticks));
    double excess = counted > sum.middle ? counted - sum.middle : 0;
    return excess < (double)total ? total - (uint64_t)excess : 0;
}
