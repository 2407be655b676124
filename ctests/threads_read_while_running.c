/*
 * Queries, reports, resets and marks from one thread while others start and stop regions, begin and
 * end: nothing fails, and afterwards the counts are exact again.
 */
#include <pthread.h>

#include "calls.h"

enum { THREADS = 4, CALLS = 20000, ROUNDS = 300 };

static void *short_lived(void *unused)
{
    calls(20);
    return unused;
}

static void read_all(int i)
{
    int n = 0, count = 0, open = 0;
    double a = 0, b = 0;
    char name[64];
    for (int t = 0; t <= THREADS; t++) {
        if (GPTLget_nregions(t, &n) == 0 && n > 0)
            CHECK_OK(GPTLget_regionname(t, i % n, name, sizeof name));
        if (GPTLquery("outer", t, &count, &open, &a, NULL, NULL, NULL, 0) == 0)
            CHECK(count >= 0 && a >= 0 && (open == 0 || open == 1));
        GPTLget_wallclock_latest("own7", t, &a);
    }
    GPTLget_threadwork("outer", &a, &b);
    CHECK(b <= a);
}

int main(void)
{
    pthread_t threads[THREADS], other;
    CHECK_OK(GPTLinitialize());
    CHECK_OK(GPTLstart("outer"));
    CHECK_OK(GPTLstop("outer"));
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(pthread_create(&threads[i], NULL, calls_until_done, NULL));
    for (int i = 0; i < ROUNDS; i++) {
        CHECK_OK(pthread_create(&other, NULL, short_lived, NULL));
        read_all(i);
        if (i % 4 == 0)
            CHECK_OK(GPTLpr_file("report"));
        if (i % 3 == 0)
            CHECK_OK(GPTLmark("m"));
        if (i % 5 == 0)
            CHECK_OK(GPTLreset_timer("outer"));
        if (i % 7 == 0)
            CHECK_OK(GPTLreset());
        CHECK_OK(pthread_join(other, NULL));
    }
    calls_done = 1;
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(pthread_join(threads[i], NULL));

    CHECK_OK(GPTLreset());
    calls(CALLS);
    CHECK_INT(check_count("outer", 0), 2 * CALLS);
    for (int t = 1; t <= THREADS; t++)
        CHECK_INT(check_count("outer", t), 0);
    CHECK_OK(GPTLfinalize());
    return 0;
}
