/*
 * communicator.h - functions with an MPI communicator argument, in Fortran's form. header2fortran
 * reads this file after gptl.h.
 */
#ifndef GPTL_FORTRAN_COMMUNICATOR_H
#define GPTL_FORTRAN_COMMUNICATOR_H

#include "gptl.h"

/*
 * Write statistics over the processes of COMM to timing.summary, or to FILE. Errors: the process
 * does not contain MPI, called before MPI_Init or after MPI_Finalize.
 */
GPTL_API int GPTLpr_summary(int comm);
GPTL_API int GPTLpr_summary_file(int comm, const char *file);

/* Execute a barrier over COMM, timed as region NAME. The errors are the same. */
GPTL_API int GPTLbarrier(int comm, const char *name);

#endif
