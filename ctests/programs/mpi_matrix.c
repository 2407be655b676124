/*
 * mpi_matrix.c - messages of every kind between processes of known ranks; it writes its own count
 * of sent and received data to expected.RANK: lines "peer RANK …" and "size ROUTINE FROM …", each
 * with messages and bytes sent, and received.
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, N = 5000, KINDS = 40, BINS = 20 };

static int world_rank, world_size;
static MPI_Comm world, self;

/* ---- Accounts ------------------------------------------------------------------------------ */

struct sums {
    long messages[2], bytes[2];
};
static struct sums peers[MOST];
static struct {
    const char *routine;
    struct sums bins[BINS];
} sizes[KINDS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

enum { SENT, RECEIVED };

static void add(struct sums *to, int what, long bytes)
{
    to->messages[what]++;
    to->bytes[what] += bytes;
}

static void book(const char *routine, int what, int peer, long bytes)
{
    int k = 0, bin = 0;
    while (bytes >= 1L << bin)
        bin++;
    pthread_mutex_lock(&mutex);
    add(&peers[peer], what, bytes);
    while (sizes[k].routine && strcmp(sizes[k].routine, routine) != 0)
        k++;
    sizes[k].routine = routine;
    add(&sizes[k].bins[bin], what, bytes);
    pthread_mutex_unlock(&mutex);
}

static void put(FILE *file, const struct sums *sums)
{
    fprintf(file, " %ld %ld %ld %ld\n", sums->messages[SENT], sums->bytes[SENT],
            sums->messages[RECEIVED], sums->bytes[RECEIVED]);
}

static void write_expected(void)
{
    char name[64];
    snprintf(name, sizeof name, "expected.%d", world_rank);
    FILE *file = fopen(name, "w");
    for (int i = 0; i < world_size; i++)
        if (peers[i].messages[SENT] + peers[i].messages[RECEIVED] > 0) {
            fprintf(file, "peer %d", i);
            put(file, &peers[i]);
        }
    for (int k = 0; sizes[k].routine; k++)
        for (int bin = 0; bin < BINS; bin++)
            if (sizes[k].bins[bin].messages[SENT] + sizes[k].bins[bin].messages[RECEIVED] > 0) {
                fprintf(file, "size %s %ld", sizes[k].routine, bin ? 1L << (bin - 1) : 0);
                put(file, &sizes[k].bins[bin]);
            }
    if (fclose(file))
        abort();
}

/* ---- A ring of processes ------------------------------------------------------------------- */

struct ring {
    MPI_Comm comm;
    int to, from;             /* ranks in it */
    int world_to, world_from; /* and in MPI_COMM_WORLD */
    char out[N], in[N];
};

static MPI_Request receive(struct ring *r, int size)
{
    MPI_Request request;
    MPI_Irecv(r->in, N, MPI_BYTE, MPI_ANY_SOURCE, 1, r->comm, &request);
    book("MPI_Irecv", RECEIVED, r->world_from, size);
    return request;
}

static void end(MPI_Request request)
{
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void sends(struct ring *r)
{
    char *space = malloc(N + MPI_BSEND_OVERHEAD);
    int size = N + MPI_BSEND_OVERHEAD;
    MPI_Request send, get = receive(r, 10);
    MPI_Send(r->out, 10, MPI_BYTE, r->to, 1, r->comm);
    book("MPI_Send", SENT, r->world_to, 10);
    end(get);
    get = receive(r, 0);
    MPI_Send(NULL, 0, MPI_BYTE, r->to, 1, r->comm);
    book("MPI_Send", SENT, r->world_to, 0);
    end(get);
    get = receive(r, 4 * 33);
    MPI_Ssend(r->out, 33, MPI_INT, r->to, 1, r->comm);
    book("MPI_Ssend", SENT, r->world_to, 4 * 33);
    end(get);
    MPI_Send(r->out, 10, MPI_BYTE, MPI_PROC_NULL, 1, r->comm);

#define NONBLOCKING(name, count)                                                                   \
    get = receive(r, count);                                                                       \
    MPI_Sendrecv(NULL, 0, MPI_BYTE, r->from, 7, NULL, 0, MPI_BYTE, r->to, 7, r->comm,              \
                 MPI_STATUS_IGNORE);                                                               \
    book("MPI_Sendrecv", SENT, r->world_from, 0);                                                  \
    book("MPI_Sendrecv", RECEIVED, r->world_to, 0);                                                \
    name(r->out, count, MPI_BYTE, r->to, 1, r->comm, &send);                                       \
    book(#name, SENT, r->world_to, count);                                                         \
    end(send);                                                                                     \
    end(get)
    NONBLOCKING(MPI_Isend, 100);
    NONBLOCKING(MPI_Issend, 4000);
    NONBLOCKING(MPI_Irsend, 4096);
    get = receive(r, 9);
    MPI_Sendrecv(NULL, 0, MPI_BYTE, r->from, 7, NULL, 0, MPI_BYTE, r->to, 7, r->comm,
                 MPI_STATUS_IGNORE);
    book("MPI_Sendrecv", SENT, r->world_from, 0);
    book("MPI_Sendrecv", RECEIVED, r->world_to, 0);
    MPI_Rsend(r->out, 9, MPI_BYTE, r->to, 1, r->comm);
    book("MPI_Rsend", SENT, r->world_to, 9);
    end(get);

    /* Threads share one buffer. */
    pthread_mutex_lock(&mutex);
    static int attached;
    if (!attached++)
        MPI_Buffer_attach(space, size);
    else
        free(space);
    pthread_mutex_unlock(&mutex);
    get = receive(r, 12);
    MPI_Bsend(r->out, 12, MPI_BYTE, r->to, 1, r->comm);
    book("MPI_Bsend", SENT, r->world_to, 12);
    end(get);
    NONBLOCKING(MPI_Ibsend, 13);
}

static void receives(struct ring *r)
{
    MPI_Request send;
    MPI_Message message;
    MPI_Status status;
    for (int source = 0; source < 2; source++) {
        MPI_Isend(r->out, 77, MPI_BYTE, r->to, 2, r->comm, &send);
        book("MPI_Isend", SENT, r->world_to, 77);
        MPI_Recv(r->in, N, MPI_BYTE, source ? r->from : MPI_ANY_SOURCE, 2, r->comm,
                 source ? &status : MPI_STATUS_IGNORE);
        book("MPI_Recv", RECEIVED, r->world_from, 77);
        end(send);
    }
    MPI_Recv(r->in, N, MPI_BYTE, MPI_PROC_NULL, 2, r->comm, MPI_STATUS_IGNORE);
    MPI_Isend(r->out, 78, MPI_BYTE, r->to, 3, r->comm, &send);
    book("MPI_Isend", SENT, r->world_to, 78);
    MPI_Mprobe(MPI_ANY_SOURCE, 3, r->comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(r->in, N, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    book("MPI_Mrecv", RECEIVED, r->world_from, 78);
    end(send);
    MPI_Isend(r->out, 79, MPI_BYTE, r->to, 3, r->comm, &send);
    book("MPI_Isend", SENT, r->world_to, 79);
    int found = 0;
    while (!found)
        MPI_Improbe(r->from, 3, r->comm, &found, &message, &status);
    MPI_Request get;
    MPI_Imrecv(r->in, N, MPI_BYTE, &message, &get);
    book("MPI_Imrecv", RECEIVED, r->world_from, 79);
    for (int done = 0; !done;)
        MPI_Test(&get, &done, MPI_STATUS_IGNORE);
    end(send);
    MPI_Mprobe(MPI_PROC_NULL, 3, r->comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(r->in, N, MPI_BYTE, &message, MPI_STATUS_IGNORE);

    MPI_Sendrecv(r->out, 80, MPI_BYTE, r->to, 4, r->in, N, MPI_BYTE, MPI_ANY_SOURCE, 4, r->comm,
                 MPI_STATUS_IGNORE);
    book("MPI_Sendrecv", SENT, r->world_to, 80);
    book("MPI_Sendrecv", RECEIVED, r->world_from, 80);
    MPI_Sendrecv_replace(r->in, 300, MPI_BYTE, r->to, 4, r->from, 4, r->comm, &status);
    book("MPI_Sendrecv_replace", SENT, r->world_to, 300);
    book("MPI_Sendrecv_replace", RECEIVED, r->world_from, 300);
    get = receive(r, 81);
    MPI_Sendrecv(r->out, 81, MPI_BYTE, r->to, 1, NULL, 0, MPI_BYTE, MPI_PROC_NULL, 4, r->comm,
                 MPI_STATUS_IGNORE);
    book("MPI_Sendrecv", SENT, r->world_to, 81);
    end(get);
}

/* One that is canceled, several at a time, and one that is freed after its arrival. */
static void requests(struct ring *r)
{
    MPI_Request all[6];
    MPI_Irecv(r->in, N, MPI_BYTE, MPI_ANY_SOURCE, 99, r->comm, &all[0]);
    MPI_Cancel(&all[0]);
    MPI_Wait(&all[0], MPI_STATUS_IGNORE);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 3; i++) {
            MPI_Irecv(r->in + 100 * i, 100, MPI_BYTE, MPI_ANY_SOURCE, 10 + i, r->comm, &all[i]);
            book("MPI_Irecv", RECEIVED, r->world_from, 20 + i);
        }
        for (int i = 0; i < 3; i++) {
            MPI_Isend(r->out, 20 + i, MPI_BYTE, r->to, 10 + i, r->comm, &all[3 + i]);
            book("MPI_Isend", SENT, r->world_to, 20 + i);
        }
        int n = 0, index, indices[6];
        if (round == 0)
            MPI_Waitall(6, all, MPI_STATUSES_IGNORE);
        for (int left = 6; round == 1 && left > 0; left -= n)
            MPI_Waitsome(6, all, &n, indices, MPI_STATUSES_IGNORE);
        for (int i = 0; round == 2 && i < 6; i++)
            MPI_Waitany(6, all, &index, MPI_STATUS_IGNORE);
    }
    int done = 0;
    MPI_Request get = receive(r, 55);
    MPI_Send(r->out, 55, MPI_BYTE, r->to, 1, r->comm);
    book("MPI_Send", SENT, r->world_to, 55);
    while (!done)
        MPI_Request_get_status(get, &done, MPI_STATUS_IGNORE);
    MPI_Request_free(&get);
}

static void persistent(struct ring *r)
{
    MPI_Request both[2];
    MPI_Recv_init(r->in, N, MPI_BYTE, MPI_ANY_SOURCE, 5, r->comm, &both[0]);
    MPI_Send_init(r->out, 60, MPI_BYTE, r->to, 5, r->comm, &both[1]);
    for (int i = 0; i < 3; i++) {
        if (i < 2) {
            MPI_Start(&both[0]);
            MPI_Start(&both[1]);
        } else {
            MPI_Startall(2, both);
        }
        book(i < 2 ? "MPI_Start" : "MPI_Startall", RECEIVED, r->world_from, 60);
        book(i < 2 ? "MPI_Start" : "MPI_Startall", SENT, r->world_to, 60);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
}

#if MPI_VERSION >= 4
static void newer(struct ring *r)
{
    MPI_Request one, parts[2];
    MPI_Isendrecv(r->out, 40, MPI_BYTE, r->to, 6, r->in, 40, MPI_BYTE, r->from, 6, r->comm, &one);
    book("MPI_Isendrecv", SENT, r->world_to, 40);
    book("MPI_Isendrecv", RECEIVED, r->world_from, 40);
    end(one);
    MPI_Send_c(r->out, 0, MPI_BYTE, MPI_PROC_NULL, 6, r->comm);
    MPI_Precv_init(r->in, 4, 25, MPI_BYTE, r->from, 8, r->comm, MPI_INFO_NULL, &parts[0]);
    MPI_Psend_init(r->out, 4, 25, MPI_BYTE, r->to, 8, r->comm, MPI_INFO_NULL, &parts[1]);
    MPI_Startall(2, parts);
    book("MPI_Startall", SENT, r->world_to, 100);
    book("MPI_Startall", RECEIVED, r->world_from, 100);
    for (int i = 0; i < 4; i++)
        MPI_Pready(i, parts[1]);
    MPI_Waitall(2, parts, MPI_STATUSES_IGNORE);
    MPI_Request_free(&parts[0]);
    MPI_Request_free(&parts[1]);
}
#endif

static void all(struct ring *r)
{
    sends(r);
    receives(r);
    requests(r);
    persistent(r);
}

/* ---- Communicators ------------------------------------------------------------------------- */

/* A ring of COMM's processes; their ranks in the world are FIRST + STEP * RANK. */
static struct ring *ring(MPI_Comm comm, int first, int step)
{
    struct ring *r = calloc(1, sizeof *r);
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    r->comm = comm;
    r->to = (rank + 1) % size;
    r->from = (rank + size - 1) % size;
    r->world_to = first + step * r->to;
    r->world_from = first + step * r->from;
    return r;
}

static void over(MPI_Comm comm, int first, int step)
{
    struct ring *r = ring(comm, first, step);
    all(r);
#if MPI_VERSION >= 4
    if (comm == world)
        newer(r);
#endif
    free(r);
}

/* The process of the same rank in the other group. */
static void across(MPI_Comm half)
{
    MPI_Comm inter;
    int rank, other = world_rank % 2 ? world_rank - 1 : world_rank + 1;
    MPI_Comm_rank(half, &rank);
    MPI_Intercomm_create(half, 0, world, 1 - world_rank % 2, 1, &inter);
    struct ring *r = ring(half, 0, 0);
    r->comm = inter;
    r->to = r->from = rank;
    r->world_to = r->world_from = other;
    all(r);
    free(r);
    MPI_Comm_free(&inter);
}

/* A message that arrives after its communicator is freed. */
static void freed(MPI_Comm comm)
{
    MPI_Comm reversed;
    MPI_Comm_split(comm, 0, world_size - world_rank, &reversed);
    struct ring *r = ring(reversed, world_size - 1, -1);
    MPI_Request get = receive(r, 500), send;
    MPI_Isend(r->out, 500, MPI_BYTE, r->to, 1, reversed, &send);
    book("MPI_Isend", SENT, r->world_to, 500);
    MPI_Comm_free(&reversed);
    end(send);
    end(get);
    free(r);
}

static void *thread(void *comm)
{
    for (int i = 0; i < 20; i++)
        over(*(MPI_Comm *)comm, 0, 1);
    return NULL;
}

static void threads(void)
{
    pthread_t ids[3];
    MPI_Comm comms[3];
    for (int i = 0; i < 3; i++)
        MPI_Comm_dup(world, &comms[i]);
    for (int i = 0; i < 3; i++)
        pthread_create(&ids[i], NULL, thread, &comms[i]);
    for (int i = 0; i < 3; i++) {
        pthread_join(ids[i], NULL);
        MPI_Comm_free(&comms[i]);
    }
}

static void communicators(void)
{
    MPI_Comm comm, half;
    over(world, 0, 1);
    MPI_Comm_dup(world, &comm);
    over(comm, 0, 1);
    MPI_Comm_free(&comm);
    MPI_Comm_split(world, 0, world_size - world_rank, &comm);
    over(comm, world_size - 1, -1);
    MPI_Comm_free(&comm);
    over(self, world_rank, 0);
    MPI_Comm_split(world, world_rank % 2, world_rank, &half);
    over(half, world_rank % 2, 2);
    if (world_size % 2 == 0)
        across(half);
    MPI_Comm_free(&half);
    freed(world);
}

#if MPI_VERSION >= 4
/* The processes of SESSION. */
static MPI_Comm from(MPI_Session session, const char *name)
{
    MPI_Group group;
    MPI_Comm comm;
    MPI_Group_from_session_pset(session, name, &group);
    MPI_Comm_create_from_group(group, "matrix", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

/* Two at a time, of which the first one ends first. */
static void sessions(void)
{
    MPI_Session first, second;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
    world = from(first, "mpi://WORLD");
    self = from(second, "mpi://SELF");
    MPI_Comm_rank(world, &world_rank);
    MPI_Comm_size(world, &world_size);
    communicators();
    MPI_Comm_free(&world);
    MPI_Session_finalize(&first);
    world = from(second, "mpi://WORLD");
    freed(world);
    write_expected();
    MPI_Comm_free(&world);
    MPI_Comm_free(&self);
    MPI_Session_finalize(&second);
}
#endif

int main(int argc, char **argv)
{
    int provided;
    const char *how = argc > 1 ? argv[1] : "";
    bool threaded = strcmp(how, "threads") == 0;
#if MPI_VERSION >= 4
    if (strcmp(how, "sessions") == 0) {
        sessions();
        return 0;
    }
#endif
    MPI_Init_thread(&argc, &argv, threaded ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    world = MPI_COMM_WORLD;
    self = MPI_COMM_SELF;
    MPI_Comm_rank(world, &world_rank);
    MPI_Comm_size(world, &world_size);
    if (threaded && provided == MPI_THREAD_MULTIPLE)
        threads();
    else
        communicators();
    write_expected();
    if (strcmp(how, "killed") == 0)
        raise(SIGKILL);
    MPI_Finalize();
    return 0;
}
