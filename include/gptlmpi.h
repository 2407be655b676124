/*
 * gptlmpi.h - the functions of libgptl with an MPI communicator argument. gptl.h declares all
 * others and states the rules for every function.
 *
 *     mpicc program.c -lgptl                MPI is found at run time; its calls are not regions
 *     mpicc program.c -lgptl_mpi -lgptl     calls of MPI are regions
 */
#ifndef GPTLMPI_H
#define GPTLMPI_H

#include <mpi.h>

#include <gptl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Several processes ---------------------------------------------------------------------- */

/*
 * Write statistics over the processes of COMM. For each region and each call path they contain the
 * number of processes and threads that called it, calls, time, mean, standard deviation, the
 * threads with the longest and the shortest time, and counters. A table is written to FILE, where
 * tokens as in the option `output.path` are replaced, and if the option output lists json, all
 * numbers are written to FILE.json; GPTLpr_summary writes timing.summary. All processes of COMM
 * must call it. The first process writes; processes are identified by their ranks in
 * MPI_COMM_WORLD. COMM must not be an intercommunicator. Other reports are then written only on
 * request. Returns: 0 on all processes, or -1 on all of them. Errors: the process does not contain
 * MPI, called before MPI_Init or after MPI_Finalize, the library is not initialized on one of the
 * processes, the file cannot be written.
 */
GPTL_API int GPTLpr_summary(MPI_Comm comm);
GPTL_API int GPTLpr_summary_file(MPI_Comm comm, const char *file);

/*
 * Execute a barrier over COMM, timed as region NAME. All processes of COMM must call it. It is a
 * barrier even if NAME cannot be timed. Errors: the process does not contain MPI, called before
 * MPI_Init or after MPI_Finalize, COMM is MPI_COMM_NULL, MPI reports an error, or as for GPTLstart.
 */
GPTL_API int GPTLbarrier(MPI_Comm comm, const char *name);

#ifdef __cplusplus
}
#endif

#endif
