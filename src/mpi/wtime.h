/* wtime.h - MPI_Wtime as a clock of the library, GPTLmpiwtime. */
#ifndef GPTL_MPI_WTIME_H
#define GPTL_MPI_WTIME_H

#include <stdbool.h>

/* Offers it. Once. */
void gptl_mpi_offer_wtime(void);

/* MPI_Wtime may be called from now on, or no longer. */
void gptl_mpi_run_wtime(bool runs);

#endif
