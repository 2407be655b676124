/*
 * sync.h - with the option sync_mpi: who waits for whom, apart from the time for the data.
 *
 * Before a collective comes a barrier of its communicator. That changes no program that is correct:
 * MPI lets every collective synchronize, so none may depend on one that does not. All processes of
 * the communicator have to make it, so it does not ask whether they measure just then, only what the
 * option is, which is to be the same in all. Non-blocking and persistent collectives have none.
 *
 * Before MPI_Recv comes a probe, which waits for the message that the receive will take.
 */
#ifndef GPTL_MPI_SYNC_H
#define GPTL_MPI_SYNC_H

#include "mpi/wrap.h"

void gptl_mpi_sync_collective(MPI_Comm comm, const char *name);
void gptl_mpi_sync_receive(int peer, int tag, MPI_Comm comm, const char *name);

/* Where the option is kept. */
extern GPTL_MPI_HIDDEN const _Atomic(long long) *gptl_mpi_sync_option;

GPTL_MPI_INLINED bool gptl_mpi_syncs(void)
{
    return atomic_load_explicit(gptl_mpi_sync_option, memory_order_relaxed);
}

GPTL_MPI_INLINED void gptl_mpi_sync(MPI_Comm comm, const char *name)
{
    if (!gptl_mpi_likely(!gptl_mpi_syncs()))
        gptl_mpi_sync_collective(comm, name);
}

GPTL_MPI_INLINED void gptl_mpi_probe(int peer, int tag, MPI_Comm comm, const char *name)
{
    if (!gptl_mpi_likely(!gptl_mpi_syncs()))
        gptl_mpi_sync_receive(peer, tag, comm, name);
}

#endif
