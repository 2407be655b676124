/*
 * unit_histogram.c - quantiles from the histogram are within 3 % of the exact ones; histograms
 * merge.
 */
#include "config.h"

#include "fake.h"

enum { N = 100000 };

static uint64_t values[N];

static uint64_t random64(void)
{
    static uint64_t x = 88172645463325252u;
    x ^= x << 13;
    x ^= x >> 7;
    return x ^= x << 17;
}

static double uniform(void)
{
    return (double)(random64() >> 11) / (double)(UINT64_C(1) << 53);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void fill(int distribution)
{
    for (int i = 0; i < N; i++) {
        double u = uniform();
        switch (distribution) {
        case 0:
            values[i] = (uint64_t)(u * 1000);
            break;
        case 1: /* exponential */
            values[i] = (uint64_t)(-50000 * log(1 - u));
            break;
        case 2: /* over nine decades */
            values[i] = (uint64_t)pow(10, 1 + 9 * u);
            break;
        case 3: /* two humps */
            values[i] = (uint64_t)((u < 0.9 ? 100 : 1e6) * (1 + uniform()));
            break;
        case 4: /* powers of two and their neighbors */
            values[i] = (UINT64_C(1) << random64() % 44) + random64() % 3 - 1;
            break;
        case 5: /* a few small numbers */
            values[i] = random64() % 40;
            break;
        default:
            values[i] = 123457;
        }
    }
    qsort(values, N, sizeof *values, by_value);
}

static void test_quantiles(void **state)
{
    (void)state;
    static const double fractions[] = {0, 0.001, 0.01, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1};
    static struct gptl_histogram h, half[2];
    for (int distribution = 0; distribution <= 6; distribution++) {
        memset(&h, 0, sizeof h);
        memset(half, 0, sizeof half);
        fill(distribution);
        for (int i = 0; i < N; i++) {
            gptl_core_histogram_add(&h, values[i]);
            gptl_core_histogram_add(&half[i % 2], values[i]);
        }
        for (size_t k = 0; k < sizeof fractions / sizeof fractions[0]; k++) {
            size_t rank = (size_t)ceil(fractions[k] * N);
            double exact = (double)values[rank ? rank - 1 : 0];
            double found = gptl_core_histogram_quantile(&h, fractions[k]);
            CHECK_THAT(fabs(found - exact) <= 0.03 * exact,
                       "distribution %d: quantile %g is %g, expected %g", distribution,
                       fractions[k], found, exact);
        }
        for (int b = 0; b < GPTL_HISTOGRAM_BUCKETS; b++) /* merging is adding */
            CHECK_INT(half[0].bucket[b] + half[1].bucket[b], h.bucket[b]);
    }
}

static void test_extremes(void **state)
{
    (void)state;
    static struct gptl_histogram h;
    CHECK_REAL(gptl_core_histogram_quantile(&h, 0.5), 0);
    gptl_core_histogram_add(&h, 0);
    CHECK_REAL(gptl_core_histogram_quantile(&h, 0.5), 0);
    CHECK_REAL(gptl_core_histogram_quantile(&h, 1), 0);
    gptl_core_histogram_add(&h, UINT64_MAX);
    gptl_core_histogram_add(&h, UINT64_C(1) << 44);
    CHECK_BETWEEN(gptl_core_histogram_quantile(&h, 1), 0.97 * (double)(UINT64_C(1) << 44), 1.9e19);
    CHECK_INT(h.bucket[GPTL_HISTOGRAM_BUCKETS - 1], 2);
}

/* Every value has one bucket, and larger ones never have an earlier one. */
static void test_buckets_are_in_order(void **state)
{
    (void)state;
    int last = 0;
    for (uint64_t v = 0; v < UINT64_C(1) << 45; v += v / 100 + 1) {
        static struct gptl_histogram h;
        memset(&h, 0, sizeof h);
        gptl_core_histogram_add(&h, v);
        int bucket = 0;
        while (!h.bucket[bucket])
            bucket++;
        CHECK(bucket >= last && bucket < GPTL_HISTOGRAM_BUCKETS);
        last = bucket;
    }
}

static const struct gptl_histogram *histogram_at(struct fake_copy c, const char *path)
{
    const struct gptl_node_copy *node = node_at(c.all, path);
    CHECK(node);
    return node->extra ? c.all->extras[node->extra - 1].histogram : NULL;
}

static uint64_t calls_in(const struct gptl_histogram *h)
{
    uint64_t calls = 0;
    for (int b = 0; b < GPTL_HISTOGRAM_BUCKETS; b++)
        calls += h->bucket[b];
    return calls;
}

static void test_of_regions(void **state)
{
    fake_teardown(state);
    fake_setup_implicit(state);
    CHECK_OK(gptl_core_set_options("histogram=on", "test"));
    CHECK_OK(GPTLinitialize());
    for (uint64_t i = 1; i <= 1000; i++) {
        CHECK_OK(GPTLstart("x"));
        pass(i * 1000);
        CHECK_OK(GPTLstop("x"));
    }
    CHECK_OK(GPTLstart("r")); /* recursion: one call in the histogram, because one time is added */
    CHECK_OK(GPTLstart("r"));
    pass(500);
    CHECK_OK(GPTLstop("r"));
    CHECK_OK(GPTLstop("r"));
    CHECK_OK(GPTLstartstop_vals("v", 4000e-9, 4));
    CHECK_OK(GPTLmark("m")); /* the histogram covers the whole run */
    CHECK_OK(GPTLstart("x"));
    CHECK_OK(GPTLstop("x"));
    struct fake_copy c = fake_copy();
    const struct gptl_histogram *h = histogram_at(c, "x");
    CHECK(h);
    CHECK_INT(calls_in(h), 1001);
    CHECK_BETWEEN(gptl_core_histogram_quantile(h, 0.5), 500e3 * 0.97, 500e3 * 1.03);
    CHECK_BETWEEN(gptl_core_histogram_quantile(h, 0.95), 950e3 * 0.97, 950e3 * 1.03);
    CHECK_BETWEEN(gptl_core_histogram_quantile(h, 0.99), 990e3 * 0.97, 990e3 * 1.03);
    CHECK_INT(calls_in(histogram_at(c, "r")), 1);
    CHECK_INT(calls_in(histogram_at(c, "v")), 4);
    CHECK_BETWEEN(gptl_core_histogram_quantile(histogram_at(c, "v"), 0.5), 970, 1030);
    fake_copy_free(c);
    CHECK_OK(GPTLreset_timer("x"));
    CHECK_OK(GPTLstart("x"));
    pass(64);
    CHECK_OK(GPTLstop("x"));
    c = fake_copy();
    CHECK_INT(calls_in(histogram_at(c, "x")), 1);
    fake_copy_free(c);
}

static void test_off_by_default(void **state)
{
    (void)state;
    CHECK_OK(GPTLstart("x"));
    CHECK_OK(GPTLstop("x"));
    struct fake_copy c = fake_copy();
    CHECK(!histogram_at(c, "x"));
    CHECK_INT(c.all->nextras, 0);
    fake_copy_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_buckets_are_in_order),
        FAKE_TEST(test_of_regions),
        FAKE_TEST(test_off_by_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
