/*
 * neighbors.c - amounts moved by neighborhood collectives. A neighbor MPI_PROC_NULL, beyond the
 * edge of a nonperiodic grid, moves nothing.
 */
#include "config.h"

#include <stdlib.h>

#include "mpi/amounts.h"
#include "mpi/neighbors.h"

typedef struct gptl_mpi_amount amount;

/* ---- Neighbors ------------------------------------------------------------------------------- */

static bool make_room(struct gptl_mpi_neighbors *n)
{
    n->in = n->usual;
    n->made = NULL;
    if (n->nin + n->nout > 2 * GPTL_MPI_NEIGHBORS) {
        n->made = malloc(((size_t)n->nin + (size_t)n->nout) * sizeof *n->made);
        n->in = n->made;
    }
    n->out = n->in ? n->in + n->nin : NULL;
    return n->in != NULL;
}

static bool find_grid(struct gptl_mpi_neighbors *n, MPI_Comm comm)
{
    int dims = 0;
    if (gptl_mpi_next.MPI_Cartdim_get(comm, &dims) != MPI_SUCCESS)
        return false;
    n->nin = n->nout = 2 * dims;
    if (!make_room(n))
        return false;
    for (int i = 0; i < dims; i++) {
        gptl_mpi_next.MPI_Cart_shift(comm, i, 1, &n->in[2 * i], &n->in[2 * i + 1]);
        n->out[2 * i] = n->in[2 * i];
        n->out[2 * i + 1] = n->in[2 * i + 1];
    }
    return true;
}

static bool find_graph(struct gptl_mpi_neighbors *n, MPI_Comm comm)
{
    int rank = 0;
    gptl_mpi_next.MPI_Comm_rank(comm, &rank);
    if (gptl_mpi_next.MPI_Graph_neighbors_count(comm, rank, &n->nin) != MPI_SUCCESS)
        return false;
    n->nout = n->nin;
    if (!make_room(n))
        return false;
    gptl_mpi_next.MPI_Graph_neighbors(comm, rank, n->nin, n->in);
    for (int i = 0; i < n->nin; i++)
        n->out[i] = n->in[i];
    return true;
}

static bool find_distributed(struct gptl_mpi_neighbors *n, MPI_Comm comm)
{
    int weighted;
    if (gptl_mpi_next.MPI_Dist_graph_neighbors_count(comm, &n->nin, &n->nout, &weighted) !=
        MPI_SUCCESS)
        return false;
    return make_room(n) &&
           gptl_mpi_next.MPI_Dist_graph_neighbors(comm, n->nin, n->in, MPI_UNWEIGHTED, n->nout,
                                                  n->out, MPI_UNWEIGHTED) == MPI_SUCCESS;
}

bool gptl_mpi_find_neighbors(struct gptl_mpi_neighbors *n, MPI_Comm comm)
{
    int kind = MPI_UNDEFINED;
    n->made = NULL;
    gptl_mpi_next.MPI_Topo_test(comm, &kind);
    bool found = kind == MPI_CART         ? find_grid(n, comm)
                 : kind == MPI_GRAPH      ? find_graph(n, comm)
                 : kind == MPI_DIST_GRAPH ? find_distributed(n, comm)
                                          : false;
    if (!found)
        free(n->made);
    return found;
}

/* ---- Amounts --------------------------------------------------------------------------------- */

/* One side of a call: a count, or COUNTS with their SIZE; a type, or TYPES. */
struct side {
    MPI_Count count;
    const void *counts;
    size_t size;
    MPI_Datatype type;
    const MPI_Datatype *types;
};

static int64_t bytes_at(const struct side *side, int i)
{
    MPI_Count count = side->count;
    if (side->counts)
        count = side->size == sizeof(int) ? ((const int *)side->counts)[i]
                                          : ((const MPI_Count *)side->counts)[i];
    return gptl_mpi_bytes(count, side->types ? side->types[i] : side->type);
}

static int64_t total(const struct side *side, const int *ranks, int n)
{
    int64_t sum = 0;
    for (int i = 0; i < n; i++)
        if (ranks[i] != MPI_PROC_NULL)
            sum += bytes_at(side, i);
    return sum;
}

/*
 * Return the amount of an exchange. SAME: all neighbors get the same data, so it counts as sent
 * once if there are any.
 */
static amount exchanged(const struct side *out, bool same, const struct side *in, MPI_Comm comm)
{
    struct gptl_mpi_neighbors n;
    if (!gptl_mpi_find_neighbors(&n, comm))
        return gptl_mpi_amount_none();
    amount a = {0, total(in, n.in, n.nin)};
    if (!same)
        a.sent = total(out, n.out, n.nout);
    for (int i = 0; same && i < n.nout && !a.sent; i++)
        if (n.out[i] != MPI_PROC_NULL)
            a.sent = bytes_at(out, 0);
    free(n.made);
    return a;
}

amount gptl_mpi_amount_neighbor_allgather(MPI_Count count, MPI_Datatype type, MPI_Count rcount,
                                          MPI_Datatype rtype, MPI_Comm comm)
{
    struct side out = {.count = count, .type = type}, in = {.count = rcount, .type = rtype};
    return exchanged(&out, true, &in, comm);
}

amount gptl_mpi_amount_neighbor_allgatherv(MPI_Count count, MPI_Datatype type, const void *rcounts,
                                           size_t rsize, MPI_Datatype rtype, MPI_Comm comm)
{
    struct side out = {.count = count, .type = type};
    struct side in = {.counts = rcounts, .size = rsize, .type = rtype};
    return exchanged(&out, true, &in, comm);
}

amount gptl_mpi_amount_neighbor_alltoall(MPI_Count count, MPI_Datatype type, MPI_Count rcount,
                                         MPI_Datatype rtype, MPI_Comm comm)
{
    struct side out = {.count = count, .type = type}, in = {.count = rcount, .type = rtype};
    return exchanged(&out, false, &in, comm);
}

amount gptl_mpi_amount_neighbor_alltoallv(const void *counts, size_t size, MPI_Datatype type,
                                          const void *rcounts, size_t rsize, MPI_Datatype rtype,
                                          MPI_Comm comm)
{
    struct side out = {.counts = counts, .size = size, .type = type};
    struct side in = {.counts = rcounts, .size = rsize, .type = rtype};
    return exchanged(&out, false, &in, comm);
}

amount gptl_mpi_amount_neighbor_alltoallw(const void *counts, size_t size,
                                          const MPI_Datatype *types, const void *rcounts,
                                          size_t rsize, const MPI_Datatype *rtypes, MPI_Comm comm)
{
    struct side out = {.counts = counts, .size = size, .types = types};
    struct side in = {.counts = rcounts, .size = rsize, .types = rtypes};
    return exchanged(&out, false, &in, comm);
}
