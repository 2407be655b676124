/* chain.h - the functions that wrappers call: MPI's own, or those of another PMPI library before it. */
#ifndef GPTL_MPI_CHAIN_H
#define GPTL_MPI_CHAIN_H

/* Names of the functions in the order of struct gptl_mpi_next, an empty one behind the last. */
extern const char gptl_mpi_names[] __attribute__((visibility("hidden")));

/* Fills in gptl_mpi_next, once gptl_mpi_pmpi has all functions that there are. */
void gptl_mpi_chain(void);

#endif
