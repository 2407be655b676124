/*
 * gptlmpi.h - the C interface of libgptl_mpi: what takes an MPI communicator. See gptl.h for the
 * rest, and for what holds for each function.
 *
 *     cc program.c -lgptl_mpi -lgptl        (before the MPI library)
 */
#ifndef GPTLMPI_H
#define GPTLMPI_H

#include <mpi.h>

#include <gptl.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Writes statistics over the processes of COMM to timing.summary: for each region the calls, and the
 * mean, spread, least and most of its times. Call it in all processes of COMM.
 * Errors: called before MPI_Init or after MPI_Finalize, the file cannot be written.
 */
GPTL_API int GPTLpr_summary(MPI_Comm comm);

/*
 * The same, to FILE.
 * Errors: called before MPI_Init or after MPI_Finalize, the file cannot be written.
 */
GPTL_API int GPTLpr_summary_file(MPI_Comm comm, const char *file);

/*
 * A barrier over COMM, timed as region NAME. Call it in all processes of COMM.
 * Errors: called before MPI_Init or after MPI_Finalize, MPI reports an error.
 */
GPTL_API int GPTLbarrier(MPI_Comm comm, const char *name);

#ifdef __cplusplus
}
#endif

#endif
