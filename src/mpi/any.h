/* any.h - what libgptl_mpi-any tells `gptl run`. */
#ifndef GPTL_MPI_ANY_H
#define GPTL_MPI_ANY_H

/* A file in the folder of the run, which is removed with it: a process called MPI. */
#define GPTL_MPI_SEEN "claim.mpi"

#endif
