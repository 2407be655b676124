/* name_server.h - the name server configured for MPICH's launcher. */
#ifndef GPTL_MPI_NAME_SERVER_H
#define GPTL_MPI_NAME_SERVER_H

#include <stdbool.h>

/*
 * Return whether the launcher's name server is unreachable: publishing a name would then end the
 * job.
 */
bool gptl_mpi_name_server_is_down(void);

#endif
