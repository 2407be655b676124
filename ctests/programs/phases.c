/*
 * phases.c - a program with an interesting tree: phases, recursion, a region with many children,
 * two threads in addition to the first one. The loop takes far longer than all else, even if a
 * thread has to wait for a processor. PMI_RANK 1 takes twice as long as 0. Each word on the command
 * line is one more region, called three times below "names".
 */
#include <gptl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void work(const char *name, long amount)
{
    volatile double sum = 0;
    GPTLstart(name);
    for (long i = 0; i < amount; i++)
        sum += (double)i;
    GPTLstop(name);
}

static void cycle(int levels)
{
    GPTLstart("cycle");
    work("smooth", 500);
    if (levels > 1)
        cycle(levels - 1);
    GPTLstop("cycle");
}

static void solve(int rank)
{
    GPTLstart("solve");
    for (int i = 0; i < 20; i++)
        work("matvec", 20000L * (rank + 1));
    work("dot", 2000);
    cycle(3);
    GPTLstop("solve");
}

/* Both threads exist at the same time, so that each has its own number. */
static pthread_barrier_t both;

static void *thread(void *rank)
{
    pthread_barrier_wait(&both);
    for (int i = 0; i < 50; i++)
        work("matvec", 100L * (1 + *(int *)rank));
    pthread_barrier_wait(&both);
    return NULL;
}

static void many(void)
{
    char name[32];
    GPTLstart("many");
    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "part_%d", i);
        work(name, 10L * i);
    }
    GPTLstop("many");
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    const char *text = getenv("PMI_RANK");
    int rank = text ? atoi(text) : 0;
    GPTLstart("main");
    work("setup", 100);
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, thread, &rank);
    GPTLstart("loop");
    for (int i = 0; i < 10; i++) {
        solve(rank);
        work("output", 1000);
    }
    GPTLstop("loop");
    many();
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    GPTLstart("names");
    for (int i = 1; i < argc; i++)
        for (int k = 0; k < 3; k++)
            work(argv[i], 100L * i);
    GPTLstop("names");
    GPTLstop("main");
    return 0;
}
