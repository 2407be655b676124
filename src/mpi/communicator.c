/* communicator.c - the functions of gptlmpi.h, for C and Fortran, and the report of a whole job. */
#include "config.h"

#include "gptlmpi.h"

#include "mpi/communicator.h"
#include "mpi/together.h"
#include "mpi/transport.h"
#include "mpi/wrap.h"

/* Whether MPI can be used; if not, FUNCTION has reported it. */
static bool is_running(const char *function)
{
    int begun = 0, ended = 0;
    if (gptl_mpi_pmpi.MPI_Initialized && gptl_mpi_pmpi.MPI_Finalized) {
        gptl_mpi_pmpi.MPI_Initialized(&begun);
        gptl_mpi_pmpi.MPI_Finalized(&ended);
    }
    if (begun && !ended)
        return true;
    gptl_core_error(function, ended ? "called after MPI_Finalize" : "called before MPI_Init");
    return false;
}

/* ---- Barrier ------------------------------------------------------------------------------- */

/* What cannot be timed is a barrier all the same, for which other processes wait. */
static int barrier(const char *function, MPI_Comm comm, const char *name)
{
    if (!is_running(function))
        return -1;
    if (comm == MPI_COMM_NULL)
        return gptl_core_error(function, "the communicator is MPI_COMM_NULL");
    bool timed = name && GPTLstart(name) == 0;
    GPTL_MPI_NEED(MPI_Barrier);
    int rc = gptl_mpi_next.MPI_Barrier(comm);
    if (!name)
        return gptl_core_error(function, "the name is NULL");
    if (timed && GPTLstop(name))
        timed = false;
    if (rc != MPI_SUCCESS)
        return gptl_core_error(function, "\"%s\": MPI_Barrier reports error %d", name, rc);
    return timed ? 0 : -1;
}

int GPTLbarrier(MPI_Comm comm, const char *name)
{
    return barrier("GPTLbarrier", comm, name);
}

/* ---- Summary ------------------------------------------------------------------------------- */

struct request {
    const char *function, *file;
};

static int write_summary(const struct gptl_transport *transport, void *request)
{
    const struct request *of = request;
    return gptl_ranks_summary(of->function, transport, of->file);
}

static int summary(const char *function, MPI_Comm comm, const char *file)
{
    struct request request = {function, file};
    return is_running(function) ? gptl_mpi_with_transport(function, comm, write_summary, &request)
                                : -1;
}

int GPTLpr_summary_file(MPI_Comm comm, const char *file)
{
    return summary("GPTLpr_summary_file", comm, file);
}

int GPTLpr_summary(MPI_Comm comm)
{
    return summary("GPTLpr_summary", comm, "timing.summary");
}

/* The call that ends MPI has then taken, on each rank, until the last one came there. */
static int write_report(const struct gptl_transport *transport, void *nothing)
{
    (void)nothing;
    gptl_mpi_wait_for_all(*(const MPI_Comm *)transport->context);
    gptl_ranks_report(transport);
    return 0;
}

/* All ranks come to MPI_Finalize with this library, and expect the others there. */
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
 * What else of the job has sessions, and when they end, nobody can find out without waiting for it. So
 * it is for the user to say, by output=merged, that all ranks come here.
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

/* ---- Fortran ------------------------------------------------------------------------------- */

static MPI_Comm from_fortran(int comm)
{
#ifdef GPTL_HAVE_MPI_Comm_f2c
    return (gptl_mpi_pmpi.MPI_Comm_f2c)(comm); /* MPICH 5 has a macro besides */
#else
    return MPI_Comm_f2c(comm); /* a macro */
#endif
}

/* Fortran programs may well have a number that is no communicator's when MPI is not used. */
static int fortran_summary(const char *function, int comm, const char *file)
{
    return is_running(function) ? summary(function, from_fortran(comm), file) : -1;
}

static int fortran_barrier(const char *function, int comm, const char *name)
{
    return is_running(function) ? barrier(function, from_fortran(comm), name) : -1;
}

void gptl_mpi_serve_fortran(void)
{
    static const struct gptl_ranks_service service = {fortran_summary, fortran_barrier};
    gptl_ranks_serve(&service);
}
