/*
 * A thread of an OpenMP team has the team's number, a thread of a nested team a separate number, a
 * plain thread the next free one; pools may shrink and grow.
 */
#include <omp.h>
#include <pthread.h>

#include "check.h"

enum { TEAM = 4, CALLS = 1000 };

static void calls(const char *name)
{
    for (int i = 0; i < CALLS; i++) {
        CHECK_OK(GPTLstart(name));
        CHECK_OK(GPTLstop(name));
    }
}

static void *plain_thread(void *name)
{
    calls(name);
    return NULL;
}

static void level_one(void)
{
    static const char *const names[TEAM] = {"thread 0", "thread 1", "thread 2", "thread 3"};
#pragma omp parallel num_threads(TEAM)
    {
        calls(names[omp_get_thread_num()]);
#pragma omp barrier
    }
    for (int t = 0; t < TEAM; t++) {
        CHECK_INT(check_count(names[t], t), CALLS);
        int n = 0;
        CHECK_OK(GPTLget_nregions(t, &n));
        CHECK_INT(n, 1);
    }
}

/*
 * Return the calls of a region in all threads: a thread of an earlier pool may not have exited yet.
 */
static int calls_in_all(const char *name)
{
    int sum = 0;
    for (int t = 0; t < 32; t++) {
        int count = 0;
        if (GPTLget_count(name, t, &count) == 0)
            sum += count;
    }
    return sum;
}

static void pools_that_come_and_go(void)
{
    static const int sizes[] = {1, 4, 2, 3, 1, 2, 4, 4, 1, 3};
    int expected = 0;
    for (int round = 0; round < 10; round++) {
        omp_set_num_threads(sizes[round]);
#pragma omp parallel
        calls("pool");
        expected += sizes[round] * CALLS;
    }
    CHECK_INT(check_count("pool", 0), 10 * CALLS);
    CHECK_INT(calls_in_all("pool"), expected);
}

static void nested(void)
{
    omp_set_max_active_levels(2);
    CHECK_OK(GPTLreset());
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(3)
    calls("nested");
    CHECK_INT(calls_in_all("nested"), 6 * CALLS);
}

static void beside_plain_threads(void)
{
    pthread_t thread[2];
    CHECK_OK(GPTLreset());
    for (int i = 0; i < 2; i++)
        CHECK_OK(pthread_create(&thread[i], NULL, plain_thread, "plain"));
#pragma omp parallel num_threads(TEAM)
    calls("team");
    for (int i = 0; i < 2; i++)
        CHECK_OK(pthread_join(thread[i], NULL));
    CHECK_INT(calls_in_all("team"), TEAM * CALLS);
    CHECK_INT(calls_in_all("plain"), 2 * CALLS);
}

int main(void)
{
    CHECK_OK(GPTLinitialize());
    level_one();
    pools_that_come_and_go();
    beside_plain_threads();
    nested();
    CHECK_OK(GPTLfinalize());
    return 0;
}
