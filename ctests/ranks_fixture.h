/*
 * ranks_fixture.h - the profile of a rank as calls on its paths, and ranks that are threads of the
 * test and exchange messages through memory.
 */
#ifndef GPTL_CTESTS_RANKS_FIXTURE_H
#define GPTL_CTESTS_RANKS_FIXTURE_H

#include <pthread.h>

#include "report_fixture.h"

#include "ranks/ranks.h"
#include "ranks/tree.h"

/* ---- Profiles of any size ------------------------------------------------------------------- */

struct rank_profile {
    struct gptl_profile profile;
    struct gptl_copy copies[FIXTURE_THREADS];
};

static inline void rank_profile_init(struct rank_profile *r, int rank, int nthreads)
{
    memset(r, 0, sizeof *r);
    r->profile = (struct gptl_profile){
        .process = {.program = "model", .rank = rank, .elapsed = 1 + rank, .on = true},
        .host = "HOST",
        .copies = r->copies,
        .ncopies = nthreads};
    for (int t = 0; t < nthreads; t++)
        r->copies[t] = (struct gptl_copy){.thread = t, .seconds_per_tick = 1e-9};
}

/* Make thread T's room for NNODES nodes with the root. */
static inline void rank_profile_room(struct rank_profile *r, int t, uint32_t nnodes)
{
    struct gptl_copy *copy = &r->copies[t];
    copy->nodes = calloc(nnodes, sizeof *copy->nodes);
    copy->nodes[0] = (struct gptl_node_copy){.name = "", .min = UINT64_MAX};
    copy->nnodes = 1;
}

static inline uint32_t rank_profile_add(struct rank_profile *r, int t, uint32_t parent,
                                        uint32_t region, const char *name, uint64_t count,
                                        uint64_t total)
{
    struct gptl_copy *copy = &r->copies[t];
    uint32_t row = copy->nnodes++;
    copy->nodes[row] = (struct gptl_node_copy){.name = name,
                                               .count = count,
                                               .total = total,
                                               .max = total,
                                               .min = count ? 0 : UINT64_MAX,
                                               .parent = parent,
                                               .target = row,
                                               .region = region};
    return row;
}

static inline void rank_profile_free(struct rank_profile *r)
{
    for (int t = 0; t < r->profile.ncopies; t++)
        free(r->copies[t].nodes);
}

static inline void check_extreme(struct gptl_ranks_extreme found, uint64_t ns, int rank, int thread)
{
    assert_int_equal(found.ns, ns);
    assert_int_equal(found.rank, rank);
    assert_int_equal(found.thread, thread);
}

/* ---- Messages ------------------------------------------------------------------------------ */

enum { WORLD_RANKS = 64 };

/* Messages in transit. */
static void *(*world_malloc)(size_t size) = malloc;
static void (*world_free)(void *block) = free;

struct message {
    struct message *next;
    int from;
    size_t size;
    char bytes[];
};

struct world {
    int size;
    int lost; /* the rank whose messages do not arrive; -1: none */
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    struct message *box[WORLD_RANKS]; /* in the order in which they were sent */
    int nmessages[WORLD_RANKS];       /* that a rank sent or received */
    size_t largest[WORLD_RANKS];      /* that it received */
};

struct world_rank {
    struct world *world;
    int rank;
    struct gptl_transport transport;
};

static inline int world_send(void *context, int to, const void *bytes, size_t size)
{
    struct world_rank *me = context;
    struct world *world = me->world;
    struct message *m = world_malloc(sizeof *m + size);
    m->next = NULL;
    m->from = me->rank;
    m->size = me->rank == world->lost ? 0 : size;
    if (m->size)
        memcpy(m->bytes, bytes, size);
    pthread_mutex_lock(&world->lock);
    struct message **end = &world->box[to];
    while (*end)
        end = &(*end)->next;
    *end = m;
    world->nmessages[me->rank]++;
    pthread_cond_broadcast(&world->arrived);
    pthread_mutex_unlock(&world->lock);
    return me->rank == world->lost ? -1 : 0;
}

static inline struct message *world_find(struct world *world, int to, int from)
{
    for (struct message **at = &world->box[to]; *at; at = &(*at)->next)
        if ((*at)->from == from) {
            struct message *found = *at;
            *at = found->next;
            return found;
        }
    return NULL;
}

static inline int world_receive(void *context, int from, void **bytes, size_t *size)
{
    struct world_rank *me = context;
    struct world *world = me->world;
    struct message *m;
    pthread_mutex_lock(&world->lock);
    while (!(m = world_find(world, me->rank, from)))
        pthread_cond_wait(&world->arrived, &world->lock);
    world->nmessages[me->rank]++;
    if (m->size > world->largest[me->rank])
        world->largest[me->rank] = m->size;
    pthread_mutex_unlock(&world->lock);
    *size = m->size;
    *bytes = m->size ? malloc(m->size) : NULL;
    if (m->size)
        memcpy(*bytes, m->bytes, m->size);
    world_free(m);
    return 0;
}

/* Call DO_THIS for each of SIZE ranks, on a thread each; they all return the final RESULTS. */
typedef int world_work(const struct gptl_transport *transport, void *argument);

struct world_thread {
    struct world_rank rank;
    world_work *do_this;
    void *argument;
    int result;
    pthread_t thread;
};

static inline void *world_thread(void *argument)
{
    struct world_thread *t = argument;
    t->result = t->do_this(&t->rank.transport, t->argument);
    return NULL;
}

static inline void world_run(struct world *world, int size, int lost, world_work *do_this,
                             void *argument, int *results)
{
    static struct world_thread threads[WORLD_RANKS];
    *world = (struct world){.size = size, .lost = lost};
    pthread_mutex_init(&world->lock, NULL);
    pthread_cond_init(&world->arrived, NULL);
    for (int i = 0; i < size; i++) {
        struct world_thread *t = &threads[i];
        *t = (struct world_thread){
            .rank = {.world = world, .rank = i}, .do_this = do_this, .argument = argument};
        t->rank.transport = (struct gptl_transport){.context = &t->rank,
                                                    .rank = i,
                                                    .size = size,
                                                    .send = world_send,
                                                    .receive = world_receive};
        assert_int_equal(pthread_create(&t->thread, NULL, world_thread, t), 0);
    }
    for (int i = 0; i < size; i++) {
        pthread_join(threads[i].thread, NULL);
        results[i] = threads[i].result;
    }
    for (int i = 0; i < size; i++)
        assert_null(world->box[i]); /* no rank received an unexpected message */
    pthread_cond_destroy(&world->arrived);
    pthread_mutex_destroy(&world->lock);
}

#endif
