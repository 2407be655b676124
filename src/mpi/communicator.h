/* communicator.h - the merged report of a job, during the program's lifetime. */
#ifndef GPTL_MPI_COMMUNICATOR_H
#define GPTL_MPI_COMMUNICATOR_H

#include "mpi/wrap.h"

/* Called in MPI_Init: determine whether a requested merged report is possible. */
void gptl_mpi_prepare_report(void);

/* Called before MPI_Finalize: write the merged report if it is requested. */
void gptl_mpi_report(void);

#ifdef GPTL_HAVE_MPI_Session_init
/* Do the same before the last session ends, in a program that uses only sessions. */
void gptl_mpi_report_session(MPI_Session session);
#endif

#endif
