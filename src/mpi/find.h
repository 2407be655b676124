/* find.h - finds functions of MPI by name. */
#ifndef GPTL_MPI_FIND_H
#define GPTL_MPI_FIND_H

/*
 * Return dlsym(WHERE, NAME), or else the function of an MPI loaded with local visibility; NULL if
 * it is missing.
 */
void *gptl_mpi_find(void *where, const char *name);

#endif
