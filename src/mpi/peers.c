/*
 * peers.c - ranks of communicators in MPI_COMM_WORLD. Readers take no lock: the words of a table
 * are complete or 0, and an outgrown table is kept until the communicator is freed.
 */
#include "config.h"

#include "mpi/peers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A word contains the rank plus 1, and in its upper half the world rank plus 2. */
struct table {
    struct table *smaller;
    uint32_t room, used; /* ROOM is a power of two; at most half of it is used */
    _Atomic uint64_t word[];
};

struct gptl_mpi_peers {
    _Atomic uint32_t holders;
    bool same; /* ranks equal those of MPI_COMM_WORLD */
    MPI_Group group;
    struct table *_Atomic table;
};

enum { FIRST_ROOM = 8 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int keyval = MPI_KEYVAL_INVALID;

/* ---- Tables ---------------------------------------------------------------------------------- */

static _Atomic uint64_t *place_in(struct table *table, int rank)
{
    for (uint32_t i = (uint32_t)rank * 0x9e3779b9u;; i++) {
        _Atomic uint64_t *word = &table->word[i & (table->room - 1)];
        uint64_t there = atomic_load_explicit(word, memory_order_relaxed);
        if (there == 0 || (uint32_t)there == (uint32_t)rank + 1)
            return word;
    }
}

static struct table *larger(struct table *table)
{
    uint32_t room = table ? 2 * table->room : FIRST_ROOM;
    struct table *more = calloc(1, sizeof *more + room * sizeof *more->word);
    if (!more)
        return NULL;
    more->smaller = table;
    more->room = room;
    for (uint32_t i = 0; table && i < table->room; i++) {
        uint64_t word = atomic_load_explicit(&table->word[i], memory_order_relaxed);
        if (word == 0)
            continue;
        atomic_store_explicit(place_in(more, (int)((uint32_t)word - 1)), word,
                              memory_order_relaxed);
        more->used++;
    }
    return more;
}

/* Insert an entry; the caller holds the mutex. */
static void learn(struct gptl_mpi_peers *peers, int rank, int world_rank)
{
    struct table *table = atomic_load(&peers->table);
    if (!table || 2 * table->used >= table->room) {
        struct table *more = larger(table);
        if (!more)
            return;
        table = more;
        atomic_store_explicit(&peers->table, table, memory_order_release);
    }
    _Atomic uint64_t *word = place_in(table, rank);
    if (atomic_load(word) == 0)
        table->used++;
    atomic_store(word, (uint64_t)(world_rank + 2) << 32 | ((uint32_t)rank + 1));
}

/* ---- World ----------------------------------------------------------------------------------- */

static bool has_world(void)
{
    int begun = 0, ended = 0;
    gptl_mpi_next.MPI_Initialized(&begun);
    gptl_mpi_next.MPI_Finalized(&ended);
    return begun && !ended;
}

#ifdef GPTL_HAVE_MPI_Session_init
static struct session {
    struct session *next;
    MPI_Session session;
    MPI_Group world;
} * sessions; /* in order of creation */

void gptl_mpi_peers_open(MPI_Session session)
{
    struct session *s = malloc(sizeof *s), **at = &sessions;
    if (!s)
        return;
    *s = (struct session){NULL, session, MPI_GROUP_NULL};
    pthread_mutex_lock(&mutex);
    while (*at)
        at = &(*at)->next;
    *at = s;
    pthread_mutex_unlock(&mutex);
}

void gptl_mpi_peers_close(MPI_Session session)
{
    struct session **at = &sessions;
    pthread_mutex_lock(&mutex);
    while (*at && (*at)->session != session)
        at = &(*at)->next;
    struct session *closed = *at;
    if (closed)
        *at = closed->next;
    if (closed && closed->world != MPI_GROUP_NULL)
        gptl_mpi_next.MPI_Group_free(&closed->world);
    /* MPI ends, and may be initialized again */
    if (!sessions && !has_world() && keyval != MPI_KEYVAL_INVALID)
        gptl_mpi_next.MPI_Comm_free_keyval(&keyval);
    pthread_mutex_unlock(&mutex);
    free(closed);
}

/* Store the world's group, which the caller passes to leave_world; the caller holds the mutex. */
static bool enter_world(MPI_Group *world)
{
    if (has_world())
        return gptl_mpi_next.MPI_Comm_group(MPI_COMM_WORLD, world) == MPI_SUCCESS;
    if (!sessions)
        return false;
    if (sessions->world == MPI_GROUP_NULL)
        gptl_mpi_next.MPI_Group_from_session_pset(sessions->session, "mpi://WORLD",
                                                  &sessions->world);
    *world = sessions->world;
    return *world != MPI_GROUP_NULL;
}

static void leave_world(MPI_Group *world)
{
    if (!sessions || *world != sessions->world)
        gptl_mpi_next.MPI_Group_free(world);
}
#else
static bool enter_world(MPI_Group *world)
{
    return has_world() && gptl_mpi_next.MPI_Comm_group(MPI_COMM_WORLD, world) == MPI_SUCCESS;
}

static void leave_world(MPI_Group *world)
{
    gptl_mpi_next.MPI_Group_free(world);
}
#endif

/* ---- Ranks ----------------------------------------------------------------------------------- */

/* Query MPI; the caller holds the mutex. */
static int ask(const struct gptl_mpi_peers *peers, int rank)
{
    MPI_Group world;
    int world_rank = MPI_UNDEFINED;
    if (!enter_world(&world))
        return GPTL_MPI_OUTSIDE;
    int rc = gptl_mpi_next.MPI_Group_translate_ranks(peers->group, 1, &rank, world, &world_rank);
    leave_world(&world);
    return rc == MPI_SUCCESS && world_rank != MPI_UNDEFINED ? world_rank : GPTL_MPI_OUTSIDE;
}

int gptl_mpi_world_rank(struct gptl_mpi_peers *peers, int rank)
{
    if (!peers || peers->same)
        return rank;
    struct table *table = atomic_load_explicit(&peers->table, memory_order_acquire);
    uint64_t word = table ? atomic_load_explicit(place_in(table, rank), memory_order_relaxed) : 0;
    if (word)
        return (int)(word >> 32) - 2;
    pthread_mutex_lock(&mutex);
    int world_rank = ask(peers, rank);
    learn(peers, rank, world_rank);
    pthread_mutex_unlock(&mutex);
    return world_rank;
}

/* ---- Communicators --------------------------------------------------------------------------- */

struct gptl_mpi_peers *gptl_mpi_peers_hold(struct gptl_mpi_peers *peers)
{
    if (peers)
        atomic_fetch_add(&peers->holders, 1);
    return peers;
}

void gptl_mpi_peers_release(struct gptl_mpi_peers *peers)
{
    int ended = 0;
    if (!peers || atomic_fetch_sub(&peers->holders, 1) != 1)
        return;
    gptl_mpi_next.MPI_Finalized(&ended);
    if (!ended)
        gptl_mpi_next.MPI_Group_free(&peers->group);
    for (struct table *table = atomic_load(&peers->table), *smaller; table; table = smaller) {
        smaller = table->smaller;
        free(table);
    }
    free(peers);
}

/*
 * A duplicate starts without the attribute. MPI's predefined callbacks for this are data, which may
 * be missing.
 */
static int copied(MPI_Comm comm, int key, void *extra, void *from, void *to, int *wanted)
{
    (void)comm, (void)key, (void)extra, (void)from, (void)to;
    *wanted = 0;
    return MPI_SUCCESS;
}

static int deleted(MPI_Comm comm, int key, void *peers, void *extra)
{
    (void)comm, (void)key, (void)extra;
    gptl_mpi_peers_release(peers);
    return MPI_SUCCESS;
}

static struct gptl_mpi_peers *make(MPI_Comm comm)
{
    int inter = 0, like = MPI_UNEQUAL;
    MPI_Group world;
    struct gptl_mpi_peers *peers = calloc(1, sizeof *peers);
    if (!peers)
        return NULL;
    peers->holders = 1;
    gptl_mpi_next.MPI_Comm_test_inter(comm, &inter);
    int rc = inter ? gptl_mpi_next.MPI_Comm_remote_group(comm, &peers->group)
                   : gptl_mpi_next.MPI_Comm_group(comm, &peers->group);
    if (rc != MPI_SUCCESS) {
        free(peers);
        return NULL;
    }
    if (enter_world(&world)) {
        gptl_mpi_next.MPI_Group_compare(peers->group, world, &like);
        leave_world(&world);
    }
    peers->same = like == MPI_IDENT;
    if (gptl_mpi_next.MPI_Comm_set_attr(comm, keyval, peers) != MPI_SUCCESS) {
        gptl_mpi_peers_release(peers);
        return NULL;
    }
    return peers;
}

struct gptl_mpi_peers *gptl_mpi_peers_of(MPI_Comm comm)
{
    struct gptl_mpi_peers *peers = NULL;
    int found = 0;
    if (comm == MPI_COMM_WORLD)
        return NULL;
    if (keyval != MPI_KEYVAL_INVALID &&
        gptl_mpi_next.MPI_Comm_get_attr(comm, keyval, &peers, &found) == MPI_SUCCESS && found)
        return peers;
    /* two threads may create the attribute of the same communicator */
    pthread_mutex_lock(&mutex);
    if (keyval == MPI_KEYVAL_INVALID)
        gptl_mpi_next.MPI_Comm_create_keyval(copied, deleted, &keyval, NULL);
    if (gptl_mpi_next.MPI_Comm_get_attr(comm, keyval, &peers, &found) != MPI_SUCCESS || !found)
        peers = make(comm);
    pthread_mutex_unlock(&mutex);
    return peers;
}
