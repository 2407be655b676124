/* neighbors.h - the neighbors of a process in a communicator with a topology. */
#ifndef GPTL_MPI_NEIGHBORS_H
#define GPTL_MPI_NEIGHBORS_H

#include "mpi/wrap.h"

enum { GPTL_MPI_NEIGHBORS = 64 };

struct gptl_mpi_neighbors {
    int nin, nout;
    int *in, *out; /* ranks, in block order of the collectives */
    int usual[2 * GPTL_MPI_NEIGHBORS];
    int *made; /* allocated if there are more */
};

/* Find the neighbors; false if they are unknown, otherwise free n->made. */
bool gptl_mpi_find_neighbors(struct gptl_mpi_neighbors *n, MPI_Comm comm);

#endif
