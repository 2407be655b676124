/* together.h - handshake: determines whether all ranks of a job take part in a joint operation. */
#ifndef GPTL_MPI_TOGETHER_H
#define GPTL_MPI_TOGETHER_H

#include "mpi/wrap.h"

/*
 * Execute the handshake in MPI_Init, before the program continues. WANTED: this rank would take
 * part. ASSERTED: the user asserts that all ranks do, which counts if the ranks cannot find out.
 * Return whether all ranks of MPI_COMM_WORLD have this library and want to take part; the result is
 * the same on all ranks with the library.
 */
bool gptl_mpi_together(bool wanted, bool asserted);

/* Unpublish the names published by this rank, before MPI ends. */
void gptl_mpi_together_end(void);

#endif
