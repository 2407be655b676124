/* communicator.h - the report of a whole job, in a program's lifetime. */
#ifndef GPTL_MPI_COMMUNICATOR_H
#define GPTL_MPI_COMMUNICATOR_H

#include "mpi/wrap.h"

/* Within MPI_Init: finds out whether there can be a report of the whole job, if there is to be one. */
void gptl_mpi_prepare_report(void);

/* Before MPI_Finalize: writes the report of the whole job, if there is to be one. */
void gptl_mpi_report(void);

#ifdef GPTL_HAVE_MPI_Session_init
/* The same before the last session ends, in a program that has nothing but sessions. */
void gptl_mpi_report_session(MPI_Session session);
#endif

#endif
