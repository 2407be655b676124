/* chain.h - the functions called by wrappers: MPI's, or the next PMPI library's. */
#ifndef GPTL_MPI_CHAIN_H
#define GPTL_MPI_CHAIN_H

/* Names of the functions in the order of struct gptl_mpi_next, terminated by an empty one. */
extern const char gptl_mpi_names[] __attribute__((visibility("hidden")));

/* Fill in gptl_mpi_next, after gptl_mpi_pmpi has all available functions. */
void gptl_mpi_chain(void);

#endif
