/*
 * worker.h - a thread that performs one action at a time, on request of the test: start a region,
 * stop one, or call a function.
 */
#ifndef CTESTS_WORKER_H
#define CTESTS_WORKER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

#include "check.h"
#include "core/thread.h"

struct worker {
    pthread_t thread;
    sem_t order, done;
    int (*call)(const char *);
    const char *argument;
    int result, slot;
};

static inline void *worker_run(void *argument)
{
    struct worker *w = argument;
    for (;;) {
        sem_wait(&w->order);
        if (!w->call)
            return NULL;
        w->result = w->call(w->argument);
        w->slot = gptl_thread_own() ? gptl_thread_own()->slot : -1;
        sem_post(&w->done);
    }
}

static inline struct worker *worker_begin(void)
{
    struct worker *w = calloc(1, sizeof *w);
    w->slot = -1;
    sem_init(&w->order, 0, 0);
    sem_init(&w->done, 0, 0);
    CHECK_OK(pthread_create(&w->thread, NULL, worker_run, w));
    return w;
}

static inline int worker_call(struct worker *w, int (*call)(const char *), const char *argument)
{
    w->call = call;
    w->argument = argument;
    sem_post(&w->order);
    sem_wait(&w->done);
    return w->result;
}

static inline int worker_start(struct worker *w, const char *name)
{
    return worker_call(w, GPTLstart, name);
}

static inline int worker_stop(struct worker *w, const char *name)
{
    return worker_call(w, GPTLstop, name);
}

/* The number of its thread. */
static inline int worker_slot(const struct worker *w)
{
    return w->slot;
}

/* The thread exits. */
static inline void worker_end(struct worker *w)
{
    w->call = NULL;
    sem_post(&w->order);
    CHECK_OK(pthread_join(w->thread, NULL));
    sem_destroy(&w->order);
    sem_destroy(&w->done);
    free(w);
}

#endif
