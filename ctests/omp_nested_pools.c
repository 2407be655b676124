/*
 * Pools under nested OpenMP that are created and destroyed many times, also from plain threads with
 * a pool each: every call is counted, and the number of slots stays small.
 */
#include <omp.h>
#include <pthread.h>

#include "check.h"

enum { ROUNDS = 60, CALLS = 20 };

static void calls(void)
{
    for (int i = 0; i < CALLS; i++) {
        CHECK_OK(GPTLstart("call"));
        CHECK_OK(GPTLstop("call"));
    }
}

static void *team_of_plain_thread(void *unused)
{
#pragma omp parallel num_threads(3)
    calls();
    return unused;
}

int main(void)
{
    int expected = 0;
    CHECK_OK(GPTLinitialize());
    omp_set_max_active_levels(2);
    for (int round = 0; round < ROUNDS; round++) {
        int outer = 1 + round % 3, inner = 1 + round % 4;
#pragma omp parallel num_threads(outer)
        {
#pragma omp parallel num_threads(inner)
            calls();
        }
        expected += outer * inner * CALLS;
        if (round % 10 == 0) {
            pthread_t thread;
            CHECK_OK(pthread_create(&thread, NULL, team_of_plain_thread, NULL));
            CHECK_OK(pthread_join(thread, NULL));
            expected += 3 * CALLS;
        }
    }
    int sum = 0, slots = 0;
    for (int t = 0; t < 64; t++) {
        int count = 0;
        if (GPTLget_count("call", t, &count) == 0) {
            sum += count;
            slots = t + 1;
        }
    }
    CHECK_INT(sum, expected);
    CHECK_BETWEEN(slots, 6, 32);
    CHECK_OK(GPTLfinalize());
    return 0;
}
