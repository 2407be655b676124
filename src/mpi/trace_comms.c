/*
 * trace_comms.c - the numbers of communicators. A number is an attribute of its communicator, so it
 * is deleted with it, and a handle reused by MPI gets a new number.
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>

#include "mpi/trace_stream.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int keyval = MPI_KEYVAL_INVALID;
static int64_t latest = GPTL_TI_WORLD;

static int copied(MPI_Comm comm, int key, void *extra, void *from, void *to, int *wanted)
{
    (void)comm, (void)key, (void)extra, (void)from, (void)to;
    *wanted = 0;
    return MPI_SUCCESS;
}

static int deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value, (void)extra;
    return MPI_SUCCESS;
}

int *gptl_mpi_trace_world_ranks(MPI_Group group, int *n)
{
    MPI_Group world;
    *n = 0;
    gptl_mpi_next.MPI_Group_size(group, n);
    int *ranks = malloc(2 * ((size_t)*n + 1) * sizeof *ranks);
    if (!ranks)
        return NULL;
    for (int i = 0; i < *n; i++)
        ranks[*n + i] = i;
    gptl_mpi_next.MPI_Comm_group(MPI_COMM_WORLD, &world);
    gptl_mpi_next.MPI_Group_translate_ranks(group, *n, ranks + *n, world, ranks);
    gptl_mpi_next.MPI_Group_free(&world);
    for (int i = 0; i < *n; i++)
        if (ranks[i] == MPI_UNDEFINED)
            ranks[i] = -1;
    return ranks;
}

/* Write the number of members of a group and their world ranks. */
static void tell_members(struct gptl_mpi_stream *stream, MPI_Group group)
{
    int n, *ranks = gptl_mpi_trace_world_ranks(group, &n);
    if (!ranks) {
        stream->out.lost = true;
        return;
    }
    gptl_mpi_trace_put(stream, (uint64_t)n);
    for (int i = 0, before = -1; i < n; before = ranks[i++])
        gptl_mpi_trace_add_signed(&stream->out, (int64_t)ranks[i] - before - 1);
    free(ranks);
}

int64_t gptl_mpi_trace_new_comm(struct gptl_mpi_trace_call *call, MPI_Group group, MPI_Group other,
                                int64_t parent, int tag)
{
    struct gptl_mpi_stream *stream = call->stream;
    int64_t number = __atomic_add_fetch(&latest, 1, __ATOMIC_RELAXED);
    gptl_mpi_trace_put(stream, GPTL_TI_COMM);
    gptl_mpi_trace_put(stream, (uint64_t)number);
    tell_members(stream, group);
    if (other != MPI_GROUP_NULL)
        tell_members(stream, other);
    else
        gptl_mpi_trace_put(stream, 0);
    if (parent < 0 && tag == GPTL_TI_ANY)
        return number;
    gptl_mpi_trace_put(stream, GPTL_TI_MADE);
    gptl_mpi_trace_put(stream, (uint64_t)number);
    gptl_mpi_trace_put(stream, (uint64_t)(parent + 1));
    gptl_mpi_trace_add_signed(&stream->out, tag);
    return number;
}

/* Record a new communicator with the processes of COMM. */
static int64_t new_number(struct gptl_mpi_trace_call *call, MPI_Comm comm, int64_t parent, int tag)
{
    int inter = 0;
    MPI_Group group, other = MPI_GROUP_NULL;
    gptl_mpi_next.MPI_Comm_test_inter(comm, &inter);
    gptl_mpi_next.MPI_Comm_group(comm, &group);
    if (inter)
        gptl_mpi_next.MPI_Comm_remote_group(comm, &other);
    int64_t number = gptl_mpi_trace_new_comm(call, group, other, parent, tag);
    gptl_mpi_next.MPI_Group_free(&group);
    if (inter)
        gptl_mpi_next.MPI_Group_free(&other);
    return number;
}

/* ---- Incomplete communicators ---------------------------------------------------------------- */

/* Communicators created by MPI_Comm_idup and unused so far; protected by the mutex. */
struct pending {
    struct pending *next;
    MPI_Comm comm;
    int64_t number;
};
static struct pending *pending;

static void keep(MPI_Comm comm, int64_t number)
{
    struct pending *one = malloc(sizeof *one);
    if (!one)
        return;
    *one = (struct pending){pending, comm, number};
    pending = one;
}

/* Remove and return the number; -1 if it is not in the list. */
static int64_t take(MPI_Comm comm)
{
    struct pending **at = &pending;
    while (*at && (*at)->comm != comm)
        at = &(*at)->next;
    struct pending *one = *at;
    if (!one)
        return -1;
    int64_t number = one->number;
    *at = one->next;
    free(one);
    return number;
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static bool find(MPI_Comm comm, int64_t *number)
{
    void *value = NULL;
    int found = 0;
    if (keyval == MPI_KEYVAL_INVALID ||
        gptl_mpi_next.MPI_Comm_get_attr(comm, keyval, &value, &found) != MPI_SUCCESS || !found)
        return false;
    *number = (intptr_t)value;
    return true;
}

/* Assign NUMBER to COMM and return it; the caller holds the mutex. */
static int64_t give(MPI_Comm comm, int64_t number)
{
    if (keyval == MPI_KEYVAL_INVALID)
        gptl_mpi_next.MPI_Comm_create_keyval(copied, deleted, &keyval, NULL);
    void *value = (void *)(intptr_t)number;
    return gptl_mpi_next.MPI_Comm_set_attr(comm, keyval, value) == MPI_SUCCESS ? number : -1;
}

int64_t gptl_mpi_trace_comm(struct gptl_mpi_trace_call *call, MPI_Comm comm)
{
    int64_t number;
    if (comm == MPI_COMM_WORLD)
        return GPTL_TI_WORLD;
    if (find(comm, &number))
        return number;
    pthread_mutex_lock(&mutex);
    if (!find(comm, &number)) {
        number = take(comm);
        number = give(comm, number >= 0 ? number : new_number(call, comm, -1, GPTL_TI_ANY));
    }
    pthread_mutex_unlock(&mutex);
    return number;
}

void gptl_mpi_trace_made(struct gptl_mpi_trace_call *call, MPI_Comm parent, int tag, MPI_Comm over,
                         MPI_Comm comm)
{
    int64_t of = parent == MPI_COMM_NULL ? -1 : gptl_mpi_trace_comm(call, parent);
    if (comm != MPI_COMM_NULL) {
        pthread_mutex_lock(&mutex);
        take(comm); /* removes an unused communicator that had the same handle */
        give(comm, new_number(call, comm, of, tag));
        pthread_mutex_unlock(&mutex);
    }
    if (over == MPI_COMM_NULL)
        gptl_mpi_trace_passed(call);
    else
        gptl_mpi_trace_plain(call, (struct gptl_mpi_trace_way){NULL, false}, GPTL_TI_AGREE, over);
}

/* The new communicator has the processes of its parent. */
void gptl_mpi_trace_being_made(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way,
                               MPI_Comm parent, MPI_Comm comm)
{
    int64_t of = gptl_mpi_trace_comm(call, parent);
    if (comm != MPI_COMM_NULL) {
        pthread_mutex_lock(&mutex);
        take(comm);
        keep(comm, new_number(call, parent, of, GPTL_TI_ANY));
        pthread_mutex_unlock(&mutex);
    }
    gptl_mpi_trace_plain(call, way, GPTL_TI_AGREE, parent);
}
