/* communicator.h - what the functions with a communicator have to do with a program's lifetime. */
#ifndef GPTL_MPI_COMMUNICATOR_H
#define GPTL_MPI_COMMUNICATOR_H

/* Fortran's functions with a communicator, which are in libgptl, come to this library. */
void gptl_mpi_serve_fortran(void);

/* Before MPI_Finalize: writes the report of the whole job, if there is to be one. */
void gptl_mpi_report(void);

#endif
