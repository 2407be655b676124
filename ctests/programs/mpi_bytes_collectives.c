/* mpi_bytes_collectives.c - collectives in one group, in two, and in a neighborhood. */
#include "mpi_bytes.h"

enum { N = 4096, MOST = 64 };
static int out[N], in[N];
#define WORLD MPI_COMM_WORLD

/* For each rank R: R + 1 elements. */
static int counts[MOST], places[MOST], bytes[MOST];
static MPI_Datatype types[MOST];
static int total;

static void fill(void)
{
    total = 0;
    for (int r = 0; r < size; r++) {
        counts[r] = r + 1;
        places[r] = total;
        bytes[r] = 4 * total;
        types[r] = MPI_INT;
        total += r + 1;
    }
}

#define AT_ROOT(amount) (rank == 0 ? (amount) : 0)
#define ELSEWHERE(amount) (rank != 0 ? (amount) : 0)

static void plain(void)
{
    CASE("barrier", 0, 0, MPI_Barrier(WORLD));
    CASE("bcast", AT_ROOT(40), ELSEWHERE(40), MPI_Bcast(out, 10, MPI_INT, 0, WORLD));
    CASE("gather", 40, AT_ROOT(40 * size),
         MPI_Gather(out, 10, MPI_INT, in, rank == 0 ? 10 : -5,
                    rank == 0 ? MPI_INT : MPI_DATATYPE_NULL, 0, WORLD));
    CASE("gatherv", 4 * (rank + 1), AT_ROOT(4 * total),
         MPI_Gatherv(out, rank + 1, MPI_INT, in, rank == 0 ? counts : NULL, places, MPI_INT, 0,
                     WORLD));
    CASE("scatter", AT_ROOT(40 * size), 40,
         MPI_Scatter(out, 10, MPI_INT, in, 10, MPI_INT, 0, WORLD));
    CASE("scatterv", AT_ROOT(4 * total), 4 * (rank + 1),
         MPI_Scatterv(out, rank == 0 ? counts : NULL, places, MPI_INT, in, rank + 1, MPI_INT, 0,
                      WORLD));
    CASE("allgather", 40, 40 * size, MPI_Allgather(out, 10, MPI_INT, in, 40, MPI_CHAR, WORLD));
    CASE("allgatherv", 4 * (rank + 1), 4 * total,
         MPI_Allgatherv(out, rank + 1, MPI_INT, in, counts, places, MPI_INT, WORLD));
    CASE("alltoall", 40 * size, 40 * size, MPI_Alltoall(out, 10, MPI_INT, in, 10, MPI_INT, WORLD));
    static int same[MOST], same_places[MOST], same_bytes[MOST];
    for (int r = 0; r < size; r++) {
        same[r] = rank + 1;
        same_places[r] = r * (rank + 1);
        same_bytes[r] = 4 * same_places[r];
    }
    CASE("alltoallv", 4 * total, 4 * size * (rank + 1),
         MPI_Alltoallv(out, counts, places, MPI_INT, in, same, same_places, MPI_INT, WORLD));
    CASE("alltoallw", 4 * total, 4 * size * (rank + 1),
         MPI_Alltoallw(out, counts, bytes, types, in, same, same_bytes, types, WORLD));
    CASE("reduce", 40, AT_ROOT(40), MPI_Reduce(out, in, 10, MPI_INT, MPI_SUM, 0, WORLD));
    CASE("allreduce", 40, 40, MPI_Allreduce(out, in, 10, MPI_INT, MPI_SUM, WORLD));
    CASE("reduce_scatter", 4 * total, 4 * (rank + 1),
         MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, WORLD));
    CASE("reduce_scatter_block", 40 * size, 40,
         MPI_Reduce_scatter_block(out, in, 10, MPI_INT, MPI_SUM, WORLD));
    CASE("scan", 40, 40, MPI_Scan(out, in, 10, MPI_INT, MPI_SUM, WORLD));
    CASE("exscan", 40, ELSEWHERE(40), MPI_Exscan(out, in, 10, MPI_INT, MPI_SUM, WORLD));
    CASE("reduce_local", 0, 0, MPI_Reduce_local(out, in, 10, MPI_INT, MPI_SUM));
}

/* The same amount as without it; another argument specifies the amount. */
static void in_place(void)
{
    CASE("gather_in_place", 40, AT_ROOT(40 * size),
         rank == 0 ? MPI_Gather(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, in, 10, MPI_INT, 0, WORLD)
                   : MPI_Gather(out, 10, MPI_INT, NULL, 0, MPI_INT, 0, WORLD));
    CASE("gatherv_in_place", 4 * (rank + 1), AT_ROOT(4 * total),
         rank == 0 ? MPI_Gatherv(MPI_IN_PLACE, 0, MPI_INT, in, counts, places, MPI_INT, 0, WORLD)
                   : MPI_Gatherv(out, rank + 1, MPI_INT, NULL, NULL, NULL, MPI_INT, 0, WORLD));
    CASE("scatter_in_place", AT_ROOT(40 * size), 40,
         rank == 0 ? MPI_Scatter(out, 10, MPI_INT, MPI_IN_PLACE, 0, MPI_INT, 0, WORLD)
                   : MPI_Scatter(NULL, 0, MPI_INT, in, 10, MPI_INT, 0, WORLD));
    CASE("scatterv_in_place", AT_ROOT(4 * total), 4 * (rank + 1),
         rank == 0 ? MPI_Scatterv(out, counts, places, MPI_INT, MPI_IN_PLACE, 0, MPI_INT, 0, WORLD)
                   : MPI_Scatterv(NULL, NULL, NULL, MPI_INT, in, rank + 1, MPI_INT, 0, WORLD));
    CASE("allgather_in_place", 40, 40 * size,
         MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 10, MPI_INT, WORLD));
    CASE("allgatherv_in_place", 4 * (rank + 1), 4 * total,
         MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, in, counts, places, MPI_INT, WORLD));
    CASE("alltoall_in_place", 40 * size, 40 * size,
         MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, in, 10, MPI_INT, WORLD));
    CASE("reduce_in_place", 40, AT_ROOT(40),
         rank == 0 ? MPI_Reduce(MPI_IN_PLACE, in, 10, MPI_INT, MPI_SUM, 0, WORLD)
                   : MPI_Reduce(out, NULL, 10, MPI_INT, MPI_SUM, 0, WORLD));
    CASE("allreduce_in_place", 40, 40,
         MPI_Allreduce(MPI_IN_PLACE, in, 10, MPI_INT, MPI_SUM, WORLD));
    CASE("reduce_scatter_in_place", 4 * total, 4 * (rank + 1),
         MPI_Reduce_scatter(MPI_IN_PLACE, in, counts, MPI_INT, MPI_SUM, WORLD));
}

static void without_blocking(void)
{
    MPI_Request r[6];
    CASE("ibarrier", 0, 0, MPI_Ibarrier(WORLD, &r[0]));
    CASE("ibcast", AT_ROOT(40), ELSEWHERE(40), MPI_Ibcast(out, 10, MPI_INT, 0, WORLD, &r[1]));
    CASE("iallgatherv", 4 * (rank + 1), 4 * total,
         MPI_Iallgatherv(in, rank + 1, MPI_INT, in + N / 2, counts, places, MPI_INT, WORLD, &r[2]));
    CASE("iallreduce", 40, 40,
         MPI_Iallreduce(MPI_IN_PLACE, in, 10, MPI_INT, MPI_SUM, WORLD, &r[3]));
    CASE("ireduce_scatter_block", 40 * size, 40,
         MPI_Ireduce_scatter_block(out, in + 100, 10, MPI_INT, MPI_SUM, WORLD, &r[4]));
    CASE("igatherv", 4 * (rank + 1), AT_ROOT(4 * total),
         MPI_Igatherv(out, rank + 1, MPI_INT, in + 200, counts, places, MPI_INT, 0, WORLD, &r[5]));
    CASE("waits_for_collectives", 0, 0, MPI_Waitall(6, r, MPI_STATUSES_IGNORE));
}

void collectives(void)
{
    fill();
    plain();
    in_place();
    without_blocking();
    CASE("self", 80, 80, MPI_Allreduce(out, in, 20, MPI_INT, MPI_SUM, MPI_COMM_SELF));
}

/* ---- Intercommunicators -------------------------------------------------------------------- */

/* Rank 0 on one side, all others on the other. */
void across(void)
{
    MPI_Comm side, inter;
    if (size < 2)
        return;
    int first = rank == 0, others = size - 1;
    OK(MPI_Comm_split(WORLD, first, rank, &side));
    OK(MPI_Intercomm_create(side, 0, WORLD, first ? 1 : 0, 77, &inter));
    int root = first ? MPI_ROOT : 0;
    CASE("inter_bcast", AT_ROOT(40), ELSEWHERE(40), MPI_Bcast(out, 10, MPI_INT, root, inter));
    CASE("inter_gather", ELSEWHERE(40), AT_ROOT(40 * others),
         MPI_Gather(out, 10, MPI_INT, in, 10, MPI_INT, root, inter));
    CASE("inter_scatter", AT_ROOT(40 * others), ELSEWHERE(40),
         MPI_Scatter(out, 10, MPI_INT, in, 10, MPI_INT, root, inter));
    CASE("inter_reduce", ELSEWHERE(40), AT_ROOT(40),
         MPI_Reduce(out, in, 10, MPI_INT, MPI_SUM, root, inter));
    int peers = first ? others : 1;
    CASE("inter_allgather", 40, 40 * peers,
         MPI_Allgather(out, 10, MPI_INT, in, 10, MPI_INT, inter));
    CASE("inter_alltoall", 40 * peers, 40 * peers,
         MPI_Alltoall(out, 10, MPI_INT, in, 10, MPI_INT, inter));
    CASE("inter_allreduce", 40, 40, MPI_Allreduce(out, in, 10, MPI_INT, MPI_SUM, inter));
    /* The root is rank 1, on the other side: the ranks of its group do not take part. */
    root = first ? 0 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL;
    CASE("inter_bcast_back", rank == 1 ? 40 : 0, AT_ROOT(40),
         MPI_Bcast(out, 10, MPI_INT, root, inter));
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&side));
}

/* ---- Neighborhoods ------------------------------------------------------------------------- */

/* A line of processes: the first and the last lack a neighbor on one side. */
static void in_line(void)
{
    MPI_Comm line;
    int periodic = 0, has = (rank > 0) + (rank < size - 1), some[2] = {1, 2}, at[2] = {0, 10};
    int bytes_at[2] = {0, 40};
    MPI_Datatype both[2] = {MPI_INT, MPI_INT};
    MPI_Aint where[2] = {0, 40};
    (void)bytes_at;
    OK(MPI_Cart_create(WORLD, 1, &size, &periodic, 0, &line));
    CASE("line_allgather", has ? 40 : 0, 40 * has,
         MPI_Neighbor_allgather(out, 10, MPI_INT, in, 10, MPI_INT, line));
    CASE("line_alltoall", 40 * has, 40 * has,
         MPI_Neighbor_alltoall(out, 10, MPI_INT, in, 10, MPI_INT, line));
    int mine[2] = {3, 3};
    CASE("line_alltoallv", 12 * has, 12 * has,
         MPI_Neighbor_alltoallv(out, mine, at, MPI_INT, in, mine, at, MPI_INT, line));
    CASE("line_alltoallw", 12 * has, 12 * has,
         MPI_Neighbor_alltoallw(out, mine, where, both, in, mine, where, both, line));
    /* One element arrives from below, two from above, from senders of the same count. */
    int above = rank<size - 1, below = rank> 0;
    some[0] = 2;
    some[1] = 1;
    int get[2] = {1, 2};
    CASE("line_uneven", 4 * (2 * below + above), 4 * (below + 2 * above),
         MPI_Neighbor_alltoallv(out, some, at, MPI_INT, in, get, at, MPI_INT, line));
    OK(MPI_Comm_free(&line));
}

/* Each sends to rank 0, which does not send. */
static void in_star(void)
{
    MPI_Comm star;
    int sources[MOST], to = 0, nsources = rank == 0 ? size - 1 : 0, nto = rank == 0 ? 0 : 1;
    for (int i = 0; i < nsources; i++)
        sources[i] = i + 1;
    OK(MPI_Dist_graph_create_adjacent(WORLD, nsources, sources, MPI_UNWEIGHTED, nto, &to,
                                      MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &star));
    CASE("star_allgather", 20 * nto, 20 * nsources,
         MPI_Neighbor_allgather(out, 5, MPI_INT, in, 5, MPI_INT, star));
    MPI_Request r;
    CASE("star_ialltoall", 20 * nto, 20 * nsources,
         MPI_Ineighbor_alltoall(out, 5, MPI_INT, in, 5, MPI_INT, star, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    OK(MPI_Comm_free(&star));
}

void neighbors(void)
{
    in_line();
    in_star();
}
