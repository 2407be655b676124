/*
 * amounts.h - the bytes moved by a call, computed from its arguments.
 *
 * A process sends the contents of its send buffer and receives the contents of its receive buffer,
 * regardless of how often MPI forwards the data internally. MPI_IN_PLACE changes the argument that
 * defines the amount, not the amount. A process that does not take part in an intercommunicator's
 * collective, or whose peer is MPI_PROC_NULL, moves nothing.
 *
 * COUNTS with a SIZE is an array of int or MPI_Count, depending on the element size.
 */
#ifndef GPTL_MPI_AMOUNTS_H
#define GPTL_MPI_AMOUNTS_H

#include "mpi/types.h"
#include "mpi/wrap.h"

struct gptl_mpi_amount {
    int64_t sent, received;
};

/* Add the amount moved by NODE's call. */
GPTL_MPI_INLINED void gptl_mpi_moved(void *node, struct gptl_mpi_amount amount)
{
    if (amount.sent)
        gptl_mpi_add(node, GPTL_SENT, amount.sent);
    if (amount.received)
        gptl_mpi_add(node, GPTL_RECEIVED, amount.received);
}

/* ---- Messages and windows -------------------------------------------------------------------- */

GPTL_MPI_INLINED struct gptl_mpi_amount gptl_mpi_amount_none(void)
{
    return (struct gptl_mpi_amount){0, 0};
}

GPTL_MPI_INLINED struct gptl_mpi_amount gptl_mpi_amount_send(MPI_Count count, MPI_Datatype type,
                                                             int peer)
{
    return (struct gptl_mpi_amount){peer == MPI_PROC_NULL ? 0 : gptl_mpi_bytes(count, type), 0};
}

GPTL_MPI_INLINED struct gptl_mpi_amount gptl_mpi_amount_get(MPI_Count count, MPI_Datatype type,
                                                            int peer)
{
    return (struct gptl_mpi_amount){0, peer == MPI_PROC_NULL ? 0 : gptl_mpi_bytes(count, type)};
}

GPTL_MPI_INLINED struct gptl_mpi_amount gptl_mpi_amount_exchange(MPI_Count count, MPI_Datatype type,
                                                                 int peer, MPI_Count rcount,
                                                                 MPI_Datatype rtype, int from)
{
    return (struct gptl_mpi_amount){gptl_mpi_amount_send(count, type, peer).sent,
                                    gptl_mpi_amount_get(rcount, rtype, from).received};
}

/*
 * The amount of a partitioned message, for either side; the receiver counts it when all partitions
 * have arrived.
 */
GPTL_MPI_INLINED struct gptl_mpi_amount gptl_mpi_amount_partitions(int partitions, MPI_Count count,
                                                                   MPI_Datatype type, int peer)
{
    struct gptl_mpi_amount one = gptl_mpi_amount_send(count, type, peer);
    return (struct gptl_mpi_amount){partitions * one.sent, 0};
}

struct gptl_mpi_amount gptl_mpi_amount_get_accumulate(MPI_Count count, MPI_Datatype type,
                                                      MPI_Count result_count,
                                                      MPI_Datatype result_type, int peer,
                                                      MPI_Op op);
struct gptl_mpi_amount gptl_mpi_amount_fetch_and_op(MPI_Datatype type, int peer, MPI_Op op);
/* The compared value and the new value are both sent. */
struct gptl_mpi_amount gptl_mpi_amount_compare_and_swap(MPI_Datatype type, int peer);

/* ---- Collectives ----------------------------------------------------------------------------- */

GPTL_MPI_INLINED struct gptl_mpi_amount gptl_mpi_amount_both(MPI_Count count, MPI_Datatype type)
{
    int64_t bytes = gptl_mpi_bytes(count, type);
    return (struct gptl_mpi_amount){bytes, bytes};
}

struct gptl_mpi_amount gptl_mpi_amount_bcast(MPI_Count count, MPI_Datatype type, int root,
                                             MPI_Comm comm);
struct gptl_mpi_amount gptl_mpi_amount_gather(const void *sent, MPI_Count count, MPI_Datatype type,
                                              MPI_Count rcount, MPI_Datatype rtype, int root,
                                              MPI_Comm comm);
struct gptl_mpi_amount gptl_mpi_amount_gatherv(const void *sent, MPI_Count count, MPI_Datatype type,
                                               const void *rcounts, size_t rsize,
                                               MPI_Datatype rtype, int root, MPI_Comm comm);
struct gptl_mpi_amount gptl_mpi_amount_scatter(MPI_Count count, MPI_Datatype type,
                                               const void *received, MPI_Count rcount,
                                               MPI_Datatype rtype, int root, MPI_Comm comm);
struct gptl_mpi_amount gptl_mpi_amount_scatterv(const void *counts, size_t size, MPI_Datatype type,
                                                const void *received, MPI_Count rcount,
                                                MPI_Datatype rtype, int root, MPI_Comm comm);
struct gptl_mpi_amount gptl_mpi_amount_allgather(const void *sent, MPI_Count count,
                                                 MPI_Datatype type, MPI_Count rcount,
                                                 MPI_Datatype rtype, MPI_Comm comm);
struct gptl_mpi_amount gptl_mpi_amount_allgatherv(const void *sent, MPI_Count count,
                                                  MPI_Datatype type, const void *rcounts,
                                                  size_t rsize, MPI_Datatype rtype, MPI_Comm comm);
struct gptl_mpi_amount gptl_mpi_amount_alltoall(const void *sent, MPI_Count count,
                                                MPI_Datatype type, MPI_Count rcount,
                                                MPI_Datatype rtype, MPI_Comm comm);
struct gptl_mpi_amount gptl_mpi_amount_alltoallv(const void *sent, const void *counts, size_t size,
                                                 MPI_Datatype type, const void *rcounts,
                                                 size_t rsize, MPI_Datatype rtype, MPI_Comm comm);
struct gptl_mpi_amount gptl_mpi_amount_alltoallw(const void *sent, const void *counts, size_t size,
                                                 const MPI_Datatype *types, const void *rcounts,
                                                 size_t rsize, const MPI_Datatype *rtypes,
                                                 MPI_Comm comm);
struct gptl_mpi_amount gptl_mpi_amount_reduce(MPI_Count count, MPI_Datatype type, int root,
                                              MPI_Comm comm);
struct gptl_mpi_amount gptl_mpi_amount_reduce_scatter(const void *counts, size_t size,
                                                      MPI_Datatype type, MPI_Comm comm);
struct gptl_mpi_amount gptl_mpi_amount_reduce_scatter_block(MPI_Count count, MPI_Datatype type,
                                                            MPI_Comm comm);
struct gptl_mpi_amount gptl_mpi_amount_exscan(MPI_Count count, MPI_Datatype type, MPI_Comm comm);

/* ---- Neighborhood collectives: neighbors.c --------------------------------------------------- */

struct gptl_mpi_amount gptl_mpi_amount_neighbor_allgather(MPI_Count count, MPI_Datatype type,
                                                          MPI_Count rcount, MPI_Datatype rtype,
                                                          MPI_Comm comm);
struct gptl_mpi_amount gptl_mpi_amount_neighbor_allgatherv(MPI_Count count, MPI_Datatype type,
                                                           const void *rcounts, size_t rsize,
                                                           MPI_Datatype rtype, MPI_Comm comm);
struct gptl_mpi_amount gptl_mpi_amount_neighbor_alltoall(MPI_Count count, MPI_Datatype type,
                                                         MPI_Count rcount, MPI_Datatype rtype,
                                                         MPI_Comm comm);
struct gptl_mpi_amount gptl_mpi_amount_neighbor_alltoallv(const void *counts, size_t size,
                                                          MPI_Datatype type, const void *rcounts,
                                                          size_t rsize, MPI_Datatype rtype,
                                                          MPI_Comm comm);
struct gptl_mpi_amount gptl_mpi_amount_neighbor_alltoallw(const void *counts, size_t size,
                                                          const MPI_Datatype *types,
                                                          const void *rcounts, size_t rsize,
                                                          const MPI_Datatype *rtypes,
                                                          MPI_Comm comm);

#endif
