/* unseen.h - functions of MPI that are called and not measured. */
#ifndef GPTL_MPI_UNSEEN_H
#define GPTL_MPI_UNSEEN_H

#include "mpi/installed.h"

/* Their names, with blanks between. The text stays until the next call. */
const char *gptl_mpi_unseen(void);

#endif
