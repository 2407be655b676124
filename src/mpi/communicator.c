/* communicator.c - the merged report of a job. */
#include "config.h"

#include "mpi/communicator.h"
#include "mpi/together.h"
#include "mpi/transport.h"
#include "mpi/wrap.h"

/*
 * Write the report after all ranks have arrived, so that the time of the call that ends MPI
 * includes the wait for the last rank.
 */
static int write_report(const struct gptl_transport *transport, void *nothing)
{
    (void)nothing;
    transport->wait_for_all(transport->context);
    gptl_ranks_report(transport);
    return 0;
}

/* All ranks call MPI_Finalize with this library, and expect each other there. */
static bool together;

void gptl_mpi_prepare_report(void)
{
    int size = 1;
    gptl_mpi_pmpi.MPI_Comm_size(MPI_COMM_WORLD, &size);
    together = gptl_mpi_together(gptl_ranks_wanted(size), gptl_ranks_wanted(2));
    gptl_ranks_expect_report(together);
}

void gptl_mpi_report(void)
{
    if (together)
        gptl_mpi_with_transport("merged report", MPI_COMM_WORLD, write_report, NULL);
    together = false;
    gptl_mpi_together_end();
    gptl_ranks_expect_report(false);
}

#ifdef GPTL_HAVE_MPI_Session_init
/*
 * A process cannot find out, without waiting, which other processes of the job use sessions and
 * when these end. Therefore the user must assert by output=merged that all ranks call this.
 */
void gptl_mpi_report_session(MPI_Session session)
{
    static const char *const function = "merged report";
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0, size = 1;
    if (gptl_mpi_pmpi.MPI_Group_from_session_pset(session, "mpi://WORLD", &world) != MPI_SUCCESS)
        return;
    gptl_mpi_pmpi.MPI_Group_rank(world, &rank);
    gptl_mpi_pmpi.MPI_Group_size(world, &size);
    if (!gptl_ranks_wanted(2)) {
        if (gptl_ranks_wanted(size) && rank == 0)
            gptl_core_warn("",
                           "this program has MPI sessions only, so each rank reports by itself; "
                           "with GPTL_OPTIONS=output=merged the last MPI_Session_finalize of all "
                           "ranks makes one report");
    } else if (gptl_mpi_pmpi.MPI_Comm_create_from_group(world, "gptl.report", MPI_INFO_NULL,
                                                        MPI_ERRORS_RETURN, &comm) != MPI_SUCCESS) {
        gptl_core_error(function, "MPI_Comm_create_from_group fails; each rank reports by itself");
    } else {
        gptl_mpi_with_transport(function, comm, write_report, NULL);
        gptl_mpi_pmpi.MPI_Comm_free(&comm);
    }
    gptl_mpi_pmpi.MPI_Group_free(&world);
}
#endif
