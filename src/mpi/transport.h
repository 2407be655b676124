/* transport.h - messages of the library's own between the ranks of a communicator. */
#ifndef GPTL_MPI_TRANSPORT_H
#define GPTL_MPI_TRANSPORT_H

#include "mpi/wrap.h"
#include "ranks/ranks.h"

/*
 * Calls DO_THIS with a transport over a copy of COMM, whose messages meet no others, and then frees
 * it. Collective. Returns what DO_THIS does, or -1 after an error that FUNCTION reports.
 */
int gptl_mpi_with_transport(const char *function, MPI_Comm comm,
                            int (*do_this)(const struct gptl_transport *transport, void *argument),
                            void *argument);

/* A barrier that leaves the cores to those who still work. */
void gptl_mpi_wait_for_all(MPI_Comm comm);

#endif
