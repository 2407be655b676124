/* unseen.h - MPI functions that are called but not wrapped (uncovered functions). */
#ifndef GPTL_MPI_UNSEEN_H
#define GPTL_MPI_UNSEEN_H

#include <stdbool.h>

struct dl_phdr_info; /* <link.h> */

/* Return their names, separated by blanks. The text is valid until the next call. */
const char *gptl_mpi_unseen(void);

/* Return whether OBJECT, a path, is a library of MPI, of any family. */
bool gptl_mpi_is_of_mpi(const char *object);
/* Return whether an object contains wrappers of this library. */
bool gptl_mpi_is_ours(const struct dl_phdr_info *info);

#endif
