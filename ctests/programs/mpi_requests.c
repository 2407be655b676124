/*
 * mpi_requests.c - threads that concurrently post and complete as many requests as possible, with a
 * fake MPI: it reuses the handle of a completed request at once, for any thread, which a real one
 * does rarely. Prints for each function the bytes that the library must have counted.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- The MPI ------------------------------------------------------------------------------- */

enum { NREQUESTS = 1024 };

static struct request {
    MPI_Request handle;
    int bytes; /* that will have arrived */
    bool is_persistent, is_cancelled, fails;
    int next; /* free one */
} requests[NREQUESTS];
static int free_ones = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Handles that the library keeps in few lines of its table, so that threads collide there. */
static void make_handles(void)
{
    MPI_Request handle = 0x6c000000;
    for (int i = 0; i < NREQUESTS; i++) {
        do
            handle++;
        while ((uint64_t)handle * 0x9e3779b97f4a7c15u >> 55);
        requests[i] = (struct request){.handle = handle, .next = free_ones};
        free_ones = i;
    }
}

/* Handles rise. */
static struct request *request_of(MPI_Request handle)
{
    int low = 0, high = NREQUESTS;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (requests[middle].handle <= handle)
            low = middle;
        else
            high = middle;
    }
    if (requests[low].handle != handle)
        abort();
    return &requests[low];
}

static int make(MPI_Request *request, int bytes, bool is_persistent)
{
    pthread_mutex_lock(&mutex);
    int i = free_ones;
    if (i < 0)
        abort();
    free_ones = requests[i].next;
    pthread_mutex_unlock(&mutex);
    requests[i].bytes = bytes;
    requests[i].is_persistent = is_persistent;
    requests[i].is_cancelled = requests[i].fails = false;
    *request = requests[i].handle;
    return MPI_SUCCESS;
}

static void give_back(MPI_Request *request)
{
    struct request *r = request_of(*request);
    pthread_mutex_lock(&mutex);
    r->next = free_ones;
    free_ones = (int)(r - requests);
    pthread_mutex_unlock(&mutex);
    *request = MPI_REQUEST_NULL;
}

/* Persistent ones stay. Except a failing one, which would fail at every call. */
static int complete(MPI_Request *request, MPI_Status *status)
{
    if (*request == MPI_REQUEST_NULL)
        return MPI_SUCCESS;
    const struct request *r = request_of(*request);
    if (r->fails) {
        give_back(request);
        return MPI_ERR_TRUNCATE;
    }
    if (status != MPI_STATUS_IGNORE) {
        status->count_lo = r->bytes;
        status->count_hi_and_cancelled = r->is_cancelled;
        status->MPI_ERROR = MPI_SUCCESS;
    }
    if (!r->is_persistent)
        give_back(request);
    return MPI_SUCCESS;
}

/* Whether it is reported as completed: every third time. */
static bool is_due(void)
{
    static __thread unsigned times;
    return times++ % 3 == 2;
}

#define IN_STATUSES(statuses, i)                                                                   \
    ((statuses) == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &(statuses)[i])

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)argc;
    (void)argv;
    *provided = required;
    return MPI_SUCCESS;
}

int PMPI_Query_thread(int *level)
{
    *level = MPI_THREAD_MULTIPLE;
    return MPI_SUCCESS;
}

int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    *rank = 0;
    return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = 1;
    return MPI_SUCCESS;
}

int PMPI_Comm_get_parent(MPI_Comm *parent)
{
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int PMPI_Initialized(int *flag)
{
    *flag = 0; /* so no caller requests more */
    return MPI_SUCCESS;
}

int PMPI_Finalize(void)
{
    return MPI_SUCCESS;
}

int PMPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    (void)buffer, (void)type, (void)source, (void)tag, (void)comm;
    return make(request, count, false);
}

int PMPI_Isend(const void *buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    (void)buffer, (void)count, (void)type, (void)target, (void)tag, (void)comm;
    return make(request, 1 << 20, false); /* the status of a send does not matter to us */
}

int PMPI_Recv_init(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                   MPI_Request *request)
{
    (void)buffer, (void)type, (void)source, (void)tag, (void)comm;
    return make(request, count, true);
}

int PMPI_Start(MPI_Request *request)
{
    (void)request;
    return MPI_SUCCESS;
}

int PMPI_Cancel(MPI_Request *request)
{
    request_of(*request)->is_cancelled = true;
    return MPI_SUCCESS;
}

int PMPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
    (void)request;
    (void)status;
    *flag = 0;
    return MPI_SUCCESS;
}

int PMPI_Request_free(MPI_Request *request)
{
    give_back(request);
    return MPI_SUCCESS;
}

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    return complete(request, status);
}

int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    *flag = is_due();
    return *flag ? complete(request, status) : MPI_SUCCESS;
}

int PMPI_Waitall(int count, MPI_Request all[], MPI_Status statuses[])
{
    for (int i = 0; i < count; i++)
        complete(&all[i], IN_STATUSES(statuses, i));
    return MPI_SUCCESS;
}

int PMPI_Testall(int count, MPI_Request all[], int *flag, MPI_Status statuses[])
{
    *flag = is_due();
    return *flag ? PMPI_Waitall(count, all, statuses) : MPI_SUCCESS;
}

/* The last one in the array. */
int PMPI_Waitany(int count, MPI_Request all[], int *index, MPI_Status *status)
{
    *index = MPI_UNDEFINED;
    for (int i = count - 1; i >= 0; i--)
        if (all[i] != MPI_REQUEST_NULL) {
            *index = i;
            return complete(&all[i], status);
        }
    return MPI_SUCCESS;
}

int PMPI_Testany(int count, MPI_Request all[], int *index, int *flag, MPI_Status *status)
{
    *flag = is_due();
    *index = MPI_UNDEFINED;
    return *flag ? PMPI_Waitany(count, all, index, status) : MPI_SUCCESS;
}

/* Every second one, from the last to the first. */
int PMPI_Waitsome(int count, MPI_Request all[], int *n, int indices[], MPI_Status statuses[])
{
    bool every_second = true, there_are = false;
    *n = 0;
    for (int i = count - 1; i >= 0; i--) {
        if (all[i] == MPI_REQUEST_NULL)
            continue;
        there_are = true;
        if (every_second) {
            complete(&all[i], IN_STATUSES(statuses, *n));
            indices[(*n)++] = i;
        }
        every_second = !every_second;
    }
    if (!there_are)
        *n = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int PMPI_Testsome(int count, MPI_Request all[], int *n, int indices[], MPI_Status statuses[])
{
    *n = 0;
    return is_due() ? PMPI_Waitsome(count, all, n, indices, statuses) : MPI_SUCCESS;
}

/* ---- The threads --------------------------------------------------------------------------- */

enum { THREADS = 8, ROUNDS = 4000, MOST = 40, WAYS = 8 };

static _Atomic int64_t received, started;

static unsigned next_number(unsigned *state)
{
    return *state = *state * 1664525 + 1013904223, *state >> 8;
}

static void post(MPI_Request *request, unsigned *state)
{
    int bytes = 1 + (int)(next_number(state) % 1000);
    switch (next_number(state) % 5) {
    case 0:
        MPI_Isend(NULL, bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF, request);
        return;
    case 1: /* this one receives nothing */
        MPI_Irecv(NULL, bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF, request);
        MPI_Cancel(request);
        return;
    case 2: /* a request whose completion is invisible, then perhaps another of the same handle */
        MPI_Irecv(NULL, bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF, request);
        PMPI_Wait(request, MPI_STATUS_IGNORE);
        break;
    case 3:
        MPI_Irecv(NULL, bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF, request);
        MPI_Request_free(request);
        break;
    default:
        break;
    }
    MPI_Irecv(NULL, bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF, request);
    atomic_fetch_add(&received, bytes);
}

static void finish(MPI_Request *all, int n, unsigned way, MPI_Status *statuses)
{
    int done = 0, flag = 0, index, indices[MOST];
    MPI_Status *status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses;
    switch (way) {
    case 0:
        for (int i = 0; i < n; i++)
            MPI_Wait(&all[i], status);
        break;
    case 1:
        for (int i = 0; i < n; i += all[i] == MPI_REQUEST_NULL)
            MPI_Test(&all[i], &flag, status);
        break;
    case 2:
        MPI_Waitall(n, all, statuses);
        break;
    case 3:
        while (!flag)
            MPI_Testall(n, all, &flag, statuses);
        break;
    case 4:
        for (int i = 0; i < n; i++)
            MPI_Waitany(n, all, &index, status);
        break;
    case 5:
        for (int i = 0; i < n; i += flag)
            MPI_Testany(n, all, &index, &flag, status);
        break;
    case 6:
        while (done != MPI_UNDEFINED)
            MPI_Waitsome(n, all, &done, indices, statuses);
        break;
    default:
        while (done != MPI_UNDEFINED)
            MPI_Testsome(n, all, &done, indices, statuses);
    }
}

static void start_again(unsigned *state)
{
    MPI_Request request;
    int bytes = 1 + (int)(next_number(state) % 1000), flag;
    MPI_Recv_init(NULL, bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF, &request);
    for (int i = 0; i < 3; i++) {
        MPI_Start(&request);
        do
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        while (!flag);
        atomic_fetch_add(&started, bytes);
    }
    MPI_Request_free(&request);
}

/* A failed request is gone. */
static void go_wrong(void)
{
    MPI_Request request;
    MPI_Irecv(NULL, 1 << 20, MPI_BYTE, 0, 0, MPI_COMM_SELF, &request);
    request_of(request)->fails = true;
    if (MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS)
        abort();
}

/* Requests that one thread has posted and another one completes. */
static _Atomic int handed_on[16];

static void hand_on(unsigned *state)
{
    MPI_Request request;
    int bytes = 1 + (int)(next_number(state) % 1000);
    MPI_Irecv(NULL, bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF, &request);
    atomic_fetch_add(&received, bytes);
    request = atomic_exchange(&handed_on[next_number(state) % 16], request);
    if (request)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void *run(void *seed)
{
    unsigned state = *(unsigned *)seed;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Request all[MOST];
        MPI_Status statuses[MOST];
        int n = 1 + (int)(next_number(&state) % MOST);
        for (int k = 0; k < n; k++)
            post(&all[k], &state);
        start_again(&state);
        hand_on(&state);
        go_wrong();
        bool ignored = next_number(&state) % 2;
        finish(all, n, next_number(&state) % WAYS, ignored ? MPI_STATUSES_IGNORE : statuses);
    }
    return NULL;
}

int main(void)
{
    pthread_t id[THREADS];
    unsigned seed[THREADS];
    int provided;
    make_handles();
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
    for (unsigned i = 0; i < THREADS; i++) {
        seed[i] = i + 1;
        if (pthread_create(&id[i], NULL, run, &seed[i]))
            return 2;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
    for (int i = 0; i < 16; i++) {
        MPI_Request request = atomic_load(&handed_on[i]);
        if (request)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    printf("MPI_Irecv %lld\nMPI_Start %lld\n", (long long)atomic_load(&received),
           (long long)atomic_load(&started));
    MPI_Finalize();
    return 0;
}
