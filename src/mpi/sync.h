/*
 * sync.h - option sync_mpi: separates wait time from transfer time.
 *
 * A barrier of the communicator precedes a collective. This does not change correct programs: MPI
 * allows any collective to synchronize, so no program may depend on the absence of synchronization.
 * All processes of the communicator must execute the barrier; therefore it depends only on the
 * option, which must be the same in all processes, and not on whether they currently measure.
 * Nonblocking and persistent collectives are not preceded by a barrier.
 *
 * A probe precedes MPI_Recv and waits for the message that the receive will match.
 */
#ifndef GPTL_MPI_SYNC_H
#define GPTL_MPI_SYNC_H

#include "mpi/wrap.h"

void gptl_mpi_sync_collective(MPI_Comm comm, const char *name);
void gptl_mpi_sync_receive(int peer, int tag, MPI_Comm comm, const char *name);

/* Location of the option's value. */
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
