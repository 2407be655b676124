/*
 * complete.c - MPI_Wait, MPI_Test, and their variants for several requests.
 *
 * The status contains the received amount of a request, which is attributed to the posting node; if the
 * caller ignores the status, the wrapper supplies its own. A request is held before MPI completes
 * it, because afterwards another thread may own a new request with the same handle. All this is
 * done also while nothing is measured, so that no request stays in the table after MPI reuses its
 * handle.
 */
#include "config.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/requests.h"

/* ---- One request ----------------------------------------------------------------------------- */

/* Update a HELD request. RC and REQUEST are MPI's results. */
static void settle(const struct gptl_mpi_held *held, int rc, bool done, MPI_Request request,
                   const MPI_Status *status)
{
    if (rc == MPI_SUCCESS && done)
        gptl_mpi_completed(held, status);
    else if (rc == MPI_SUCCESS || gptl_mpi_request_key(request) == held->key)
        gptl_mpi_put_back(held);
    else
        gptl_mpi_completed(held, NULL);
}

static GPTL_MPI_LONG int long_wait(MPI_Request *request, MPI_Status *status)
{
    char *frame = gptl_mpi_frame();
    MPI_Status own;
    GPTL_MPI_NEED(MPI_Wait);
    void *node = gptl_mpi_begin("MPI_Wait", frame);
    struct gptl_mpi_held held = gptl_mpi_hold(request);
    status = gptl_mpi_own_status(held.place, status, &own);
    int rc = gptl_mpi_next.MPI_Wait(request, status);
    if (node)
        gptl_mpi_stop("MPI_Wait");
    if (held.place)
        settle(&held, rc, true, *request, status);
    gptl_mpi_pass(frame);
    return rc;
}

static GPTL_MPI_LONG int short_wait(MPI_Request *request, MPI_Status *status)
{
    if (!gptl_mpi_likely(gptl_mpi_next.MPI_Wait != NULL))
        return long_wait(request, status);
    void *node = gptl_mpi_begin_short("MPI_Wait", gptl_mpi_frame());
    if (!gptl_mpi_likely(node != NULL))
        return long_wait(request, status);
    MPI_Status own;
    struct gptl_mpi_held held = gptl_mpi_hold(request);
    status = gptl_mpi_own_status(held.place, status, &own);
    int rc = gptl_mpi_next.MPI_Wait(request, status);
    gptl_mpi_stop_short(node, "MPI_Wait");
    if (held.place && gptl_mpi_likely(rc == MPI_SUCCESS))
        gptl_mpi_succeeded(&held, status);
    else if (held.place)
        settle(&held, rc, true, *request, status);
    gptl_mpi_leave();
    return rc;
}

#undef MPI_Wait
GPTL_MPI_WRAPPER int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    if (gptl_mpi_is_disabled() && gptl_mpi_next.MPI_Wait && !gptl_mpi_is_known(request))
        return gptl_mpi_next.MPI_Wait(request, status);
    return short_wait(request, status);
}

static GPTL_MPI_LONG int long_test(MPI_Request *request, int *flag, MPI_Status *status)
{
    char *frame = gptl_mpi_frame();
    MPI_Status own;
    GPTL_MPI_NEED(MPI_Test);
    void *node = gptl_mpi_begin("MPI_Test", frame);
    struct gptl_mpi_held held = gptl_mpi_hold(request);
    status = gptl_mpi_own_status(held.place, status, &own);
    int rc = gptl_mpi_next.MPI_Test(request, flag, status);
    if (node)
        gptl_mpi_stop("MPI_Test");
    if (held.place)
        settle(&held, rc, rc == MPI_SUCCESS && *flag, *request, status);
    gptl_mpi_pass(frame);
    return rc;
}

static GPTL_MPI_LONG int short_test(MPI_Request *request, int *flag, MPI_Status *status)
{
    if (!gptl_mpi_likely(gptl_mpi_next.MPI_Test != NULL))
        return long_test(request, flag, status);
    void *node = gptl_mpi_begin_short("MPI_Test", gptl_mpi_frame());
    if (!gptl_mpi_likely(node != NULL))
        return long_test(request, flag, status);
    MPI_Status own;
    struct gptl_mpi_held held = gptl_mpi_hold(request);
    status = gptl_mpi_own_status(held.place, status, &own);
    int rc = gptl_mpi_next.MPI_Test(request, flag, status);
    gptl_mpi_stop_short(node, "MPI_Test");
    if (held.place)
        settle(&held, rc, rc == MPI_SUCCESS && *flag, *request, status);
    gptl_mpi_leave();
    return rc;
}

#undef MPI_Test
GPTL_MPI_WRAPPER int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    if (gptl_mpi_is_disabled() && gptl_mpi_next.MPI_Test && !gptl_mpi_is_known(request))
        return gptl_mpi_next.MPI_Test(request, flag, status);
    return short_test(request, flag, status);
}

/* ---- Several requests ------------------------------------------------------------------------ */

/* Larger batches use heap memory, because the stack may be small. */
enum { USUAL = 8 };

/* The requests of a call and their state. */
struct batch {
    /*
     * Copy of the handles, which MPI replaces by MPI_REQUEST_NULL: completed ones are looked up
     * afterwards. NULL: no copy.
     */
    MPI_Request *before, usual_before[USUAL];
    int count;
    /*
     * If several threads call MPI, another thread may own a request with the same handle by then.
     * Therefore all requests that deliver bytes are held before the call.
     */
    int n;
    struct held_at {
        struct gptl_mpi_held held;
        int index;
    } * at, usual[USUAL];
    MPI_Status *own, usual_own[USUAL]; /* substitutes for ignored statuses, or NULL */
    bool works;                        /* the batch is large */
    struct gptl_work work;             /* time excluded from regions */
};

/*
 * Memory that a thread keeps for its next call: a test of many requests that completes none takes
 * less time than malloc would.
 */
struct scratch {
    size_t size;
    bool taken;
    max_align_t bytes[];
};
static __thread struct scratch *scratch __attribute__((tls_model("initial-exec")));
static pthread_key_t scratch_key;
static pthread_once_t scratch_once = PTHREAD_ONCE_INIT;
static bool has_scratch_key;

static void free_scratch(void *kept)
{
    free(kept);
    scratch = NULL;
}

static void make_scratch_key(void)
{
    has_scratch_key = pthread_key_create(&scratch_key, free_scratch) == 0;
}

static GPTL_SELDOM void grow_scratch(size_t size)
{
    pthread_once(&scratch_once, make_scratch_key);
    struct scratch *larger = has_scratch_key ? malloc(sizeof *larger + 2 * size) : NULL;
    if (!larger)
        return;
    free(scratch);
    *larger = (struct scratch){.size = 2 * size};
    scratch = larger;
    pthread_setspecific(scratch_key, larger);
}

/*
 * Allocate SIZE bytes for a call; NULL when out of memory. A nested call, or a second buffer, uses
 * the heap.
 */
static void *take_bytes(size_t size)
{
    bool taken = scratch && scratch->taken;
    if (!taken && (!scratch || scratch->size < size))
        grow_scratch(size);
    if (taken || !scratch || scratch->size < size)
        return malloc(size);
    scratch->taken = true;
    return scratch->bytes;
}

static void give_bytes(void *bytes)
{
    if (scratch && bytes == scratch->bytes)
        scratch->taken = false;
    else
        free(bytes);
}

static void copy_handles(struct batch *batch, int count, const MPI_Request *requests)
{
    size_t size = (size_t)count * sizeof *requests;
    batch->before = count <= USUAL ? batch->usual_before : take_bytes(size);
    if (batch->before)
        memcpy(batch->before, requests, size);
}

/*
 * Hold all known ones of COUNT requests. When out of memory, the rest is released and not counted.
 */
static void hold_all(struct batch *batch, int count, const MPI_Request *requests)
{
    for (int i = 0; i < count; i++) {
        struct gptl_mpi_held held = gptl_mpi_hold(&requests[i]);
        if (!held.place)
            continue;
        if (batch->n == USUAL && batch->at == batch->usual) {
            struct held_at *more = malloc((size_t)count * sizeof *more);
            if (more) {
                for (int k = 0; k < USUAL; k++)
                    more[k] = batch->usual[k];
                batch->at = more;
            }
        }
        if (batch->n == USUAL && batch->at == batch->usual)
            gptl_mpi_completed(&held, NULL);
        else
            batch->at[batch->n++] = (struct held_at){held, i};
    }
}

/*
 * Exclude the work from the enclosing regions if it takes longer than two clock readings. For a few
 * requests it is part of the cost of a start and stop.
 */
static void begin_work(struct batch *batch, int n)
{
    batch->works = n > USUAL;
    if (batch->works)
        gptl_core_work_begin(&batch->work);
}

static void end_work(struct batch *batch)
{
    if (batch->works)
        gptl_core_work_end(&batch->work);
    batch->works = false;
}

/* Begin the work after a call that completed N requests. */
static void begin_completion(struct batch *batch, int n)
{
    begin_work(batch, batch->n > n ? batch->n : n);
}

/* Look up all requests before the region starts, so that the time is not attributed to MPI. */
static void look_at_all(struct batch *batch, int count, const MPI_Request *requests)
{
    batch->n = 0;
    batch->works = false;
    batch->at = batch->usual;
    batch->own = NULL;
    batch->before = NULL;
    batch->count = requests && count > 0 ? count : 0;
    if (batch->count == 0)
        return;
    if (!(gptl_mpi_special & GPTL_MPI_CONCURRENT)) {
        copy_handles(batch, count, requests);
        return;
    }
    begin_work(batch, count);
    hold_all(batch, count, requests);
    end_work(batch);
}

static bool has_any(const struct batch *batch)
{
    return batch->n > 0 || batch->before;
}

/* Return the caller's statuses, our own if they are needed, or none. */
static MPI_Status *statuses_for(struct batch *batch, int count, MPI_Status *statuses)
{
    if (statuses != MPI_STATUSES_IGNORE || !has_any(batch))
        return statuses;
    batch->own = count <= USUAL ? batch->usual_own : take_bytes((size_t)count * sizeof *batch->own);
    return batch->own ? batch->own : statuses;
}

static void release(struct batch *batch)
{
    if (batch->own != batch->usual_own)
        give_bytes(batch->own);
    if (batch->at != batch->usual)
        free(batch->at);
    if (batch->before != batch->usual_before)
        give_bytes(batch->before);
    end_work(batch);
}

/* Remove requests that MPI freed after an error; they deliver nothing. */
static void forget_freed(const struct batch *batch, const MPI_Request *requests)
{
    for (int i = 0; i < batch->count; i++) {
        if (requests[i] == batch->before[i])
            continue;
        struct gptl_mpi_held held = gptl_mpi_hold(&batch->before[i]);
        if (held.place)
            gptl_mpi_completed(&held, NULL);
    }
}

/* Release the requests still held: they were not completed, or MPI freed them after an error. */
static void put_back_rest(struct batch *batch, int rc, const MPI_Request *requests)
{
    if (batch->before && rc != MPI_SUCCESS)
        forget_freed(batch, requests);
    for (int k = 0; k < batch->n; k++) {
        struct gptl_mpi_held *held = &batch->at[k].held;
        if (held->place)
            settle(held, MPI_ERR_OTHER, false, requests[batch->at[k].index], NULL);
    }
}

/* Complete the request at INDEX. */
static void complete_one(struct batch *batch, int index, const MPI_Status *status)
{
    int low = 0, high = batch->n;
    if (batch->before && index >= 0 && index < batch->count) {
        struct gptl_mpi_held held = gptl_mpi_hold(&batch->before[index]);
        if (held.place)
            gptl_mpi_completed(&held, status);
        return;
    }
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (batch->at[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == batch->n || batch->at[low].index != index || !batch->at[low].held.place)
        return;
    gptl_mpi_completed(&batch->at[low].held, status);
    batch->at[low].held.place = NULL;
}

/* Complete all requests, or with MPI_ERR_IN_STATUS the ones with a successful status. */
static void complete_all(struct batch *batch, int rc, const MPI_Status *statuses)
{
    if ((rc != MPI_SUCCESS && rc != MPI_ERR_IN_STATUS) || statuses == MPI_STATUSES_IGNORE)
        return;
    int n = batch->before ? batch->count : batch->n;
    for (int k = 0; k < n; k++) {
        int index = batch->before ? k : batch->at[k].index;
        if (rc == MPI_SUCCESS || statuses[index].MPI_ERROR == MPI_SUCCESS)
            complete_one(batch, index, &statuses[index]);
    }
}

#undef MPI_Waitall
GPTL_MPI_WRAPPER int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    char *frame = gptl_mpi_frame();
    struct batch batch;
    GPTL_MPI_NEED(MPI_Waitall);
    look_at_all(&batch, count, requests);
    void *node = gptl_mpi_begin("MPI_Waitall", frame);
    statuses = statuses_for(&batch, count, statuses);
    int rc = gptl_mpi_next.MPI_Waitall(count, requests, statuses);
    if (node)
        gptl_mpi_stop("MPI_Waitall");
    begin_completion(&batch, batch.count);
    complete_all(&batch, rc, statuses);
    put_back_rest(&batch, rc, requests);
    release(&batch);
    gptl_mpi_pass(frame);
    return rc;
}

#undef MPI_Testall
GPTL_MPI_WRAPPER int MPI_Testall(int count, MPI_Request requests[], int *flag,
                                 MPI_Status statuses[])
{
    char *frame = gptl_mpi_frame();
    struct batch batch;
    GPTL_MPI_NEED(MPI_Testall);
    look_at_all(&batch, count, requests);
    void *node = gptl_mpi_begin("MPI_Testall", frame);
    statuses = statuses_for(&batch, count, statuses);
    int rc = gptl_mpi_next.MPI_Testall(count, requests, flag, statuses);
    if (node)
        gptl_mpi_stop("MPI_Testall");
    begin_completion(&batch, rc != MPI_SUCCESS || *flag ? batch.count : 0);
    if (rc != MPI_SUCCESS || *flag)
        complete_all(&batch, rc, statuses);
    put_back_rest(&batch, rc, requests);
    release(&batch);
    gptl_mpi_pass(frame);
    return rc;
}

#undef MPI_Waitany
GPTL_MPI_WRAPPER int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    char *frame = gptl_mpi_frame();
    struct batch batch;
    MPI_Status own;
    GPTL_MPI_NEED(MPI_Waitany);
    look_at_all(&batch, count, requests);
    void *node = gptl_mpi_begin("MPI_Waitany", frame);
    status = gptl_mpi_own_status(has_any(&batch) ? &batch : NULL, status, &own);
    int rc = gptl_mpi_next.MPI_Waitany(count, requests, index, status);
    if (node)
        gptl_mpi_stop("MPI_Waitany");
    begin_completion(&batch, 1);
    if (rc == MPI_SUCCESS && has_any(&batch) && *index != MPI_UNDEFINED)
        complete_one(&batch, *index, status);
    put_back_rest(&batch, rc, requests);
    release(&batch);
    gptl_mpi_pass(frame);
    return rc;
}

#undef MPI_Testany
GPTL_MPI_WRAPPER int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag,
                                 MPI_Status *status)
{
    char *frame = gptl_mpi_frame();
    struct batch batch;
    MPI_Status own;
    GPTL_MPI_NEED(MPI_Testany);
    look_at_all(&batch, count, requests);
    void *node = gptl_mpi_begin("MPI_Testany", frame);
    status = gptl_mpi_own_status(has_any(&batch) ? &batch : NULL, status, &own);
    int rc = gptl_mpi_next.MPI_Testany(count, requests, index, flag, status);
    if (node)
        gptl_mpi_stop("MPI_Testany");
    begin_completion(&batch, 1);
    if (rc == MPI_SUCCESS && has_any(&batch) && *flag && *index != MPI_UNDEFINED)
        complete_one(&batch, *index, status);
    put_back_rest(&batch, rc, requests);
    release(&batch);
    gptl_mpi_pass(frame);
    return rc;
}

/* Complete the N requests at INDICES, with consecutive statuses. */
static void complete_some(struct batch *batch, int rc, const int *n, const int *indices,
                          const MPI_Status *statuses)
{
    if ((rc != MPI_SUCCESS && rc != MPI_ERR_IN_STATUS) || statuses == MPI_STATUSES_IGNORE ||
        !has_any(batch) || *n == MPI_UNDEFINED)
        return;
    for (int k = 0; k < *n; k++)
        if (rc == MPI_SUCCESS || statuses[k].MPI_ERROR == MPI_SUCCESS)
            complete_one(batch, indices[k], &statuses[k]);
}

typedef int some(int incount, MPI_Request requests[], int *outcount, int indices[],
                 MPI_Status statuses[]);

/* Execute call NAME for the wrapper at FRAME; NEXT is the PMPI entry point. */
static int complete_by(const char *name, some *next, char *frame, int incount,
                       MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[])
{
    struct batch batch;
    look_at_all(&batch, incount, requests);
    void *node = gptl_mpi_begin(name, frame);
    statuses = statuses_for(&batch, incount, statuses);
    int rc = next(incount, requests, outcount, indices, statuses);
    if (node)
        gptl_mpi_stop(name);
    begin_completion(&batch, rc == MPI_SUCCESS ? *outcount : batch.count);
    complete_some(&batch, rc, outcount, indices, statuses);
    put_back_rest(&batch, rc, requests);
    release(&batch);
    gptl_mpi_pass(frame);
    return rc;
}

#undef MPI_Waitsome
GPTL_MPI_WRAPPER int MPI_Waitsome(int incount, MPI_Request requests[], int *outcount, int indices[],
                                  MPI_Status statuses[])
{
    GPTL_MPI_NEED(MPI_Waitsome);
    return complete_by("MPI_Waitsome", gptl_mpi_next.MPI_Waitsome, gptl_mpi_frame(), incount,
                       requests, outcount, indices, statuses);
}

#undef MPI_Testsome
GPTL_MPI_WRAPPER int MPI_Testsome(int incount, MPI_Request requests[], int *outcount, int indices[],
                                  MPI_Status statuses[])
{
    GPTL_MPI_NEED(MPI_Testsome);
    return complete_by("MPI_Testsome", gptl_mpi_next.MPI_Testsome, gptl_mpi_frame(), incount,
                       requests, outcount, indices, statuses);
}
