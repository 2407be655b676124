/* unseen.h - functions of MPI that are called and not measured. */
#ifndef GPTL_MPI_UNSEEN_H
#define GPTL_MPI_UNSEEN_H

#include <stdbool.h>

struct dl_phdr_info; /* <link.h> */

/* Their names, with blanks between. The text stays until the next call. */
const char *gptl_mpi_unseen(void);

/* Whether OBJECT, a path, is one of MPI's libraries, of both families. */
bool gptl_mpi_is_of_mpi(const char *object);
/* Whether an object has wrappers of this library. */
bool gptl_mpi_is_ours(const struct dl_phdr_info *info);

#endif
