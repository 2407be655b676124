/*
 * trace_comms.c - the numbers of communicators. Each is an attribute of its communicator, so it goes when
 * that does, and a handle that MPI uses again gets a new one.
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

/* The world ranks of a group, before those of the next one. */
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

int64_t gptl_mpi_trace_new_comm(struct gptl_mpi_trace_call *call, MPI_Group group, MPI_Group other)
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
    return number;
}

static int64_t new_number(struct gptl_mpi_trace_call *call, MPI_Comm comm)
{
    int inter = 0;
    MPI_Group group, other = MPI_GROUP_NULL;
    gptl_mpi_next.MPI_Comm_test_inter(comm, &inter);
    gptl_mpi_next.MPI_Comm_group(comm, &group);
    if (inter)
        gptl_mpi_next.MPI_Comm_remote_group(comm, &other);
    int64_t number = gptl_mpi_trace_new_comm(call, group, other);
    gptl_mpi_next.MPI_Group_free(&group);
    if (inter)
        gptl_mpi_next.MPI_Group_free(&other);
    return number;
}

int64_t gptl_mpi_trace_comm(struct gptl_mpi_trace_call *call, MPI_Comm comm)
{
    void *value = NULL;
    int found = 0;
    if (comm == MPI_COMM_WORLD)
        return GPTL_TI_WORLD;
    if (keyval != MPI_KEYVAL_INVALID &&
        gptl_mpi_next.MPI_Comm_get_attr(comm, keyval, &value, &found) == MPI_SUCCESS && found)
        return (intptr_t)value;
    pthread_mutex_lock(&mutex);
    if (keyval == MPI_KEYVAL_INVALID)
        gptl_mpi_next.MPI_Comm_create_keyval(copied, deleted, &keyval, NULL);
    if (gptl_mpi_next.MPI_Comm_get_attr(comm, keyval, &value, &found) != MPI_SUCCESS || !found) {
        value = (void *)(intptr_t)new_number(call, comm);
        if (gptl_mpi_next.MPI_Comm_set_attr(comm, keyval, value) != MPI_SUCCESS)
            value = (void *)(intptr_t)-1;
    }
    pthread_mutex_unlock(&mutex);
    return (intptr_t)value;
}

void gptl_mpi_trace_made(struct gptl_mpi_trace_call *call, MPI_Comm parent, const MPI_Comm *comm)
{
    if (comm && *comm != MPI_COMM_NULL)
        gptl_mpi_trace_comm(call, *comm);
    gptl_mpi_trace_plain(call, (struct gptl_mpi_trace_way){NULL, false}, GPTL_TI_AGREE, parent);
}
