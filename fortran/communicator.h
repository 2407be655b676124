/*
 * communicator.h - the calls that take an MPI communicator, as Fortran passes it. header2fortran
 * reads this file beside gptl.h.
 */
#ifndef GPTL_FORTRAN_COMMUNICATOR_H
#define GPTL_FORTRAN_COMMUNICATOR_H

#include "gptl.h"

/*
 * Writes statistics over the processes of COMM to timing.summary, or to FILE. Errors: there is no MPI in the
 * process, called before MPI_Init or after MPI_Finalize.
 */
GPTL_API int GPTLpr_summary(int comm);
GPTL_API int GPTLpr_summary_file(int comm, const char *file);

/* A barrier over COMM, timed as region NAME. The same errors. */
GPTL_API int GPTLbarrier(int comm, const char *name);

#endif
