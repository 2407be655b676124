/*
 * tree.c - a program whose tree contains all features: regions with several parents, recursion,
 * and, with a word on the command line, threads, intervals, open regions or mistakes. Its counts
 * are the same in every run.
 */
#include <gptl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void region(const char *name, int calls)
{
    for (int i = 0; i < calls; i++) {
        GPTLstart(name);
        GPTLstop(name);
    }
}

/* B has three parents: step calls it first, A most often, C last. */
static void step(int first)
{
    GPTLstart("step");
    region("B", 1);
    GPTLstart("A");
    region("B", 2);
    GPTLstop("A");
    if (!first) {
        GPTLstart("C");
        region("B", 1);
        GPTLstop("C");
    }
    GPTLstop("step");
}

static void factorial(int n)
{
    GPTLstart("factorial");
    if (n > 1)
        factorial(n - 1);
    GPTLstop("factorial");
}

static void pong(int n);
static void ping(int n)
{
    GPTLstart("ping");
    if (n > 0)
        pong(n - 1);
    GPTLstop("ping");
}

static void pong(int n)
{
    GPTLstart("pong");
    region("leaf", 1);
    if (n > 0)
        ping(n - 1);
    GPTLstop("pong");
}

static void crossed(void)
{
    GPTLstart("outer");
    GPTLstart("inner");
    GPTLstop("outer");
    region("within_inner", 1);
    GPTLstop("inner");
}

static void *work(void *steps)
{
    for (int i = 0; i < *(int *)steps; i++)
        step(0);
    crossed();
    region("only_here", *(int *)steps == 2);
    return NULL;
}

/* The second thread begins while the first one exists, so that their numbers are certain. */
static pthread_barrier_t both;

static void *first_thread(void *steps)
{
    work(steps);
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
    return NULL;
}

static void *second_thread(void *steps)
{
    pthread_barrier_wait(&both);
    work(steps);
    pthread_barrier_wait(&both);
    return NULL;
}

static void threads(void)
{
    static int one = 1, two = 2;
    pthread_t first, second;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&first, NULL, first_thread, &one);
    pthread_create(&second, NULL, second_thread, &two);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    GPTLinitialize();
    GPTLstart("total");
    for (int i = 0; i < 3; i++) {
        step(i == 0);
        if (strcmp(mode, "marks") == 0 && i < 2)
            GPTLmark(i == 0 ? "first step" : "second \"step\"");
    }
    if (strcmp(mode, "threads") == 0)
        threads();
    factorial(4);
    ping(5);
    if (strcmp(mode, "open") == 0) {
        GPTLstart("still open");
        GPTLstart("deepest");
        GPTLstart("deepest");
        exit(0);
    }
    if (strcmp(mode, "mistakes") == 0) {
        crossed();
        crossed();
        GPTLstop("never started");
        GPTLstop("step");
        region("", 2);
        region("tab\there", 1);
        region("caf\xc3\xa9", 1);
        region("not\xffutf8", 1);
    }
    GPTLstop("total");
    return 0;
}
