/*
 * trace_collectives.c - collectives in the trace: only the data that the process contributes, or
 * must know about others to forward their parts.
 */
#include "config.h"

#include <stdlib.h>

#include "mpi/neighbors.h"
#include "mpi/trace.h"

typedef struct gptl_mpi_trace_call call_t;

static int64_t count_at(const void *counts, size_t size, int i)
{
    return size == sizeof(int) ? ((const int *)counts)[i] : (int64_t)((const MPI_Count *)counts)[i];
}

static int size_of(MPI_Comm comm)
{
    int size = 0;
    gptl_mpi_next.MPI_Comm_size(comm, &size);
    return size;
}

static bool is_root(int root, MPI_Comm comm)
{
    int rank = -1;
    gptl_mpi_next.MPI_Comm_rank(comm, &rank);
    return rank == root;
}

/* Start the body. Return false on intercommunicators, whose collectives are not replayed. */
static bool begin(call_t *call, enum gptl_ti_collective kind, MPI_Comm comm, int root,
                  int64_t bytes)
{
    int inter = 0;
    if (comm != MPI_COMM_WORLD)
        gptl_mpi_next.MPI_Comm_test_inter(comm, &inter);
    int64_t number = inter ? -1 : gptl_mpi_trace_comm(call, comm);
    if (number < 0) {
        gptl_mpi_trace_other(call, inter ? "a collective between two groups" : "a collective");
        return false;
    }
    gptl_mpi_trace_number(call, kind);
    gptl_mpi_trace_number(call, (uint64_t)number);
    gptl_mpi_trace_signed(call, root);
    gptl_mpi_trace_number(call, (uint64_t)bytes);
    return true;
}

/* Record a collective without an array. */
static void put(GPTL_MPI_COLLECTIVE, MPI_Comm comm, int root, int64_t bytes)
{
    if (!begin(call, kind, comm, root, bytes))
        return;
    gptl_mpi_trace_number(call, 0);
    gptl_mpi_trace_goes(call, way, GPTL_TI_COLLECTIVE);
}

/* Record a collective with COUNTS for each process, by TYPE or TYPES. */
static void put_array(GPTL_MPI_COLLECTIVE, MPI_Comm comm, int root, const void *counts, size_t size,
                      MPI_Datatype type, const MPI_Datatype *types)
{
    int n = counts ? size_of(comm) : 0;
    if (!begin(call, kind, comm, root, 0))
        return;
    gptl_mpi_trace_number(call, (uint64_t)n);
    for (int i = 0; i < n; i++)
        gptl_mpi_trace_number(
            call, (uint64_t)gptl_mpi_bytes(count_at(counts, size, i), types ? types[i] : type));
    gptl_mpi_trace_goes(call, way, GPTL_TI_COLLECTIVE);
}

void gptl_mpi_trace_plain(GPTL_MPI_COLLECTIVE, MPI_Comm comm)
{
    put(call, way, kind, comm, GPTL_TI_ANY, 0);
}

void gptl_mpi_trace_bcast(GPTL_MPI_COLLECTIVE, MPI_Count count, MPI_Datatype type, int root,
                          MPI_Comm comm)
{
    put(call, way, kind, comm, root, gptl_mpi_bytes(count, type));
}

void gptl_mpi_trace_gather(GPTL_MPI_COLLECTIVE, const void *sent, MPI_Count count,
                           MPI_Datatype type, MPI_Count rcount, MPI_Datatype rtype, int root,
                           MPI_Comm comm)
{
    bool in_place = sent == MPI_IN_PLACE;
    put(call, way, kind, comm, root,
        in_place ? gptl_mpi_bytes(rcount, rtype) : gptl_mpi_bytes(count, type));
}

void gptl_mpi_trace_gatherv(GPTL_MPI_COLLECTIVE, const void *sent, MPI_Count count,
                            MPI_Datatype type, const void *rcounts, size_t rsize,
                            MPI_Datatype rtype, int root, MPI_Comm comm)
{
    (void)rcounts, (void)rsize, (void)rtype;
    put(call, way, kind, comm, root, sent == MPI_IN_PLACE ? 0 : gptl_mpi_bytes(count, type));
}

void gptl_mpi_trace_scatter(GPTL_MPI_COLLECTIVE, MPI_Count count, MPI_Datatype type,
                            const void *received, MPI_Count rcount, MPI_Datatype rtype, int root,
                            MPI_Comm comm)
{
    (void)received;
    put(call, way, kind, comm, root,
        is_root(root, comm) ? gptl_mpi_bytes(count, type) : gptl_mpi_bytes(rcount, rtype));
}

void gptl_mpi_trace_scatterv(GPTL_MPI_COLLECTIVE, const void *counts, size_t size,
                             MPI_Datatype type, const void *received, MPI_Count rcount,
                             MPI_Datatype rtype, int root, MPI_Comm comm)
{
    (void)received, (void)rcount, (void)rtype;
    put_array(call, way, kind, comm, root, is_root(root, comm) ? counts : NULL, size, type, NULL);
}

void gptl_mpi_trace_allgather(GPTL_MPI_COLLECTIVE, const void *sent, MPI_Count count,
                              MPI_Datatype type, MPI_Count rcount, MPI_Datatype rtype,
                              MPI_Comm comm)
{
    (void)sent, (void)count, (void)type;
    put(call, way, kind, comm, GPTL_TI_ANY, gptl_mpi_bytes(rcount, rtype));
}

void gptl_mpi_trace_allgatherv(GPTL_MPI_COLLECTIVE, const void *sent, MPI_Count count,
                               MPI_Datatype type, const void *rcounts, size_t rsize,
                               MPI_Datatype rtype, MPI_Comm comm)
{
    (void)sent, (void)count, (void)type;
    put_array(call, way, kind, comm, GPTL_TI_ANY, rcounts, rsize, rtype, NULL);
}

void gptl_mpi_trace_alltoall(GPTL_MPI_COLLECTIVE, const void *sent, MPI_Count count,
                             MPI_Datatype type, MPI_Count rcount, MPI_Datatype rtype, MPI_Comm comm)
{
    (void)sent, (void)count, (void)type;
    put(call, way, kind, comm, GPTL_TI_ANY, gptl_mpi_bytes(rcount, rtype));
}

/* In place, the received amounts are also the sent ones. */
void gptl_mpi_trace_alltoallv(GPTL_MPI_COLLECTIVE, const void *sent, const void *counts,
                              size_t size, MPI_Datatype type, const void *rcounts, size_t rsize,
                              MPI_Datatype rtype, MPI_Comm comm)
{
    bool in_place = sent == MPI_IN_PLACE;
    put_array(call, way, kind, comm, GPTL_TI_ANY, in_place ? rcounts : counts,
              in_place ? rsize : size, in_place ? rtype : type, NULL);
}

void gptl_mpi_trace_alltoallw(GPTL_MPI_COLLECTIVE, const void *sent, const void *counts,
                              size_t size, const MPI_Datatype *types, const void *rcounts,
                              size_t rsize, const MPI_Datatype *rtypes, MPI_Comm comm)
{
    bool in_place = sent == MPI_IN_PLACE;
    put_array(call, way, kind, comm, GPTL_TI_ANY, in_place ? rcounts : counts,
              in_place ? rsize : size, MPI_DATATYPE_NULL, in_place ? rtypes : types);
}

void gptl_mpi_trace_reduce(GPTL_MPI_COLLECTIVE, MPI_Count count, MPI_Datatype type, int root,
                           MPI_Comm comm)
{
    put(call, way, kind, comm, root, gptl_mpi_bytes(count, type));
}

void gptl_mpi_trace_both(GPTL_MPI_COLLECTIVE, MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    put(call, way, kind, comm, GPTL_TI_ANY, gptl_mpi_bytes(count, type));
}

void gptl_mpi_trace_exscan(GPTL_MPI_COLLECTIVE, MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    put(call, way, kind, comm, GPTL_TI_ANY, gptl_mpi_bytes(count, type));
}

void gptl_mpi_trace_reduce_scatter(GPTL_MPI_COLLECTIVE, const void *counts, size_t size,
                                   MPI_Datatype type, MPI_Comm comm)
{
    put_array(call, way, kind, comm, GPTL_TI_ANY, counts, size, type, NULL);
}

void gptl_mpi_trace_reduce_scatter_block(GPTL_MPI_COLLECTIVE, MPI_Count count, MPI_Datatype type,
                                         MPI_Comm comm)
{
    put(call, way, kind, comm, GPTL_TI_ANY, gptl_mpi_bytes(count, type));
}

/* ---- Neighborhoods --------------------------------------------------------------------------- */

static int64_t block_bytes(const struct gptl_mpi_trace_blocks *blocks, int i)
{
    return gptl_mpi_bytes(blocks->counts ? count_at(blocks->counts, blocks->size, i)
                                         : blocks->count,
                          blocks->types ? blocks->types[i] : blocks->type);
}

static int count_partners(const int *ranks, int n)
{
    int partners = 0;
    for (int i = 0; i < n; i++)
        partners += ranks[i] >= 0;
    return partners;
}

void gptl_mpi_trace_neighbors(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way,
                              struct gptl_mpi_trace_blocks blocks, MPI_Comm comm)
{
    struct gptl_mpi_neighbors found, *n = &found;
    int64_t number = gptl_mpi_find_neighbors(n, comm) ? gptl_mpi_trace_comm(call, comm) : -1;
    struct gptl_mpi_peers *peers = gptl_mpi_peers_of(comm);
    if (number < 0) {
        free(n->made);
        gptl_mpi_trace_other(call, "a neighborhood collective");
        return;
    }
    gptl_mpi_trace_number(call, (uint64_t)number);
    gptl_mpi_trace_number(call, (uint64_t)count_partners(n->out, n->nout));
    for (int i = 0; i < n->nout; i++) {
        if (n->out[i] < 0)
            continue;
        gptl_mpi_trace_number(call, (uint64_t)gptl_mpi_world_rank(peers, n->out[i]));
        gptl_mpi_trace_number(call, (uint64_t)block_bytes(&blocks, i));
    }
    gptl_mpi_trace_number(call, (uint64_t)count_partners(n->in, n->nin));
    for (int i = 0; i < n->nin; i++)
        if (n->in[i] >= 0)
            gptl_mpi_trace_number(call, (uint64_t)gptl_mpi_world_rank(peers, n->in[i]));
    free(n->made);
    gptl_mpi_trace_goes(call, way, GPTL_TI_NEIGHBORS);
}
