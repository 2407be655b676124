/*
 * The measurement ends and begins again while a pool of threads survives and continues to start and
 * stop regions: nothing crashes, and afterwards the counts are exact.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "check.h"

enum { THREADS = 4, ROUNDS = 200, CALLS = 1000 };

static _Atomic int done;
static pthread_barrier_t together;

/* Results are ignored: a start may occur while it is off. */
static void calls(int n)
{
    char name[32];
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "n%d", i % 200);
        GPTLstart("outer");
        GPTLstart(name);
        GPTLstop(name);
        GPTLstop("outer");
    }
}

static void *work(void *unused)
{
    while (!done)
        calls(100);
    pthread_barrier_wait(&together); /* no activity; a new measurement begins */
    pthread_barrier_wait(&together);
    calls(CALLS);
    CHECK_INT(check_count("outer", -1), CALLS);
    CHECK_INT(check_count("n7", -1), CALLS / 200);
    pthread_barrier_wait(&together);
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    CHECK_OK(pthread_barrier_init(&together, NULL, THREADS + 1));
    CHECK_OK(GPTLinitialize());
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(pthread_create(&threads[i], NULL, work, NULL));
    for (int i = 0; i < ROUNDS; i++) {
        CHECK_OK(GPTLfinalize());
        CHECK_INT(GPTLstart("off"), -1);
        CHECK_OK(GPTLinitialize());
        CHECK_OK(GPTLstart("on"));
        CHECK_OK(GPTLstop("on"));
        CHECK_INT(check_count("on", -1), 1);
    }
    done = 1;
    pthread_barrier_wait(&together);
    CHECK_OK(GPTLfinalize());
    CHECK_OK(GPTLinitialize());
    pthread_barrier_wait(&together);
    pthread_barrier_wait(&together);
    CHECK_OK(GPTLfinalize());
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(pthread_join(threads[i], NULL));
    return 0;
}
