/*
 * gptlmpi.h - the functions of libgptl that take an MPI communicator. See gptl.h for the rest, and for what
 * holds for each function.
 *
 *     mpicc program.c -lgptl                MPI is found at run time; its calls are no regions
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
 * Writes statistics over the processes of COMM: for each region and each call path the processes and
 * threads that called it, calls, time, mean, standard deviation, the thread with the most and the
 * least time, and what was counted. A table is written to FILE, where tokens as in the option
 * `output.path` are replaced, and with the option output=text,json all numbers to FILE.json; GPTLpr_summary
 * writes timing.summary. All processes of COMM must call it. The first of them writes; processes are
 * called by their ranks in MPI_COMM_WORLD. COMM is no intercommunicator. Other reports than the ones
 * asked for are then not written.
 * Returns: 0 on all processes, or -1 on all of them.
 * Errors: there is no MPI in the process, called before MPI_Init or after MPI_Finalize, the library is not
 * initialized on one of the processes, the file cannot be written.
 */
GPTL_API int GPTLpr_summary(MPI_Comm comm);
GPTL_API int GPTLpr_summary_file(MPI_Comm comm, const char *file);

/*
 * A barrier over COMM, timed as region NAME. Call it in all processes of COMM. It is a barrier also
 * where NAME cannot be timed. Errors: there is no MPI in the process, called before MPI_Init or after
 * MPI_Finalize, COMM is MPI_COMM_NULL, MPI reports an error, those of GPTLstart.
 */
GPTL_API int GPTLbarrier(MPI_Comm comm, const char *name);

#ifdef __cplusplus
}
#endif

#endif
