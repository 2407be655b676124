/*
 * with_mpi.c - the functions of gptlmpi.h, for C and Fortran, and MPI_Wtime as a clock. Programs
 * that call them are linked with libgptl and their MPI, and need no other library.
 */
#include "config.h"

#include <stdatomic.h>
#include <time.h>

#include "gptl.h"

#include "core/core.h"
#include "core/own_stack.h"
#include "ranks/found_mpi.h"
#include "ranks/ranks.h"

/* Return the C handle of COMM. */
static uintptr_t handle_of(const struct gptl_found_mpi *mpi, struct gptl_ranks_comm comm)
{
    if (mpi->integers)
        return (unsigned)comm.handle;
    return comm.is_fortran ? mpi->Comm_f2c((int)comm.handle) : comm.handle;
}

static atomic_bool expected; /* wrappers are here, which may load MPI in MPI_Init */

/* Return the MPI while it runs; otherwise NULL with the reason in *WHY. */
static const struct gptl_found_mpi *running(const char **why)
{
    const struct gptl_found_mpi *mpi = gptl_found_running(why);
    if (!mpi && *why == gptl_found_absent && atomic_load(&expected))
        *why = "called before MPI_Init";
    return mpi;
}

/* ---- Barrier ------------------------------------------------------------------------------- */

/*
 * Execute a timed barrier. If the name cannot be timed, the barrier is executed nonetheless,
 * because other processes wait for it.
 */
int gptl_ranks_mpi_barrier(const char *function, struct gptl_ranks_comm comm, const char *name)
{
    const char *why;
    const struct gptl_found_mpi *mpi = running(&why);
    if (!mpi)
        return gptl_core_error(function, "%s", why);
    uintptr_t handle = handle_of(mpi, comm);
    if (handle == mpi->comm_null || handle == 0)
        return gptl_core_error(function, "the communicator is MPI_COMM_NULL");
    bool timed = name && GPTLstart(name) == 0;
    int rc = mpi->Barrier(handle);
    if (!name)
        return gptl_core_error(function, "the name is NULL");
    if (timed && GPTLstop(name))
        timed = false;
    if (rc)
        return gptl_core_error(function, "\"%s\": MPI_Barrier reports error %d", name, rc);
    return timed ? 0 : -1;
}

/* A definition with MPI_Comm is impossible, because MPI_Comm is an integer or an address. */
GPTL_API int GPTLbarrier(uintptr_t comm, const char *name);
int GPTLbarrier(uintptr_t comm, const char *name)
{
    return gptl_ranks_mpi_barrier("GPTLbarrier", (struct gptl_ranks_comm){comm, false}, name);
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

/* What runs on a stack of the library's own. */
struct summary {
    const char *function;
    struct gptl_ranks_comm comm;
    const char *file;
    int result;
};

static int summary(const struct summary *of)
{
    int rank;
    const char *why;
    struct request request = {of->function, of->file};
    const struct gptl_found_mpi *mpi = running(&why);
    if (!mpi)
        return gptl_core_error(of->function, "%s", why);
    uintptr_t handle = handle_of(mpi, of->comm);
    if (handle == 0)
        return gptl_core_error(of->function, "%d is no communicator", (int)of->comm.handle);
    if (mpi->Comm_rank(mpi->comm_world, &rank) == 0)
        gptl_core_set_rank(rank);
    struct gptl_work work;
    gptl_core_work_begin(&work);
    int rc = gptl_ranks_with_transport(of->function, handle, write_summary, &request);
    gptl_core_work_end(&work);
    return rc;
}

static void make_summary(void *summary_)
{
    struct summary *of = summary_;
    of->result = summary(of);
}

int gptl_ranks_mpi_summary(const char *function, struct gptl_ranks_comm comm, const char *file)
{
    struct summary of = {function, comm, file, -1};
    gptl_own_stack_call(make_summary, &of);
    return of.result;
}

GPTL_API int GPTLpr_summary_file(uintptr_t comm, const char *file);
int GPTLpr_summary_file(uintptr_t comm, const char *file)
{
    return gptl_ranks_mpi_summary("GPTLpr_summary_file", (struct gptl_ranks_comm){comm, false},
                                  file);
}

GPTL_API int GPTLpr_summary(uintptr_t comm);
int GPTLpr_summary(uintptr_t comm)
{
    return gptl_ranks_mpi_summary("GPTLpr_summary", (struct gptl_ranks_comm){comm, false},
                                  "timing.summary");
}

/* ---- Clock ----------------------------------------------------------------------------------- */

/*
 * MPI_Wtime is callable only while MPI runs, but regions may be open before and after that.
 * Outside, CLOCK_MONOTONIC is read. MPI_Wtime's origin is shifted so that both form one clock.
 */
static _Atomic(const struct gptl_found_mpi *) timer; /* NULL: MPI is not known yet */

/*
 * Offset from MPI_Wtime to CLOCK_MONOTONIC in nanoseconds, set at the first reading. Unless this
 * clock is selected, the program makes the first call of MPI_Wtime, because Open MPI sets its
 * origin there.
 */
static _Atomic int64_t shift = INT64_MIN;

static int64_t monotonic(void)
{
    return (int64_t)gptl_core_read_systime(CLOCK_MONOTONIC);
}

static bool is_running(const struct gptl_found_mpi *mpi)
{
    int begun = 0, ended = 0;
    mpi->Initialized(&begun);
    if (begun && mpi->Finalized)
        mpi->Finalized(&ended);
    return begun && !ended;
}

static uint64_t read_wtime(void)
{
    const struct gptl_found_mpi *mpi = atomic_load_explicit(&timer, memory_order_acquire);
    if (!mpi || !is_running(mpi))
        return (uint64_t)monotonic();
    int64_t now = (int64_t)(mpi->Wtime() * 1e9);
    int64_t known = atomic_load_explicit(&shift, memory_order_relaxed);
    if (known == INT64_MIN) {
        int64_t own = monotonic() - now;
        known = atomic_compare_exchange_strong(&shift, &known, own) ? own : known;
    }
    return (uint64_t)(now + known);
}

static const char *find_timer(void)
{
    const char *why;
    const struct gptl_found_mpi *mpi = gptl_found_mpi(&why);
    if (!mpi)
        return why;
    if (!mpi->Wtime)
        return "the program is linked without PMPI_Wtime of its static MPI: add -Wl,-u,PMPI_Wtime";
    atomic_store_explicit(&timer, mpi, memory_order_release);
    return NULL;
}

static const char *unfit(void)
{
    const char *why = find_timer();
    return atomic_load(&expected) ? NULL : why;
}

static const struct gptl_clock wtime = {
    GPTLmpiwtime,
    "mpiwtime",
    "MPI_Wtime; before MPI_Init and after MPI_Finalize clock_gettime(CLOCK_MONOTONIC)",
    read_wtime,
    1e9,
    unfit};

void gptl_ranks_expect_mpi(void)
{
    atomic_store(&expected, true);
    find_timer();
    gptl_core_add_clock(&wtime);
}

void gptl_ranks_offer_clock(void)
{
    gptl_core_add_clock(&wtime);
}
