/*
 * amounts.c - amounts moved by collectives and one-sided operations.
 *
 * Only arguments that are significant on this process are read: others may have any value.
 */
#include "config.h"

#include "mpi/amounts.h"

typedef struct gptl_mpi_amount amount;

/* ---- Participants ---------------------------------------------------------------------------- */

static bool is_inter(MPI_Comm comm)
{
    int flag = 0;
    gptl_mpi_next.MPI_Comm_test_inter(comm, &flag);
    return flag;
}

static int rank_in(MPI_Comm comm)
{
    int rank = 0;
    gptl_mpi_next.MPI_Comm_rank(comm, &rank);
    return rank;
}

static int size_of(MPI_Comm comm)
{
    int size = 0;
    gptl_mpi_next.MPI_Comm_size(comm, &size);
    return size;
}

/* Return the number of processes that send to this one in a full exchange. */
static int peers_in(MPI_Comm comm)
{
    int size = 0;
    if (!is_inter(comm))
        return size_of(comm);
    gptl_mpi_next.MPI_Comm_remote_size(comm, &size);
    return size;
}

/* Role of this process in a collective with a root. */
enum part {
    ROOT,    /* also one of the others, unless it is in another group */
    LEAF,    /* one of the others */
    OUTSIDE, /* in the root's group, but not the root */
};

static enum part part_in(int root, MPI_Comm comm)
{
    if (root == MPI_ROOT)
        return ROOT;
    if (root == MPI_PROC_NULL)
        return OUTSIDE;
    return !is_inter(comm) && rank_in(comm) == root ? ROOT : LEAF;
}

/* ---- Arrays of counts ------------------------------------------------------------------------ */

static int64_t count_at(const void *counts, size_t size, int i)
{
    return size == sizeof(int) ? ((const int *)counts)[i] : (int64_t)((const MPI_Count *)counts)[i];
}

static int64_t sum_of(const void *counts, size_t size, int n)
{
    int64_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += count_at(counts, size, i);
    return sum;
}

static int64_t sum_of_types(const void *counts, size_t size, const MPI_Datatype *types, int n)
{
    int64_t sum = 0;
    for (int i = 0; i < n; i++)
        sum += gptl_mpi_bytes(count_at(counts, size, i), types[i]);
    return sum;
}

/* ---- Windows --------------------------------------------------------------------------------- */

amount gptl_mpi_amount_get_accumulate(MPI_Count count, MPI_Datatype type, MPI_Count result_count,
                                      MPI_Datatype result_type, int peer, MPI_Op op)
{
    if (peer == MPI_PROC_NULL)
        return gptl_mpi_amount_none();
    return (amount){op == MPI_NO_OP ? 0 : gptl_mpi_bytes(count, type),
                    gptl_mpi_bytes(result_count, result_type)};
}

amount gptl_mpi_amount_fetch_and_op(MPI_Datatype type, int peer, MPI_Op op)
{
    return gptl_mpi_amount_get_accumulate(1, type, 1, type, peer, op);
}

amount gptl_mpi_amount_compare_and_swap(MPI_Datatype type, int peer)
{
    if (peer == MPI_PROC_NULL)
        return gptl_mpi_amount_none();
    return (amount){gptl_mpi_bytes(2, type), gptl_mpi_bytes(1, type)};
}

/* ---- Collectives with a root ----------------------------------------------------------------- */

amount gptl_mpi_amount_bcast(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
    switch (part_in(root, comm)) {
    case ROOT:
        return (amount){gptl_mpi_bytes(count, type), 0};
    case LEAF:
        return (amount){0, gptl_mpi_bytes(count, type)};
    default:
        return gptl_mpi_amount_none();
    }
}

/* Return the root's amount in a gather in which it receives TOTAL bytes and contributes OWN. */
static amount root_gathers(const void *sent, MPI_Count count, MPI_Datatype type, int64_t total,
                           int64_t own, int root)
{
    if (root == MPI_ROOT)
        return (amount){0, total};
    return (amount){sent == MPI_IN_PLACE ? own : gptl_mpi_bytes(count, type), total};
}

amount gptl_mpi_amount_gather(const void *sent, MPI_Count count, MPI_Datatype type,
                              MPI_Count rcount, MPI_Datatype rtype, int root, MPI_Comm comm)
{
    switch (part_in(root, comm)) {
    case ROOT: {
        int64_t one = gptl_mpi_bytes(rcount, rtype);
        return root_gathers(sent, count, type, one * peers_in(comm), one, root);
    }
    case LEAF:
        return (amount){gptl_mpi_bytes(count, type), 0};
    default:
        return gptl_mpi_amount_none();
    }
}

amount gptl_mpi_amount_gatherv(const void *sent, MPI_Count count, MPI_Datatype type,
                               const void *rcounts, size_t rsize, MPI_Datatype rtype, int root,
                               MPI_Comm comm)
{
    switch (part_in(root, comm)) {
    case ROOT: {
        int64_t total = gptl_mpi_bytes(sum_of(rcounts, rsize, peers_in(comm)), rtype);
        int64_t own = root == MPI_ROOT ? 0 : gptl_mpi_bytes(count_at(rcounts, rsize, root), rtype);
        return root_gathers(sent, count, type, total, own, root);
    }
    case LEAF:
        return (amount){gptl_mpi_bytes(count, type), 0};
    default:
        return gptl_mpi_amount_none();
    }
}

/* Return the root's amount in a scatter, by exchanging directions. */
static amount root_scatters(const void *received, MPI_Count rcount, MPI_Datatype rtype,
                            int64_t total, int64_t own, int root)
{
    amount a = root_gathers(received, rcount, rtype, total, own, root);
    return (amount){a.received, a.sent};
}

amount gptl_mpi_amount_scatter(MPI_Count count, MPI_Datatype type, const void *received,
                               MPI_Count rcount, MPI_Datatype rtype, int root, MPI_Comm comm)
{
    switch (part_in(root, comm)) {
    case ROOT: {
        int64_t one = gptl_mpi_bytes(count, type);
        return root_scatters(received, rcount, rtype, one * peers_in(comm), one, root);
    }
    case LEAF:
        return (amount){0, gptl_mpi_bytes(rcount, rtype)};
    default:
        return gptl_mpi_amount_none();
    }
}

amount gptl_mpi_amount_scatterv(const void *counts, size_t size, MPI_Datatype type,
                                const void *received, MPI_Count rcount, MPI_Datatype rtype,
                                int root, MPI_Comm comm)
{
    switch (part_in(root, comm)) {
    case ROOT: {
        int64_t total = gptl_mpi_bytes(sum_of(counts, size, peers_in(comm)), type);
        int64_t own = root == MPI_ROOT ? 0 : gptl_mpi_bytes(count_at(counts, size, root), type);
        return root_scatters(received, rcount, rtype, total, own, root);
    }
    case LEAF:
        return (amount){0, gptl_mpi_bytes(rcount, rtype)};
    default:
        return gptl_mpi_amount_none();
    }
}

amount gptl_mpi_amount_reduce(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int64_t bytes;
    switch (part_in(root, comm)) {
    case ROOT:
        bytes = gptl_mpi_bytes(count, type);
        return (amount){root == MPI_ROOT ? 0 : bytes, bytes};
    case LEAF:
        return (amount){gptl_mpi_bytes(count, type), 0};
    default:
        return gptl_mpi_amount_none();
    }
}

/* ---- Collectives without a root -------------------------------------------------------------- */

amount gptl_mpi_amount_allgather(const void *sent, MPI_Count count, MPI_Datatype type,
                                 MPI_Count rcount, MPI_Datatype rtype, MPI_Comm comm)
{
    int64_t one = gptl_mpi_bytes(rcount, rtype);
    return (amount){sent == MPI_IN_PLACE ? one : gptl_mpi_bytes(count, type), one * peers_in(comm)};
}

amount gptl_mpi_amount_allgatherv(const void *sent, MPI_Count count, MPI_Datatype type,
                                  const void *rcounts, size_t rsize, MPI_Datatype rtype,
                                  MPI_Comm comm)
{
    if (sent == MPI_IN_PLACE) {
        count = count_at(rcounts, rsize, rank_in(comm));
        type = rtype;
    }
    return (amount){gptl_mpi_bytes(count, type),
                    gptl_mpi_bytes(sum_of(rcounts, rsize, peers_in(comm)), rtype)};
}

amount gptl_mpi_amount_alltoall(const void *sent, MPI_Count count, MPI_Datatype type,
                                MPI_Count rcount, MPI_Datatype rtype, MPI_Comm comm)
{
    int n = peers_in(comm);
    int64_t received = n * gptl_mpi_bytes(rcount, rtype);
    return (amount){sent == MPI_IN_PLACE ? received : n * gptl_mpi_bytes(count, type), received};
}

amount gptl_mpi_amount_alltoallv(const void *sent, const void *counts, size_t size,
                                 MPI_Datatype type, const void *rcounts, size_t rsize,
                                 MPI_Datatype rtype, MPI_Comm comm)
{
    int n = peers_in(comm);
    int64_t received = gptl_mpi_bytes(sum_of(rcounts, rsize, n), rtype);
    return (amount){sent == MPI_IN_PLACE ? received : gptl_mpi_bytes(sum_of(counts, size, n), type),
                    received};
}

amount gptl_mpi_amount_alltoallw(const void *sent, const void *counts, size_t size,
                                 const MPI_Datatype *types, const void *rcounts, size_t rsize,
                                 const MPI_Datatype *rtypes, MPI_Comm comm)
{
    int n = peers_in(comm);
    int64_t received = sum_of_types(rcounts, rsize, rtypes, n);
    return (amount){sent == MPI_IN_PLACE ? received : sum_of_types(counts, size, types, n),
                    received};
}

amount gptl_mpi_amount_reduce_scatter(const void *counts, size_t size, MPI_Datatype type,
                                      MPI_Comm comm)
{
    return (amount){gptl_mpi_bytes(sum_of(counts, size, size_of(comm)), type),
                    gptl_mpi_bytes(count_at(counts, size, rank_in(comm)), type)};
}

amount gptl_mpi_amount_reduce_scatter_block(MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    int64_t one = gptl_mpi_bytes(count, type);
    return (amount){one * size_of(comm), one};
}

/* The first process lacks predecessors, so it receives nothing. */
amount gptl_mpi_amount_exscan(MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
    int64_t bytes = gptl_mpi_bytes(count, type);
    return (amount){bytes, rank_in(comm) == 0 ? 0 : bytes};
}
