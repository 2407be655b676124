/*
 * trace_windows.c - one-sided communication: transfers by target process, and their
 * synchronization. A window has a number from the number range of communicators; its processes'
 * world ranks are an attribute.
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>

#include "mpi/trace_stream.h"

struct window {
    int64_t number;
    int n, ranks[];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int keyval = MPI_KEYVAL_INVALID;

static int copied(MPI_Win win, int key, void *extra, void *from, void *to, int *wanted)
{
    (void)win, (void)key, (void)extra, (void)from, (void)to;
    *wanted = 0;
    return MPI_SUCCESS;
}

static int deleted(MPI_Win win, int key, void *value, void *extra)
{
    (void)win, (void)key, (void)extra;
    free(value);
    return MPI_SUCCESS;
}

static const struct window *find(MPI_Win win)
{
    void *value = NULL;
    int found = 0;
    if (keyval == MPI_KEYVAL_INVALID ||
        gptl_mpi_next.MPI_Win_get_attr(win, keyval, &value, &found) != MPI_SUCCESS || !found)
        return NULL;
    return value;
}

int64_t gptl_mpi_trace_window(const struct gptl_mpi_trace_call *call, const MPI_Win *win)
{
    if (!call->stream || !win || *win == MPI_WIN_NULL)
        return -1;
    const struct window *window = find(*win);
    return window ? window->number : -1;
}

static void make(struct gptl_mpi_trace_call *call, MPI_Comm comm, MPI_Win win)
{
    MPI_Group group;
    int n;
    gptl_mpi_next.MPI_Win_get_group(win, &group);
    int *ranks = gptl_mpi_trace_world_ranks(group, &n);
    struct window *window = ranks ? malloc(sizeof *window + (size_t)n * sizeof(int)) : NULL;
    if (window) {
        window->number = gptl_mpi_trace_new_comm(call, group, MPI_GROUP_NULL,
                                                 gptl_mpi_trace_comm(call, comm), GPTL_TI_ANY);
        window->n = n;
        for (int i = 0; i < n; i++)
            window->ranks[i] = ranks[i];
        if (gptl_mpi_next.MPI_Win_set_attr(win, keyval, window) != MPI_SUCCESS)
            free(window);
    }
    free(ranks);
    gptl_mpi_next.MPI_Group_free(&group);
}

void gptl_mpi_trace_window_made(struct gptl_mpi_trace_call *call, MPI_Comm comm, const MPI_Win *win)
{
    pthread_mutex_lock(&mutex);
    if (keyval == MPI_KEYVAL_INVALID)
        gptl_mpi_next.MPI_Win_create_keyval(copied, deleted, &keyval, NULL);
    pthread_mutex_unlock(&mutex);
    make(call, comm, *win);
    gptl_mpi_trace_plain(call, (struct gptl_mpi_trace_way){NULL, false}, GPTL_TI_AGREE, comm);
}

/* Freeing a window is a barrier. */
void gptl_mpi_trace_window_freed(struct gptl_mpi_trace_call *call, int64_t window)
{
    if (window < 0) {
        gptl_mpi_trace_other(call, "MPI_Win_free");
        return;
    }
    gptl_mpi_trace_number(call, GPTL_TI_FENCE);
    gptl_mpi_trace_number(call, (uint64_t)window);
    gptl_mpi_trace_number(call, 0);
    gptl_mpi_trace_record(call, GPTL_TI_EPOCH, 0);
}

static int world_rank(const struct window *window, int rank)
{
    return window && rank >= 0 && rank < window->n ? window->ranks[rank] : -1;
}

void gptl_mpi_trace_onesided(struct gptl_mpi_trace_call *call, struct gptl_mpi_trace_way way,
                             struct gptl_mpi_amount amount, int target, MPI_Win win)
{
    const struct window *window = find(win);
    int rank = world_rank(window, target);
    if (target == MPI_PROC_NULL) {
        gptl_mpi_trace_nothing(call, way);
        return;
    }
    if (rank < 0) {
        gptl_mpi_trace_other(call, "one-sided communication with another world");
        return;
    }
    gptl_mpi_trace_number(call, (uint64_t)window->number);
    gptl_mpi_trace_signed(call, rank);
    gptl_mpi_trace_number(call, (uint64_t)amount.sent);
    gptl_mpi_trace_number(call, (uint64_t)amount.received);
    gptl_mpi_trace_goes(call, way, GPTL_TI_ONESIDED);
}

/* Start an epoch's body. Return false if the window is unknown. */
static bool begin(struct gptl_mpi_trace_call *call, enum gptl_ti_epoch what,
                  const struct window *window)
{
    if (!window) {
        gptl_mpi_trace_other(call, "a window of another world");
        return false;
    }
    gptl_mpi_trace_number(call, what);
    gptl_mpi_trace_number(call, (uint64_t)window->number);
    return true;
}

void gptl_mpi_trace_epoch(struct gptl_mpi_trace_call *call, enum gptl_ti_epoch what, MPI_Win win)
{
    if (!begin(call, what, find(win)))
        return;
    gptl_mpi_trace_number(call, 0);
    gptl_mpi_trace_record(call, GPTL_TI_EPOCH, 0);
}

void gptl_mpi_trace_epoch_at(struct gptl_mpi_trace_call *call, enum gptl_ti_epoch what, int target,
                             MPI_Win win)
{
    const struct window *window = find(win);
    int rank = world_rank(window, target);
    if (target == MPI_PROC_NULL) {
        gptl_mpi_trace_passed(call);
        return;
    }
    if (!begin(call, what, rank >= 0 ? window : NULL))
        return;
    gptl_mpi_trace_number(call, 1);
    gptl_mpi_trace_number(call, (uint64_t)rank);
    gptl_mpi_trace_record(call, GPTL_TI_EPOCH, 0);
}

void gptl_mpi_trace_epoch_of(struct gptl_mpi_trace_call *call, enum gptl_ti_epoch what,
                             MPI_Group group, MPI_Win win)
{
    const struct window *window = find(win);
    int n = 0, known = 0, *ranks = window ? gptl_mpi_trace_world_ranks(group, &n) : NULL;
    for (int i = 0; ranks && i < n; i++)
        known += ranks[i] >= 0;
    if (!begin(call, what, ranks && known == n ? window : NULL)) {
        free(ranks);
        return;
    }
    gptl_mpi_trace_number(call, (uint64_t)n);
    for (int i = 0; i < n; i++)
        gptl_mpi_trace_number(call, (uint64_t)ranks[i]);
    free(ranks);
    gptl_mpi_trace_record(call, GPTL_TI_EPOCH, 0);
}
