/*
 * team.c - threads that work in lockstep. Between pieces of work they sleep; within one they spin,
 * so that all continue in the same microsecond, and yield if that takes long.
 */
#include "config.h"

#include "postproc/maps/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"

struct member {
    struct team *team;
    pthread_t thread;
    int processor;
    unsigned number;
};

struct team {
    struct member *members;
    unsigned size, started;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned order, working; /* orders so far; members still working on the last one */
    team_work work;
    void *argument;
    _Atomic unsigned arrived, steps;
};

static void pin(int processor)
{
    cpu_set_t *set = CPU_ALLOC((size_t)processor + 1);
    size_t size = CPU_ALLOC_SIZE((size_t)processor + 1);
    if (!set)
        return;
    CPU_ZERO_S(size, set);
    CPU_SET_S((size_t)processor, size, set);
    sched_setaffinity(0, size, set);
    CPU_FREE(set);
}

/* NULL as work ends the thread. */
static void *serve(void *argument)
{
    struct member *member = argument;
    struct team *team = member->team;
    unsigned done = 0;
    pin(member->processor);
    for (;;) {
        pthread_mutex_lock(&team->lock);
        while (team->order == done)
            pthread_cond_wait(&team->changed, &team->lock);
        done = team->order;
        team_work work = team->work;
        pthread_mutex_unlock(&team->lock);
        if (!work)
            return NULL;
        work(team->argument, member->number);
        pthread_mutex_lock(&team->lock);
        if (--team->working == 0)
            pthread_cond_broadcast(&team->changed);
        pthread_mutex_unlock(&team->lock);
    }
}

struct team *team_start(const int *processors, unsigned n)
{
    struct team *team = memory_zeros(1, sizeof *team);
    team->members = memory_zeros(n, sizeof *team->members);
    team->size = n;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->changed, NULL);
    for (unsigned i = 0; i < n; i++) {
        struct member *member = &team->members[i];
        *member = (struct member){.team = team, .processor = processors[i], .number = i};
        int error = pthread_create(&member->thread, NULL, serve, member);
        if (error != 0) {
            fprintf(stderr, "gptl maps: cannot start a thread: %s\n", strerror(error));
            team_end(team);
            return NULL;
        }
        team->started++;
    }
    return team;
}

void team_end(struct team *team)
{
    pthread_mutex_lock(&team->lock);
    team->work = NULL;
    team->order++;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
    for (unsigned i = 0; i < team->started; i++)
        pthread_join(team->members[i].thread, NULL);
    pthread_cond_destroy(&team->changed);
    pthread_mutex_destroy(&team->lock);
    free(team->members);
    free(team);
}

unsigned team_size(const struct team *team)
{
    return team->size;
}

void team_run(struct team *team, team_work work, void *argument)
{
    pthread_mutex_lock(&team->lock);
    team->work = work;
    team->argument = argument;
    team->working = team->size;
    team->order++;
    pthread_cond_broadcast(&team->changed);
    while (team->working > 0)
        pthread_cond_wait(&team->changed, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

void team_step(struct team *team)
{
    enum { AWAKE = 2000 };
    unsigned step = atomic_load(&team->steps);
    if (atomic_fetch_add(&team->arrived, 1) + 1 == team->size) {
        atomic_store(&team->arrived, 0);
        atomic_fetch_add(&team->steps, 1);
        return;
    }
    for (int tries = 0; atomic_load(&team->steps) == step; tries++)
        if (tries > AWAKE)
            sched_yield();
}
