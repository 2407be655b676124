/* pmu_threads.c - each thread counts its own instructions, from its first region on. */
#include <pthread.h>

#include "report.h"

enum { THREADS = 4 };

static void *work(void *arg)
{
    uint64_t million = (uint64_t)(intptr_t)arg;
    CHECK_OK(GPTLstart("in thread"));
    report_work(million * 500000);
    CHECK_OK(GPTLstop("in thread"));
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    (void)argc;
    report_options(argv, "counters=PAPI_TOT_INS;output=json");
    CHECK_OK(GPTLinitialize());
    CHECK_OK(GPTLstart("around"));
    for (intptr_t i = 0; i < THREADS; i++)
        CHECK_OK(pthread_create(&thread[i], NULL, work, (void *)(i + 1)));
    report_work(5000000);
    for (int i = 0; i < THREADS; i++)
        CHECK_OK(pthread_join(thread[i], NULL));
    CHECK_OK(GPTLstop("around"));
    struct report r = report_now();
    CHECK_INT(r.nrefused, 0);
    /* A thread that ends early leaves its slot to a later one, which goes on with its tree. */
    double sum = 0;
    for (int i = 0; i < r.nnodes; i++)
        if (strcmp(r.node[i].name, "in thread") == 0)
            sum += r.node[i].value[0];
    CHECK_BETWEEN(sum, 10e6, 10e6 + THREADS * 1000);
    /* Its own loop, and what it takes to make threads and to wait for them. */
    CHECK_BETWEEN(report_value(&r, 0, "around", "PAPI_TOT_INS"), 10e6, 10e6 + 200000);
    CHECK_OK(GPTLfinalize());
    return 0;
}
