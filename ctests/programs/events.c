/*
 * events.c - regions with known events: first touches of pages, and a variable that is a
 * software-defined event, sde:::TEST::COUNT, if built with -DSDE.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gptl.h>

static long long count;

#ifdef SDE
#include <sde_lib.h>
static void define(void)
{
    papi_handle_t handle = papi_sde_init("TEST");
    papi_sde_register_counter(handle, "COUNT", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long,
                              &count);
}
#else
static void define(void) {}
#endif

/* In advance, so that a region has the faults of the pages only. */
static char *pages(int n)
{
    char *p = mmap(NULL, 4096UL * n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || madvise(p, 4096UL * n, MADV_NOHUGEPAGE))
        exit(3);
    return p;
}

static void touch(int n)
{
    volatile char *p = pages(n);
    for (int i = 0; i < n; i++)
        p[4096L * i] = 1;
    munmap((void *)p, 4096UL * n);
    count += n;
}

static void tree(void)
{
    GPTLstart("main");
    GPTLstart("hundred");
    touch(100);
    GPTLstop("hundred");
    GPTLstart("sibling");
    GPTLstop("sibling");
    for (int i = 0; i < 10; i++) {
        GPTLstart("ten");
        touch(10);
        GPTLstart("three");
        touch(3);
        GPTLstop("three");
        GPTLstop("ten");
    }
    GPTLstop("main");
}

static void *work(void *argument)
{
    int n = *(int *)argument;
    GPTLstart("work");
    touch(n);
    GPTLstart("inside");
    touch(2 * n);
    GPTLstop("inside");
    GPTLstop("work");
    return NULL;
}

/* Concurrently, so that each thread has a slot; numbers identify the counts. */
static pthread_barrier_t all_started;

static void *work_at_once(void *argument)
{
    GPTLstart("start");
    GPTLstop("start");
    pthread_barrier_wait(&all_started);
    work(argument);
    pthread_barrier_wait(&all_started);
    return NULL;
}

static void threads(int n)
{
    pthread_t thread[8];
    int pages_of[8];
    pthread_barrier_init(&all_started, NULL, (unsigned)n);
    for (int i = 0; i < n; i++) {
        pages_of[i] = 10 * (i + 1);
        pthread_create(&thread[i], NULL, work_at_once, &pages_of[i]);
    }
    for (int i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
}

static void one_after_another(int n)
{
    int three = 3;
    GPTLstart("main");
    GPTLstop("main");
    for (int i = 0; i < n; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, &three);
        pthread_join(thread, NULL);
    }
}

static void omp(void)
{
#ifdef _OPENMP
    for (int k = 0; k < 3; k++) {
#pragma omp parallel num_threads(2)
        {
            int n = 5;
            work(&n);
        }
    }
#endif
}

static void in_child(void)
{
    tree();
    if (fork() == 0) {
        GPTLstart("child");
        touch(20);
        GPTLstop("child");
        exit(0);
    }
    wait(NULL);
}

static void disabled(void)
{
    GPTLstart("open");
    touch(1);
    GPTLdisable();
    touch(50);
    GPTLenable();
    touch(2);
    GPTLstop("open");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "tree";
    define();
    /* The first call of a function resolves it, which may touch pages as well. */
    GPTLstart("warm up");
    GPTLstop("warm up");
    count = 0;
    if (strcmp(what, "tree") == 0)
        tree();
    else if (strcmp(what, "threads") == 0)
        threads(4);
    else if (strcmp(what, "many") == 0)
        one_after_another(2000);
    else if (strcmp(what, "omp") == 0)
        omp();
    else if (strcmp(what, "fork") == 0)
        in_child();
    else if (strcmp(what, "disabled") == 0)
        disabled();
    else if (strcmp(what, "killed") == 0) {
        tree();
        raise(SIGKILL);
    }
    return 0;
}
