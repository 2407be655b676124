/* find.h - functions of MPI by their names. */
#ifndef GPTL_MPI_FIND_H
#define GPTL_MPI_FIND_H

/* As dlsym(WHERE, NAME); else that of an MPI which shows its names to nobody. NULL: there is none. */
void *gptl_mpi_find(void *where, const char *name);

#endif
