/*
 * trace_requests.c - requests, from the posting call to the completing one.
 *
 * A request has a unique number. MPI may reuse a handle as soon as its request is complete, and may
 * use one handle for several requests that are complete at creation: requests with the same handle
 * complete in posting order.
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/trace_stream.h"

/* ---- Known requests -------------------------------------------------------------------------- */

struct request {
    struct request *next;
    uint64_t key, number;
    /* body posted by each start of a persistent request, or NULL */
    struct gptl_mpi_trace_body *plan;
    struct gptl_mpi_peers *peers; /* of a receive with unknown sender or tag; reference held */
    bool open;                    /* such a receive */
    bool lasts;                   /* persistent */
    bool active;
};

enum { CHAIN_BITS = 12 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct request *chains[1 << CHAIN_BITS];
static uint64_t latest;
static _Atomic long nopen; /* receives described only by their status, and cancelled requests */

static struct request **chain_of(uint64_t key)
{
    return &chains[key * 0x9e3779b97f4a7c15u >> (64 - CHAIN_BITS)];
}

static uint64_t key_of(MPI_Request request)
{
    return (uint64_t)(uintptr_t)request;
}

/* Insert a request after others with the same handle. */
static void keep(struct request *request)
{
    pthread_mutex_lock(&mutex);
    struct request **at = chain_of(request->key);
    while (*at)
        at = &(*at)->next;
    *at = request;
    pthread_mutex_unlock(&mutex);
}

static void drop(struct request *request)
{
    if (!request)
        return;
    nopen -= request->open;
    gptl_mpi_peers_release(request->peers);
    free(request->plan);
    free(request);
}

/* Return the oldest request with this handle, removing it if it TAKES nonpersistent ones. */
static struct request *find(uint64_t key, bool takes)
{
    pthread_mutex_lock(&mutex);
    struct request **at = chain_of(key);
    while (*at && (*at)->key != key)
        at = &(*at)->next;
    struct request *request = *at;
    if (request && takes && !request->lasts)
        *at = request->next;
    pthread_mutex_unlock(&mutex);
    return request;
}

static void forget(uint64_t key)
{
    pthread_mutex_lock(&mutex);
    struct request **at = chain_of(key);
    while (*at && (*at)->key != key)
        at = &(*at)->next;
    struct request *request = *at;
    if (request)
        *at = request->next;
    pthread_mutex_unlock(&mutex);
    drop(request);
}

static uint64_t new_number(void)
{
    return __atomic_add_fetch(&latest, 1, __ATOMIC_RELAXED);
}

static bool is_null(const MPI_Request *request)
{
    return !request || *request == MPI_REQUEST_NULL;
}

/* Record that a message is sent from or received into MEMORY. */
static void use(struct gptl_mpi_trace_call *call, enum gptl_ti what,
                struct gptl_mpi_trace_memory memory)
{
    if ((what & ~(unsigned)GPTL_TI_MORE) == GPTL_TI_SEND)
        gptl_mpi_trace_gives(memory);
    else
        gptl_mpi_trace_takes(call, memory);
}

void gptl_mpi_trace_message(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way,
                            enum gptl_ti what, struct gptl_mpi_trace_memory memory, bool open,
                            struct gptl_mpi_peers *peers)
{
    if (!way.persistent)
        use(call, what, memory);
    if (!way.request) {
        gptl_mpi_trace_record(call, what, 0);
        return;
    }
    struct request *request = is_null(way.request) ? NULL : calloc(1, sizeof *request);
    if (!request) { /* out of memory: its completion will not be recorded */
        gptl_mpi_trace_record(call, what, new_number());
        return;
    }
    request->key = key_of(*way.request);
    request->open = open;
    request->peers = gptl_mpi_peers_hold(open ? peers : NULL);
    nopen += open;
    request->lasts = way.persistent;
    if (way.persistent) {
        request->plan = gptl_mpi_trace_take(call, what);
        gptl_mpi_trace_passed(call);
        if (!request->plan) {
            drop(request);
            return;
        }
        request->plan->memory = memory;
    } else {
        request->number = new_number();
        request->active = true;
        gptl_mpi_trace_record(call, what, request->number);
    }
    keep(request);
}

void gptl_mpi_trace_goes(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way,
                         enum gptl_ti what)
{
    gptl_mpi_trace_message(call, way, what, (struct gptl_mpi_trace_memory){NULL, 0}, false, NULL);
}

void gptl_mpi_trace_nothing(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way)
{
    struct request *request = is_null(way.request) ? NULL : calloc(1, sizeof *request);
    gptl_mpi_trace_passed(call);
    if (!request)
        return;
    request->key = key_of(*way.request);
    request->lasts = way.persistent;
    keep(request);
}

/* ---- Completion ------------------------------------------------------------------------------ */

enum { USUAL = 64 };

/* The handles of a call, which MPI changes, and substitutes for ignored statuses. */
struct batch {
    int n;
    MPI_Request *handles, usual[USUAL];
    MPI_Status *statuses, usual_statuses[USUAL];
    void *made[2];
};

/* Prepare a batch. Return false, so that nothing is traced, without memory or a valid number. */
static bool begin(struct batch *batch, const struct gptl_mpi_trace_call *call, int n,
                  const MPI_Request *requests, MPI_Status *statuses, bool ignored)
{
    memset(batch->made, 0, sizeof batch->made);
    batch->statuses = statuses;
    batch->n = n;
    if (!call->stream || n < 0 || !requests)
        return false;
    size_t count = (size_t)n;
    batch->handles = batch->usual;
    if (n > USUAL)
        batch->made[0] = batch->handles = malloc(count * sizeof *batch->handles);
    if (!batch->handles)
        return false;
    memcpy(batch->handles, requests, count * sizeof *requests);
    if (!ignored || nopen == 0)
        return true;
    batch->statuses = batch->usual_statuses;
    if (n > USUAL)
        batch->made[1] = batch->statuses = malloc(count * sizeof *statuses);
    if (!batch->statuses)
        batch->statuses = statuses;
    return true;
}

static void finish(struct batch *batch)
{
    free(batch->made[0]);
    free(batch->made[1]);
}

/*
 * Add a completed request to the WAIT record. Return the number of added ones: 0 or 1. UNKNOWN: it
 * is not replayed.
 */
static int put_completed(struct gptl_mpi_trace_call *call, MPI_Request handle,
                         const MPI_Status *status, bool *unknown)
{
    struct request *request = find(key_of(handle), true);
    int n = 0;
    if (!request && handle != MPI_REQUEST_NULL)
        *unknown = true;
    if (request && request->active) {
        bool told = status && request->open;
        bool cancelled = status && nopen && gptl_mpi_was_cancelled(status);
        struct gptl_mpi_stream *stream = call->stream;
        unsigned flags = cancelled ? GPTL_TI_CANCELLED : told ? GPTL_TI_RESOLVED : 0;
        gptl_mpi_trace_signed(call, (int64_t)(request->number - stream->mentioned) * 4 + flags);
        stream->mentioned = request->number;
        if (told && !cancelled) {
            gptl_mpi_trace_signed(call, gptl_mpi_world_rank(request->peers, status->MPI_SOURCE));
            gptl_mpi_trace_signed(call, status->MPI_TAG);
        }
        request->active = false;
        n = 1;
    }
    if (request && !request->lasts)
        drop(request);
    return n;
}

/*
 * Record a WAIT. INDEXES: the completed requests; NULL: all. STATUSES are in the order of the
 * indexes if they are DENSE. A wait for requests unknown to the trace is recorded as another call,
 * NAME: it keeps its time, during which the other requests progress.
 */
static void put_wait(struct gptl_mpi_trace_call *call, const struct batch *batch,
                     const int *indexes, int n, const MPI_Status *statuses, bool dense,
                     const char *name)
{
    int known = 0;
    bool unknown = false;
    for (int k = 0; k < n; k++) {
        int i = indexes ? indexes[k] : k;
        known += put_completed(call, batch->handles[i], statuses ? &statuses[dense ? k : i] : NULL,
                               &unknown);
    }
    /* The number of requests is stored first, but known last. */
    struct gptl_mpi_trace_body *list = known ? gptl_mpi_trace_take(call, GPTL_TI_WAIT) : NULL;
    if (unknown)
        gptl_mpi_trace_other(call, name);
    if (!list) {
        gptl_mpi_trace_passed(call);
        return;
    }
    gptl_mpi_trace_number(call, (uint64_t)known);
    gptl_mpi_trace_body(call, list);
    free(list);
    gptl_mpi_trace_record(call, GPTL_TI_WAIT, 0);
}

/* Return whether one of the requests is unknown to the trace. */
static bool has_unknown(const MPI_Request *handles, int n)
{
    for (int i = 0; i < n; i++)
        if (handles[i] != MPI_REQUEST_NULL && !find(key_of(handles[i]), false))
            return true;
    return false;
}

/* Record a failed test, which leaves the handles unchanged. */
static void put_poll(struct gptl_mpi_trace_call *call, const MPI_Request *handles, int n,
                     const char *name)
{
    bool unknown = gptl_mpi_trace_counts_poll(call) && has_unknown(handles, n);
    gptl_mpi_trace_polled(call, unknown ? name : NULL);
}

static const MPI_Status *usable(const struct batch *batch, const MPI_Status *ignored)
{
    return batch->statuses == ignored ? NULL : batch->statuses;
}

/* Define a function of this kind: NAME, PARAMETERS, the call, and the completed requests. */
#define TRACING(name, parameters, n, requests, status, ignore, called, complete, indexes,          \
                ncomplete, dense)                                                                  \
    static int tracing_##name parameters                                                           \
    {                                                                                              \
        struct gptl_mpi_trace_call call;                                                           \
        struct batch batch;                                                                        \
        gptl_mpi_trace_enter(&call);                                                               \
        bool traced = begin(&batch, &call, n, requests, status, (status) == (ignore));             \
        int rc = gptl_mpi_untraced.name called;                                                    \
        if (gptl_mpi_trace_returned(&call, rc)) {                                                  \
            if (traced && (complete))                                                              \
                put_wait(&call, &batch, indexes, ncomplete, usable(&batch, ignore), dense,         \
                         #name ", not replayed");                                                  \
            else                                                                                   \
                put_poll(&call, requests, traced ? n : 0, #name ", not replayed");                 \
        }                                                                                          \
        gptl_mpi_trace_leave(&call);                                                               \
        finish(&batch);                                                                            \
        return rc;                                                                                 \
    }

TRACING(MPI_Wait, (MPI_Request * request, MPI_Status *status), 1, request, status,
        MPI_STATUS_IGNORE, (request, batch.statuses), true, NULL, 1, false)
TRACING(MPI_Test, (MPI_Request * request, int *flag, MPI_Status *status), 1, request, status,
        MPI_STATUS_IGNORE, (request, flag, batch.statuses), *flag, NULL, 1, false)
TRACING(MPI_Waitall, (int n, MPI_Request requests[], MPI_Status *statuses), n, requests, statuses,
        MPI_STATUSES_IGNORE, (n, requests, batch.statuses), true, NULL, n, false)
TRACING(MPI_Testall, (int n, MPI_Request requests[], int *flag, MPI_Status *statuses), n, requests,
        statuses, MPI_STATUSES_IGNORE, (n, requests, flag, batch.statuses), *flag, NULL, n, false)
TRACING(MPI_Waitany, (int n, MPI_Request requests[], int *index, MPI_Status *status), n, requests,
        status, MPI_STATUS_IGNORE, (n, requests, index, batch.statuses), *index != MPI_UNDEFINED,
        index, 1, true)
TRACING(MPI_Testany, (int n, MPI_Request requests[], int *index, int *flag, MPI_Status *status), n,
        requests, status, MPI_STATUS_IGNORE, (n, requests, index, flag, batch.statuses),
        *flag &&*index != MPI_UNDEFINED, index, 1, true)
TRACING(MPI_Waitsome,
        (int n, MPI_Request requests[], int *ndone, int indexes[], MPI_Status *statuses), n,
        requests, statuses, MPI_STATUSES_IGNORE, (n, requests, ndone, indexes, batch.statuses),
        *ndone > 0, indexes, *ndone, true)
TRACING(MPI_Testsome,
        (int n, MPI_Request requests[], int *ndone, int indexes[], MPI_Status *statuses), n,
        requests, statuses, MPI_STATUSES_IGNORE, (n, requests, ndone, indexes, batch.statuses),
        *ndone > 0, indexes, *ndone, true)

/*
 * The request stays: a later wait for it is replayed. Until then, a query for it counts as a failed
 * test.
 */
static int tracing_MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    struct gptl_mpi_trace_call call;
    gptl_mpi_trace_enter(&call);
    int rc = gptl_mpi_untraced.MPI_Request_get_status(request, flag, status);
    if (gptl_mpi_trace_returned(&call, rc))
        put_poll(&call, &request, 1, "MPI_Request_get_status, not replayed");
    gptl_mpi_trace_leave(&call);
    return rc;
}

/* ---- Starts, and ends without a wait --------------------------------------------------------- */

/*
 * Record call NAME as not replayed if the trace does not know one of the requests, for instance of
 * partitioned communication.
 */
static void put_unknown(struct gptl_mpi_trace_call *call, const MPI_Request *handles, int n,
                        const char *name)
{
    if (has_unknown(handles, n))
        gptl_mpi_trace_other(call, name);
}

static void put_start(struct gptl_mpi_trace_call *call, MPI_Request handle)
{
    struct request *request = find(key_of(handle), false);
    if (!request || !request->plan)
        return;
    request->number = new_number();
    request->active = true;
    gptl_mpi_trace_body(call, request->plan);
    use(call, request->plan->what, request->plan->memory);
    gptl_mpi_trace_record(call, request->plan->what, request->number);
}

static int tracing_MPI_Start(MPI_Request *request)
{
    struct gptl_mpi_trace_call call;
    gptl_mpi_trace_enter(&call);
    int rc = gptl_mpi_untraced.MPI_Start(request);
    if (gptl_mpi_trace_returned(&call, rc)) {
        put_unknown(&call, request, 1, "MPI_Start, not replayed");
        put_start(&call, *request);
        gptl_mpi_trace_passed(&call); /* if there was no record */
    }
    gptl_mpi_trace_leave(&call);
    return rc;
}

static int tracing_MPI_Startall(int count, MPI_Request requests[])
{
    struct gptl_mpi_trace_call call;
    gptl_mpi_trace_enter(&call);
    int rc = gptl_mpi_untraced.MPI_Startall(count, requests);
    if (gptl_mpi_trace_returned(&call, rc)) {
        put_unknown(&call, requests, count, "MPI_Startall, not replayed");
        for (int i = 0; i < count; i++)
            put_start(&call, requests[i]);
        gptl_mpi_trace_passed(&call);
    }
    gptl_mpi_trace_leave(&call);
    return rc;
}

static int tracing_MPI_Request_free(MPI_Request *request)
{
    struct gptl_mpi_trace_call call;
    gptl_mpi_trace_enter(&call);
    if (call.stream && !is_null(request))
        forget(key_of(*request));
    int rc = gptl_mpi_untraced.MPI_Request_free(request);
    if (gptl_mpi_trace_returned(&call, rc))
        gptl_mpi_trace_passed(&call);
    gptl_mpi_trace_leave(&call);
    return rc;
}

/* From now on statuses are examined. */
static int tracing_MPI_Cancel(MPI_Request *request)
{
    nopen++;
    return gptl_mpi_untraced.MPI_Cancel(request);
}

/* ---- Probes ---------------------------------------------------------------------------------- */

/* Record a failed probe: messages of other worlds are not replayed. */
static void put_probe(struct gptl_mpi_trace_call *call, int source, MPI_Comm comm, const char *name)
{
    bool unknown =
        gptl_mpi_trace_counts_poll(call) && source != MPI_PROC_NULL &&
        gptl_mpi_world_rank(gptl_mpi_peers_of(comm), source == MPI_ANY_SOURCE ? 0 : source) < 0;
    gptl_mpi_trace_polled(call, unknown ? name : NULL);
}

/* A matched probe removes its message from the queue, so the replay receives it here. */
#define PROBING(name, parameters, what, called, found)                                             \
    static int tracing_##name parameters                                                           \
    {                                                                                              \
        static const struct gptl_mpi_trace_pieces none;                                            \
        struct gptl_mpi_trace_call call;                                                           \
        MPI_Status told = {0}, *to = status == MPI_STATUS_IGNORE ? &told : status;                 \
        gptl_mpi_trace_enter(&call);                                                               \
        int rc = gptl_mpi_untraced.name called;                                                    \
        if (gptl_mpi_trace_returned(&call, rc)) {                                                  \
            if (found)                                                                             \
                gptl_mpi_trace_received(&call, what, none, comm, to);                              \
            else                                                                                   \
                put_probe(&call, source, comm, #name ", not replayed");                            \
        }                                                                                          \
        gptl_mpi_trace_leave(&call);                                                               \
        return rc;                                                                                 \
    }

PROBING(MPI_Probe, (int source, int tag, MPI_Comm comm, MPI_Status *status), GPTL_TI_PROBE,
        (source, tag, comm, to), true)
PROBING(MPI_Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
        GPTL_TI_PROBE, (source, tag, comm, flag, to), *flag)
PROBING(MPI_Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
        GPTL_TI_RECV, (source, tag, comm, message, to), true)
PROBING(MPI_Improbe,
        (int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status),
        GPTL_TI_RECV, (source, tag, comm, flag, message, to), *flag)

const struct gptl_mpi_tracer gptl_mpi_request_tracers[] = {
    GPTL_MPI_TRACER(MPI_Wait),
    GPTL_MPI_TRACER(MPI_Test),
    GPTL_MPI_TRACER(MPI_Waitall),
    GPTL_MPI_TRACER(MPI_Testall),
    GPTL_MPI_TRACER(MPI_Waitany),
    GPTL_MPI_TRACER(MPI_Testany),
    GPTL_MPI_TRACER(MPI_Waitsome),
    GPTL_MPI_TRACER(MPI_Testsome),
    GPTL_MPI_TRACER(MPI_Start),
    GPTL_MPI_TRACER(MPI_Startall),
    GPTL_MPI_TRACER(MPI_Cancel),
    GPTL_MPI_TRACER(MPI_Request_free),
    GPTL_MPI_TRACER(MPI_Request_get_status),
    GPTL_MPI_TRACER(MPI_Probe),
    GPTL_MPI_TRACER(MPI_Iprobe),
    GPTL_MPI_TRACER(MPI_Mprobe),
    GPTL_MPI_TRACER(MPI_Improbe),
    {0, NULL},
};
