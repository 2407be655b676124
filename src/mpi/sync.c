/* sync.c - a barrier before collectives, a probe before receives. */
#include "config.h"

#include "mpi/sync.h"

static const _Atomic(long long) off; /* until this library's constructor runs */
const _Atomic(long long) *gptl_mpi_sync_option = &off;

__attribute__((constructor)) static void find_option(void)
{
    gptl_mpi_sync_option = gptl_core_option_at(GPTL_OPT_SYNC_MPI);
}

void gptl_mpi_sync_collective(MPI_Comm comm, const char *name)
{
    char *frame = gptl_mpi_frame();
    void *node = gptl_mpi_begin(name, frame);
    if (comm != MPI_COMM_NULL && gptl_mpi_is_outermost(frame))
        gptl_mpi_next.MPI_Barrier(comm); /* the collective will report errors */
    if (node)
        gptl_mpi_stop(name);
    gptl_mpi_pass(frame);
}

void gptl_mpi_sync_receive(int peer, int tag, MPI_Comm comm, const char *name)
{
    char *frame = gptl_mpi_frame();
    void *node = peer == MPI_PROC_NULL ? NULL : gptl_mpi_begin(name, frame);
    if (!node) {
        gptl_mpi_pass(frame);
        return;
    }
    gptl_mpi_next.MPI_Probe(peer, tag, comm, MPI_STATUS_IGNORE);
    gptl_mpi_stop(name);
    gptl_mpi_pass(frame);
}
