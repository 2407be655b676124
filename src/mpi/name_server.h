/* name_server.h - the name server that MPICH's launcher was told of. */
#ifndef GPTL_MPI_NAME_SERVER_H
#define GPTL_MPI_NAME_SERVER_H

#include <stdbool.h>

/* Whether the launcher has a name server that cannot be reached: to publish a name would end the job. */
bool gptl_mpi_name_server_is_down(void);

#endif
