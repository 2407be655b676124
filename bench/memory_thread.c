/*
 * memory_thread.c - bytes per thread before its tree has a considerable size: 100 threads that
 * wait, then time one region each, then wait again.
 *
 * Bytes are the growth of RssAnon (anonymous resident memory) and of VmData (private writable
 * address space) between the two waits. Stacks are touched before and therefore not included.
 */
#include "bench.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>

enum { THREADS = 100 };
static pthread_barrier_t step;

/* Touch more stack than the library needs: a thread has a stack without the library too. */
static void touch_stack(void)
{
    char page[32768];
    size_t i;

    for (i = 0; i < sizeof page; i += 512) {
        page[i] = 0;
        __asm__ volatile("" : : "r"(page) : "memory");
    }
}

static void *time_once(void *arg)
{
    touch_stack();
    pthread_barrier_wait(&step); /* all threads exist, none has timed */
    pthread_barrier_wait(&step);
    bench_run_pair(NULL, 1);
    pthread_barrier_wait(&step); /* all threads have timed, none has ended */
    pthread_barrier_wait(&step); /* never passed: the process ends before */
    return arg;
}

static void row(const char *work, double kb, const char *target)
{
    char figure[32];

    snprintf(figure, sizeof figure, "%.0f B", 1024 * kb / THREADS);
    bench_row_text(work, "-", figure, NAN, target);
}

int main(void)
{
    pthread_t thread;
    double used, space;
    int i;

    bench_open();
    /* The machine's setting would change the figures. */
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    bench_library(NULL);
    bench_run_pair(NULL, 1);
    pthread_barrier_init(&step, NULL, THREADS + 1);
    for (i = 0; i < THREADS; i++)
        if (pthread_create(&thread, NULL, time_once, NULL))
            bench_stop(1, "cannot start a thread");
    pthread_barrier_wait(&step);
    used = bench_status_kb("RssAnon");
    space = bench_status_kb("VmData");
    pthread_barrier_wait(&step);
    pthread_barrier_wait(&step);
    row("memory a thread, in use", bench_status_kb("RssAnon") - used, "at most 65536 B");
    row("memory a thread, address space", bench_status_kb("VmData") - space, "shown");
    bench_close();
}
