/*
 * complete.c - MPI_Wait, MPI_Test, and their kin for several requests.
 *
 * What came with a request is told by its status, which is ours when the caller ignores it, and is
 * the node's that posted the request. The request is held before MPI completes it: afterwards another
 * thread may have one of the same handle. All that is done also while nothing is measured, so that no
 * request stays in the table whose handle MPI uses again.
 */
#include "config.h"

#include <stdlib.h>

#include "mpi/requests.h"

/* ---- One request --------------------------------------------------------------------------- */

/* RC and the REQUEST are what MPI has made of what was HELD. */
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

/* ---- Several ------------------------------------------------------------------------------- */

enum { USUAL = 32 };

/* Those of a call's requests that bring bytes. */
struct batch {
    int n;
    struct held_at {
        struct gptl_mpi_held held;
        int index;
    } * at, usual[USUAL];
    MPI_Status *own,
        usual_own[USUAL]; /* statuses, if the caller has none: NULL if there is no need */
};

/*
 * Holds what there is of COUNT requests. Without memory for all of them the rest is let go: what
 * it brings is not counted.
 */
static void hold_all(struct batch *batch, int count, const MPI_Request *requests)
{
    batch->n = 0;
    batch->at = batch->usual;
    batch->own = NULL;
    for (int i = 0; requests && i < count; i++) {
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

/* The caller's statuses, or our own if they are needed, or none. */
static MPI_Status *statuses_for(struct batch *batch, int count, MPI_Status *statuses)
{
    if (statuses != MPI_STATUSES_IGNORE || batch->n == 0)
        return statuses;
    batch->own = count <= USUAL ? batch->usual_own : malloc((size_t)count * sizeof *batch->own);
    for (int i = 0; batch->own && i < count; i++)
        batch->own[i] = (MPI_Status){0};
    return batch->own ? batch->own : statuses;
}

static void release(struct batch *batch)
{
    if (batch->at != batch->usual)
        free(batch->at);
    if (batch->own != batch->usual_own)
        free(batch->own);
}

/* Those that are still held have not been completed, or MPI has freed them after an error. */
static void put_back_rest(struct batch *batch, const MPI_Request *requests)
{
    for (int k = 0; k < batch->n; k++) {
        struct gptl_mpi_held *held = &batch->at[k].held;
        if (held->place)
            settle(held, MPI_ERR_OTHER, false, requests[batch->at[k].index], NULL);
    }
}

/* The one at INDEX was completed. */
static void complete_one(struct batch *batch, int index, const MPI_Status *status)
{
    int low = 0, high = batch->n;
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

/* All were, or with MPI_ERR_IN_STATUS those that their statuses say. */
static void complete_all(struct batch *batch, int rc, const MPI_Status *statuses)
{
    if ((rc != MPI_SUCCESS && rc != MPI_ERR_IN_STATUS) || statuses == MPI_STATUSES_IGNORE)
        return;
    for (int k = 0; k < batch->n; k++) {
        const MPI_Status *status = &statuses[batch->at[k].index];
        if (rc == MPI_SUCCESS || status->MPI_ERROR == MPI_SUCCESS)
            complete_one(batch, batch->at[k].index, status);
    }
}

#undef MPI_Waitall
GPTL_MPI_WRAPPER int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    char *frame = gptl_mpi_frame();
    struct batch batch;
    GPTL_MPI_NEED(MPI_Waitall);
    void *node = gptl_mpi_begin("MPI_Waitall", frame);
    hold_all(&batch, count, requests);
    statuses = statuses_for(&batch, count, statuses);
    int rc = gptl_mpi_next.MPI_Waitall(count, requests, statuses);
    if (node)
        gptl_mpi_stop("MPI_Waitall");
    complete_all(&batch, rc, statuses);
    put_back_rest(&batch, requests);
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
    void *node = gptl_mpi_begin("MPI_Testall", frame);
    hold_all(&batch, count, requests);
    statuses = statuses_for(&batch, count, statuses);
    int rc = gptl_mpi_next.MPI_Testall(count, requests, flag, statuses);
    if (node)
        gptl_mpi_stop("MPI_Testall");
    if (rc != MPI_SUCCESS || *flag)
        complete_all(&batch, rc, statuses);
    put_back_rest(&batch, requests);
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
    void *node = gptl_mpi_begin("MPI_Waitany", frame);
    hold_all(&batch, count, requests);
    status = gptl_mpi_own_status(batch.n ? &batch : NULL, status, &own);
    int rc = gptl_mpi_next.MPI_Waitany(count, requests, index, status);
    if (node)
        gptl_mpi_stop("MPI_Waitany");
    if (rc == MPI_SUCCESS && batch.n > 0 && *index != MPI_UNDEFINED)
        complete_one(&batch, *index, status);
    put_back_rest(&batch, requests);
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
    void *node = gptl_mpi_begin("MPI_Testany", frame);
    hold_all(&batch, count, requests);
    status = gptl_mpi_own_status(batch.n ? &batch : NULL, status, &own);
    int rc = gptl_mpi_next.MPI_Testany(count, requests, index, flag, status);
    if (node)
        gptl_mpi_stop("MPI_Testany");
    if (rc == MPI_SUCCESS && batch.n > 0 && *flag && *index != MPI_UNDEFINED)
        complete_one(&batch, *index, status);
    put_back_rest(&batch, requests);
    release(&batch);
    gptl_mpi_pass(frame);
    return rc;
}

/* The N completed ones are those at INDICES, and their statuses lie one after the other. */
static void complete_some(struct batch *batch, int rc, const int *n, const int *indices,
                          const MPI_Status *statuses)
{
    if ((rc != MPI_SUCCESS && rc != MPI_ERR_IN_STATUS) || statuses == MPI_STATUSES_IGNORE ||
        batch->n == 0 || *n == MPI_UNDEFINED)
        return;
    for (int k = 0; k < *n; k++)
        if (rc == MPI_SUCCESS || statuses[k].MPI_ERROR == MPI_SUCCESS)
            complete_one(batch, indices[k], &statuses[k]);
}

typedef int some(int incount, MPI_Request requests[], int *outcount, int indices[],
                 MPI_Status statuses[]);

/* The call NAME of the wrapper at FRAME; its twin is NEXT. */
static int complete_by(const char *name, some *next, char *frame, int incount,
                       MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[])
{
    struct batch batch;
    void *node = gptl_mpi_begin(name, frame);
    hold_all(&batch, incount, requests);
    statuses = statuses_for(&batch, incount, statuses);
    int rc = next(incount, requests, outcount, indices, statuses);
    if (node)
        gptl_mpi_stop(name);
    complete_some(&batch, rc, outcount, indices, statuses);
    put_back_rest(&batch, requests);
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
