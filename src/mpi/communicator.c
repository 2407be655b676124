/* communicator.c - the functions of gptlmpi.h, for C and Fortran, and the report of a whole job. */
#include "config.h"

#include "gptlmpi.h"

#include "mpi/communicator.h"
#include "mpi/transport.h"
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

/* ---- Barrier ------------------------------------------------------------------------------- */

static int barrier(const char *function, MPI_Comm comm, const char *name)
{
    if (!name)
        return gptl_core_error(function, "the name is NULL");
    if (!is_running(function))
        return -1;
    if (GPTLstart(name))
        return -1;
    int rc = gptl_mpi_next.MPI_Barrier(comm);
    if (GPTLstop(name))
        return -1;
    if (rc != MPI_SUCCESS)
        return gptl_core_error(function, "\"%s\": MPI_Barrier reports error %d", name, rc);
    return 0;
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

static int write_report(const struct gptl_transport *transport, void *nothing)
{
    (void)nothing;
    gptl_ranks_report(transport);
    return 0;
}

void gptl_mpi_report(void)
{
    int begun = 0, size = 1;
    gptl_mpi_next.MPI_Initialized(&begun);
    if (begun)
        gptl_mpi_next.MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (begun && gptl_ranks_wanted(size))
        gptl_mpi_with_transport("merged report", MPI_COMM_WORLD, write_report, NULL);
}

/* ---- Fortran ------------------------------------------------------------------------------- */

static MPI_Comm from_fortran(int comm)
{
#ifdef GPTL_HAVE_MPI_Comm_f2c
    return gptl_mpi_next.MPI_Comm_f2c(comm);
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
