/* together.h - whether all ranks of a job take part when something is made of all of them. */
#ifndef GPTL_MPI_TOGETHER_H
#define GPTL_MPI_TOGETHER_H

#include "mpi/wrap.h"

/*
 * Within MPI_Init, before the program goes on. WANTED: this rank would take part; the user says that
 * all do if it is ASSERTED, which counts where ranks cannot find out. Whether all ranks of
 * MPI_COMM_WORLD have this library and want it; the same on all that have it.
 */
bool gptl_mpi_together(bool wanted, bool asserted);

/* Before MPI ends: takes back the names that this rank has published for that. */
void gptl_mpi_together_end(void);

#endif
