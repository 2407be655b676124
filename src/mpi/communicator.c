/* communicator.c - the functions of gptlmpi.h. */
#include "config.h"

#include "gptlmpi.h"

#include "mpi/wrap.h"

/* Whether MPI can be used; if not, FUNCTION has reported it. */
static bool is_running(const char *function)
{
    int begun = 0, ended = 0;
    if (gptl_mpi_next.MPI_Initialized && gptl_mpi_next.MPI_Finalized) {
        gptl_mpi_next.MPI_Initialized(&begun);
        gptl_mpi_next.MPI_Finalized(&ended);
    }
    if (begun && !ended)
        return true;
    gptl_core_error(function, ended ? "called after MPI_Finalize" : "called before MPI_Init");
    return false;
}

int GPTLbarrier(MPI_Comm comm, const char *name)
{
    if (!name)
        return gptl_core_error("GPTLbarrier", "the name is NULL");
    if (!is_running("GPTLbarrier"))
        return -1;
    if (GPTLstart(name))
        return -1;
    int rc = gptl_mpi_next.MPI_Barrier(comm);
    if (GPTLstop(name))
        return -1;
    if (rc != MPI_SUCCESS)
        return gptl_core_error("GPTLbarrier", "\"%s\": MPI_Barrier reports error %d", name, rc);
    return 0;
}

int GPTLpr_summary_file(MPI_Comm comm, const char *file)
{
    (void)comm;
    if (!file)
        return gptl_core_error("GPTLpr_summary_file", "the name is NULL");
    return is_running("GPTLpr_summary_file") ? 0 : -1;
}

int GPTLpr_summary(MPI_Comm comm)
{
    return GPTLpr_summary_file(comm, "timing.summary");
}
