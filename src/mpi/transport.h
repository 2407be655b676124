/* transport.h - messages and files of the library itself, among the ranks of a communicator. */
#ifndef GPTL_MPI_TRANSPORT_H
#define GPTL_MPI_TRANSPORT_H

#include "mpi/wrap.h"
#include "ranks/ranks.h"

/* gptl_ranks_with_transport, with a transport that supports files. */
int gptl_mpi_with_transport(const char *function, MPI_Comm comm, gptl_ranks_user *use,
                            void *argument);

#endif
