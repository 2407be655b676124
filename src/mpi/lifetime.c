/*
 * lifetime.c - start of the measurement, rank and report time: library load, MPI_Init and variants,
 * MPI_Finalize, MPI_Abort, MPI_Pcontrol.
 */
#include "config.h"

#include <dlfcn.h>
#include <stdatomic.h>

#include "gptl.h"

#include "mpi/communicator.h"
#include "mpi/notes.h"
#include "mpi/peers.h"
#include "mpi/requests.h"
#include "mpi/trace.h"
#include "mpi/types.h"
#include "mpi/unseen.h"
#include "mpi/wrap.h"
#include "ranks/ranks.h"

/* ---- Load ------------------------------------------------------------------------------------ */

#define AMOUNT(Slot, Name, Description)                                                            \
    {                                                                                              \
        .kind = GPTL_METRIC_COUNTED, .shown = true, .slot = (Slot), .name = (Name),                \
        .description = (Description), .unit = GPTL_AMOUNT_UNIT, .component = "mpi",                \
        .expression = "", .why = "",                                                               \
    }

static struct gptl_metric metrics[] = {
    AMOUNT(GPTL_SENT, "MPI_SENT", "Bytes that calls of MPI sent"),
    AMOUNT(GPTL_RECEIVED, "MPI_RECEIVED", "Bytes that calls of MPI received"),
    {.kind = GPTL_METRIC_COUNTED,
     .slot = GPTL_NAMOUNTS,
     .name = "MPI_CALLS",
     .description = "Calls of functions of MPI that move bytes",
     .unit = "calls",
     .component = "mpi",
     .expression = "",
     .why = ""},
    {.kind = GPTL_METRIC_DERIVED,
     .shown = true,
     .name = "AVG_MPI_BYTES",
     .description = "Bytes that such a call moved, on average",
     .unit = GPTL_AMOUNT_UNIT,
     .component = "",
     .expression = "(MPI_SENT + MPI_RECEIVED) / MPI_CALLS",
     .why = ""},
};
static const struct gptl_metrics amounts = {metrics, sizeof metrics / sizeof *metrics,
                                            GPTL_NAMOUNTS + 1, NULL};

/* A symbol that exists in every MPI of one family and in no other. */
#ifdef OMPI_MAJOR_VERSION
#define OTHER_HAS "MPIR_Dup_fn"
#define OTHER "MPICH or a relative of it: it needs libgptl_mpi-mpich"
#else
#define OTHER_HAS "ompi_mpi_comm_world"
#define OTHER "Open MPI: it needs libgptl_mpi-openmpi"
#endif

/* A preloaded library is loaded into programs without MPI too; their reports lack these columns. */
__attribute__((constructor)) static void load(void)
{
    if (gptl_mpi_pmpi.MPI_Init) {
        gptl_mpi_find_next();
        gptl_core_set_amounts(&amounts);
    }
    gptl_ranks_expect_mpi(); /* MPI may be loaded later */
    if (dlsym(RTLD_DEFAULT, OTHER_HAS))
        gptl_core_warn_job("", "this program uses " OTHER ", and will not work with this library");
}

/* ---- Start ----------------------------------------------------------------------------------- */

/* Start measuring before MPI's initialization, which is timed. */
static void begin(void)
{
    gptl_core_set_amounts(&amounts);
    gptl_core_set_unwrapped(gptl_mpi_unseen);
    gptl_core_set_forget(gptl_mpi_forget_nodes);
    gptl_core_turn_on();
}

/*
 * Initialize with a world. A process spawned later by MPI has a rank in a separate world, and thus
 * the same name as another process.
 */
static void begin_world(void)
{
    int rank, level = MPI_THREAD_MULTIPLE;
    MPI_Comm parent;
    struct gptl_work work;
    gptl_core_work_begin(&work);
    gptl_ranks_expect_mpi();
    gptl_mpi_pmpi.MPI_Query_thread(&level);
    if (level != MPI_THREAD_MULTIPLE)
        gptl_mpi_special &= ~(unsigned)GPTL_MPI_CONCURRENT;
    gptl_mpi_know_types();
    gptl_mpi_take_notes();
    if (gptl_mpi_pmpi.MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS)
        gptl_core_set_rank(rank);
    if (gptl_mpi_pmpi.MPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL)
        gptl_core_share_names();
    gptl_mpi_prepare_report();
    gptl_mpi_trace_begin();
    gptl_core_work_end(&work);
}

#undef MPI_Init
GPTL_MPI_WRAPPER int MPI_Init(int *argc, char ***argv)
{
    GPTL_MPI_NEED(MPI_Init);
    begin();
    char *frame = gptl_mpi_frame();
    void *node = gptl_mpi_begin("MPI_Init", frame);
    int rc = gptl_mpi_next.MPI_Init(argc, argv);
    if (node)
        gptl_mpi_stop("MPI_Init");
    if (rc == MPI_SUCCESS)
        begin_world();
    gptl_mpi_pass(frame);
    return rc;
}

#undef MPI_Init_thread
GPTL_MPI_WRAPPER int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    GPTL_MPI_NEED(MPI_Init_thread);
    begin();
    char *frame = gptl_mpi_frame();
    void *node = gptl_mpi_begin("MPI_Init_thread", frame);
    int rc = gptl_mpi_next.MPI_Init_thread(argc, argv, required, provided);
    if (node)
        gptl_mpi_stop("MPI_Init_thread");
    if (rc == MPI_SUCCESS)
        begin_world();
    gptl_mpi_pass(frame);
    return rc;
}

#ifdef GPTL_HAVE_MPI_Session_init
static atomic_int nsessions; /* open sessions */

/*
 * Initialize a program that uses only sessions: it lacks MPI_COMM_WORLD, but has a process set of
 * that name.
 */
static void begin_session(MPI_Session session)
{
    MPI_Group world;
    int rank = MPI_UNDEFINED;
    struct gptl_process process;
    gptl_mpi_know_types();
    gptl_mpi_peers_open(session);
    gptl_mpi_take_notes();
    gptl_mpi_special |= GPTL_MPI_CONCURRENT; /* sessions may be used by different threads */
    gptl_core_process(&process);
    if (process.rank >= 0 ||
        gptl_mpi_pmpi.MPI_Group_from_session_pset(session, "mpi://WORLD", &world) != MPI_SUCCESS)
        return;
    gptl_mpi_pmpi.MPI_Group_rank(world, &rank);
    gptl_mpi_pmpi.MPI_Group_free(&world);
    if (rank != MPI_UNDEFINED)
        gptl_core_set_rank(rank);
}

#undef MPI_Session_init
GPTL_MPI_WRAPPER int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler,
                                      MPI_Session *session)
{
    GPTL_MPI_NEED(MPI_Session_init);
    begin();
    char *frame = gptl_mpi_frame();
    void *node = gptl_mpi_begin("MPI_Session_init", frame);
    int rc = gptl_mpi_next.MPI_Session_init(info, errhandler, session);
    if (node)
        gptl_mpi_stop("MPI_Session_init");
    if (rc == MPI_SUCCESS) {
        atomic_fetch_add(&nsessions, 1);
        begin_session(*session);
    }
    gptl_mpi_pass(frame);
    return rc;
}

/* Without MPI_Init, the end of the last session is the end of MPI. */
#undef MPI_Session_finalize
GPTL_MPI_WRAPPER int MPI_Session_finalize(MPI_Session *session)
{
    char *frame = gptl_mpi_frame();
    int begun = 0;
    GPTL_MPI_NEED(MPI_Session_finalize);
    void *node = gptl_mpi_begin("MPI_Session_finalize", frame);
    gptl_mpi_pmpi.MPI_Initialized(&begun);
    if (session && atomic_load(&nsessions) == 1 && !begun) {
        struct gptl_work work;
        gptl_core_work_begin(&work);
        gptl_mpi_trace_absent();
        gptl_mpi_report_session(*session);
        gptl_core_work_end(&work);
    }
    if (session)
        gptl_mpi_peers_close(*session);
    int rc = gptl_mpi_next.MPI_Session_finalize(session);
    if (rc == MPI_SUCCESS)
        atomic_fetch_sub(&nsessions, 1);
    if (node)
        gptl_mpi_stop("MPI_Session_finalize");
    gptl_mpi_pass(frame);
    return rc;
}
#endif

/* ---- End ------------------------------------------------------------------------------------- */

#undef MPI_Finalize
GPTL_MPI_WRAPPER int MPI_Finalize(void)
{
    char *frame = gptl_mpi_frame();
    GPTL_MPI_NEED(MPI_Finalize);
    struct gptl_work work;
    void *node = gptl_mpi_begin("MPI_Finalize", frame);
    gptl_core_work_begin(&work);
    gptl_mpi_trace_end();
    gptl_mpi_report(); /* the report shows this call as open */
    gptl_core_work_end(&work);
    int rc = gptl_mpi_next.MPI_Finalize();
    if (node)
        gptl_mpi_stop("MPI_Finalize");
    gptl_mpi_pass(frame);
    if (rc == MPI_SUCCESS)
        gptl_core_finish();
    return rc;
}

/*
 * Write the report, because this process runs no exit handlers. With salvage, the measurements are
 * safe already.
 */
#undef MPI_Abort
GPTL_MPI_WRAPPER int MPI_Abort(MPI_Comm comm, int errorcode)
{
    char *frame = gptl_mpi_frame();
    GPTL_MPI_NEED(MPI_Abort);
    void *node = gptl_mpi_begin("MPI_Abort", frame);
    gptl_mpi_trace_end();
    if (!gptl_core_option(GPTL_OPT_SALVAGE))
        gptl_core_finish();
    int rc = gptl_mpi_next.MPI_Abort(comm, errorcode);
    if (node)
        gptl_mpi_stop("MPI_Abort");
    gptl_mpi_pass(frame);
    return rc;
}

/* ---- Control --------------------------------------------------------------------------------- */

/* Control the measurement. MPI_Pcontrol is intended for tools: MPI's own function does nothing. */
#undef MPI_Pcontrol
GPTL_MPI_WRAPPER int MPI_Pcontrol(const int level, ...)
{
    GPTL_MPI_NEED(MPI_Pcontrol);
    if (GPTLis_initialized()) {
        if (level == 0)
            GPTLdisable();
        else if (level == 1)
            GPTLenable();
        else if (level == 2)
            gptl_core_flush();
    }
    return gptl_mpi_next.MPI_Pcontrol(level);
}
