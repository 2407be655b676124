/* mpi_bytes_messages.c - messages, and requests, single and multiple. */
#include <stdbool.h>

#include "mpi_bytes.h"

enum { N = 1000 };
static int out[N], in[N];
static double pairs[2 * N];

#define WORLD MPI_COMM_WORLD

static int next_rank(void)
{
    return (rank + 1) % size;
}

static int previous_rank(void)
{
    return (rank + size - 1) % size;
}

/* The receive that a send needs to complete: posted in advance, and not counted in its region. */
static MPI_Request post(void *buffer)
{
    MPI_Request request;
    OK(PMPI_Irecv(buffer, N, MPI_BYTE, previous_rank(), 1, WORLD, &request));
    return request;
}

static void end(MPI_Request request)
{
    OK(PMPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void sends(void)
{
    MPI_Request r = post(in);
    CASE("send", 40, 0, MPI_Send(out, 10, MPI_INT, next_rank(), 1, WORLD));
    end(r);
    r = post(in);
    CASE("ssend", 44, 0, MPI_Ssend(out, 11, MPI_INT, next_rank(), 1, WORLD));
    end(r);
    r = post(in);
    PMPI_Barrier(WORLD);
    CASE("rsend", 8 * 12, 0, MPI_Rsend(pairs, 12, MPI_DOUBLE, next_rank(), 1, WORLD));
    end(r);
    static char space[4096 + MPI_BSEND_OVERHEAD];
    void *old;
    int old_size;
    MPI_Buffer_attach(space, sizeof space);
    r = post(in);
    CASE("bsend", 13, 0, MPI_Bsend(out, 13, MPI_CHAR, next_rank(), 1, WORLD));
    end(r);
    MPI_Buffer_detach(&old, &old_size);
    CASE("send_null", 0, 0, MPI_Send(out, 10, MPI_INT, MPI_PROC_NULL, 1, WORLD));
    r = post(in);
    CASE("send_empty", 0, 0, MPI_Send(out, 0, MPI_INT, next_rank(), 1, WORLD));
    end(r);
}

/* Every second double of a pair: 8 bytes of 16. */
static void derived(void)
{
    MPI_Datatype halves, mixed, types[2] = {MPI_INT, MPI_CHAR};
    int lengths[2] = {2, 3};
    MPI_Aint displacements[2] = {0, 32};
    OK(MPI_Type_vector(10, 1, 2, MPI_DOUBLE, &halves));
    OK(MPI_Type_commit(&halves));
    OK(MPI_Type_create_struct(2, lengths, displacements, types, &mixed));
    OK(MPI_Type_commit(&mixed));
    MPI_Request r = post(in);
    CASE("send_derived", 3 * 80, 0, MPI_Send(pairs, 3, halves, next_rank(), 1, WORLD));
    end(r);
    r = post(in);
    CASE("send_struct", 5 * 11, 0, MPI_Send(pairs, 5, mixed, next_rank(), 1, WORLD));
    end(r);
    r = post(in);
    CASE("send_pair", 7 * 12, 0, MPI_Send(pairs, 7, MPI_DOUBLE_INT, next_rank(), 1, WORLD));
    end(r);
    OK(MPI_Type_free(&halves));
    OK(MPI_Type_free(&mixed));
    /* A new type may have the handle of a freed one. */
    OK(MPI_Type_contiguous(7, MPI_SHORT, &halves));
    OK(MPI_Type_commit(&halves));
    r = post(in);
    CASE("send_after_free", 2 * 14, 0, MPI_Send(pairs, 2, halves, next_rank(), 1, WORLD));
    end(r);
    OK(MPI_Type_free(&halves));
}

/* The receive is larger than the message. */
static void receives(void)
{
    MPI_Request r;
    MPI_Status status;
    MPI_Message message;
    int n;
    OK(PMPI_Isend(out, 10, MPI_INT, next_rank(), 1, WORLD, &r));
    CASE("recv", 0, 40, MPI_Recv(in, N, MPI_INT, previous_rank(), 1, WORLD, MPI_STATUS_IGNORE));
    end(r);
    OK(PMPI_Isend(out, 11, MPI_INT, next_rank(), 1, WORLD, &r));
    CASE("recv_any", 0, 44, MPI_Recv(in, N, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &status));
    MPI_Get_count(&status, MPI_INT, &n);
    if (n != 11 || status.MPI_SOURCE != previous_rank())
        exit(7);
    end(r);
    CASE("recv_null", 0, 0, MPI_Recv(in, N, MPI_INT, MPI_PROC_NULL, 1, WORLD, &status));
    OK(PMPI_Isend(out, 12, MPI_INT, next_rank(), 1, WORLD, &r));
    GPTLstart("mrecv");
    OK(MPI_Mprobe(previous_rank(), 1, WORLD, &message, MPI_STATUS_IGNORE));
    OK(MPI_Mrecv(in, N, MPI_INT, &message, MPI_STATUS_IGNORE));
    GPTLstop("mrecv");
    expect("mrecv", 0, 48);
    end(r);
    CASE("sendrecv", 40, 40,
         MPI_Sendrecv(out, 10, MPI_INT, next_rank(), 2, in, N, MPI_INT, previous_rank(), 2, WORLD,
                      MPI_STATUS_IGNORE));
    CASE("sendrecv_replace", 24, 24,
         MPI_Sendrecv_replace(in, 6, MPI_INT, next_rank(), 2, previous_rank(), 2, WORLD, &status));
    CASE("sendrecv_null", 0, 0,
         MPI_Sendrecv(out, 10, MPI_INT, MPI_PROC_NULL, 2, in, N, MPI_INT, MPI_PROC_NULL, 2, WORLD,
                      &status));
}

void messages(void)
{
    sends();
    derived();
    receives();
}

/* ---- Requests ------------------------------------------------------------------------------ */

/* Received bytes belong to the post, not to the wait. */
static void posted(void)
{
    MPI_Request r, s;
    int flag = 0;
    GPTLstart("post");
    OK(MPI_Irecv(in, N, MPI_INT, previous_rank(), 3, WORLD, &r));
    GPTLstop("post");
    CASE("isend", 40, 0, MPI_Isend(out, 10, MPI_INT, next_rank(), 3, WORLD, &s));
    CASE("wait", 0, 0, MPI_Wait(&r, MPI_STATUS_IGNORE));
    CASE("wait_send", 0, 0, MPI_Wait(&s, MPI_STATUS_IGNORE));
    expect("post", 0, 40);
    expect("post/MPI_Irecv", 0, 40);
    GPTLstart("post_tested");
    OK(MPI_Irecv(in, N, MPI_INT, previous_rank(), 3, WORLD, &r));
    OK(MPI_Test(&r, &flag, MPI_STATUS_IGNORE));
    GPTLstop("post_tested");
    OK(MPI_Issend(out, 9, MPI_INT, next_rank(), 3, WORLD, &s));
    while (!flag)
        OK(MPI_Test(&r, &flag, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
    expect("post_tested", 0, 36);
    expect("post_tested/MPI_Irecv", 0, 36);
    MPI_Message message;
    OK(MPI_Isend(out, 8, MPI_INT, next_rank(), 3, WORLD, &s));
    OK(MPI_Mprobe(previous_rank(), 3, WORLD, &message, MPI_STATUS_IGNORE));
    GPTLstart("imrecv");
    OK(MPI_Imrecv(in, N, MPI_INT, &message, &r));
    GPTLstop("imrecv");
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
    expect("imrecv", 0, 32);
    OK(MPI_Irecv(in, N, MPI_INT, MPI_PROC_NULL, 3, WORLD, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
}

enum { MANY = 50 };

/* I bytes with tag I, for each I: posted backwards, so the order differs from the array. */
static void post_many(const char *name, MPI_Request *r, MPI_Request *s)
{
    GPTLstart(name);
    for (int i = 0; i < MANY; i++)
        OK(MPI_Irecv(&in[10 * i], 40, MPI_CHAR, previous_rank(), 100 + i, WORLD, &r[i]));
    GPTLstop(name);
    expect(name, 0, (MANY - 10) * 40 + 0 + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9);
    for (int i = MANY - 1; i >= 0; i--)
        OK(MPI_Isend(out, i < 10 ? i : 40, MPI_CHAR, next_rank(), 100 + i, WORLD, &s[i]));
}

static void several(void)
{
    MPI_Request r[2 * MANY], *s = r + MANY;
    MPI_Status statuses[2 * MANY];
    int index, flag = 0, n, done, indices[2 * MANY];
    post_many("waitall", r, s);
    CASE("waitall_itself", 0, 0, MPI_Waitall(2 * MANY, r, MPI_STATUSES_IGNORE));
    post_many("waitall_statuses", r, s);
    OK(MPI_Waitall(2 * MANY, r, statuses));
    post_many("waitany", r, s);
    for (int i = 0; i < 2 * MANY; i++)
        OK(MPI_Waitany(2 * MANY, r, &index, i % 2 ? &statuses[0] : MPI_STATUS_IGNORE));
    OK(MPI_Waitany(2 * MANY, r, &index, MPI_STATUS_IGNORE)); /* no request is left */
    post_many("waitsome", r, s);
    for (done = 0; done < 2 * MANY; done += n)
        OK(MPI_Waitsome(2 * MANY, r, &n, indices, done % 2 ? statuses : MPI_STATUSES_IGNORE));
    OK(MPI_Waitsome(2 * MANY, r, &n, indices, MPI_STATUSES_IGNORE));
    post_many("testall", r, s);
    while (!flag)
        OK(MPI_Testall(2 * MANY, r, &flag, MPI_STATUSES_IGNORE));
    post_many("testany", r, s);
    for (done = 0; done < 2 * MANY; done += flag)
        OK(MPI_Testany(2 * MANY, r, &index, &flag, MPI_STATUS_IGNORE));
    post_many("testsome", r, s);
    for (done = 0; done < 2 * MANY; done += n)
        OK(MPI_Testsome(2 * MANY, r, &n, indices, MPI_STATUSES_IGNORE));
    OK(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
}

/* More at a time than the lines of the first table can hold. */
static void very_many(void)
{
    enum { HUGE_NUMBER = 20000 };
    MPI_Request *r = calloc(HUGE_NUMBER, sizeof *r);
    char *bytes = calloc(HUGE_NUMBER, 1);
    GPTLstart("very_many");
    for (int i = 0; i < HUGE_NUMBER; i++)
        OK(MPI_Irecv(&bytes[i], 1, MPI_CHAR, previous_rank(), 5, WORLD, &r[i]));
    GPTLstop("very_many");
    GPTLstart("very_many_sent");
    for (int i = 0; i < HUGE_NUMBER; i++)
        OK(MPI_Send(out, 1, MPI_CHAR, next_rank(), 5, WORLD));
    GPTLstop("very_many_sent");
    OK(MPI_Waitall(HUGE_NUMBER, r, MPI_STATUSES_IGNORE));
    expect("very_many", 0, HUGE_NUMBER);
    expect("very_many_sent", HUGE_NUMBER, 0);
    free(r);
    free(bytes);
}

/*
 * Canceled, freed, failed: they receive nothing, and the next request of the same handle is
 * independent of them.
 */
static void ended_otherwise(void)
{
    MPI_Request r, s;
    MPI_Status status;
    int cancelled;
    GPTLstart("cancelled");
    OK(MPI_Irecv(in, N, MPI_INT, previous_rank(), 99, WORLD, &r));
    OK(MPI_Cancel(&r));
    OK(MPI_Wait(&r, &status));
    GPTLstop("cancelled");
    OK(MPI_Test_cancelled(&status, &cancelled));
    if (!cancelled)
        exit(6);
    expect("cancelled", 0, 0);
    GPTLstart("truncated");
    OK(MPI_Irecv(in, 1, MPI_INT, previous_rank(), 6, WORLD, &r));
    GPTLstop("truncated");
    OK(MPI_Isend(out, 10, MPI_INT, next_rank(), 6, WORLD, &s));
    /* Open MPI truncates some messages to self without an error. */
    expect("truncated", 0, MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS ? 4 : 0);
    OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
    GPTLstart("freed");
    OK(MPI_Irecv(in, N, MPI_INT, previous_rank(), 7, WORLD, &r));
    OK(MPI_Request_free(&r));
    GPTLstop("freed");
    expect("freed", 0, 0);
    OK(MPI_Barrier(WORLD)); /* a message counts if it arrived before the request is freed */
    OK(MPI_Send(out, 10, MPI_INT, next_rank(), 7, WORLD));
    GPTLstart("freed_later");
    OK(MPI_Irecv(in, N, MPI_INT, previous_rank(), 7, WORLD, &r));
    GPTLstop("freed_later");
    OK(MPI_Isend(out, 11, MPI_INT, next_rank(), 7, WORLD, &s));
    for (int come = 0; !come;)
        OK(MPI_Request_get_status(r, &come, MPI_STATUS_IGNORE));
    OK(MPI_Request_free(&r));
    OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
    expect("freed_later", 0, 44);
    OK(MPI_Barrier(WORLD));
    /* Completed without the library; then a send may get its handle. */
    GPTLstart("unseen");
    OK(MPI_Irecv(in, N, MPI_INT, previous_rank(), 8, WORLD, &r));
    OK(PMPI_Isend(out, 10, MPI_INT, next_rank(), 8, WORLD, &s));
    end(s);
    end(r);
    for (int i = 0; i < 20; i++) {
        OK(PMPI_Irecv(in, N, MPI_INT, previous_rank(), 8, WORLD, &r));
        OK(MPI_Issend(out, 10, MPI_INT, next_rank(), 8, WORLD, &s));
        end(r);
        OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
    }
    GPTLstop("unseen");
    expect("unseen", 20 * 40, 0);
}

/* One of several fails: the others receive their data, in this call or in a later one. */
static void one_truncated(void)
{
    enum { FEW = 4, WAYS = 6 };
    MPI_Request r[FEW], s[FEW];
    MPI_Status statuses[FEW];
    int flag, n, indices[FEW], received = 0;
    for (int way = 0; way < WAYS; way++) {
        bool failed = false;
        GPTLstart("one_truncated");
        for (int i = 0; i < FEW; i++)
            OK(MPI_Irecv(&in[10 * i], i == 2 ? 1 : 10, MPI_INT, previous_rank(), 20 + i, WORLD,
                         &r[i]));
        GPTLstop("one_truncated");
        for (int i = 0; i < FEW; i++)
            OK(MPI_Isend(out, 10, MPI_INT, next_rank(), 20 + i, WORLD, &s[i]));
        if (way < 2)
            failed = MPI_Waitall(FEW, r, way ? statuses : MPI_STATUSES_IGNORE) != MPI_SUCCESS;
        else if (way < 4)
            failed = MPI_Waitsome(FEW, r, &n, indices, way % 2 ? statuses : MPI_STATUSES_IGNORE) !=
                     MPI_SUCCESS;
        else if (way == 4)
            failed = MPI_Testall(FEW, r, &flag, statuses) != MPI_SUCCESS;
        else
            failed = MPI_Testsome(FEW, r, &n, indices, MPI_STATUSES_IGNORE) != MPI_SUCCESS;
        for (int i = 0; i < FEW; i++)
            if (r[i] != MPI_REQUEST_NULL && MPI_Wait(&r[i], MPI_STATUS_IGNORE) != MPI_SUCCESS)
                failed = true;
        OK(MPI_Waitall(FEW, s, MPI_STATUSES_IGNORE));
        received += 40 * (FEW - 1) + (failed ? 0 : 4);
    }
    expect("one_truncated", 0, received);
}

/* Calls that MPI rejects must fail here too, without losing data. */
#define REFUSED(call)                                                                              \
    do {                                                                                           \
        if ((call) == MPI_SUCCESS) {                                                               \
            fprintf(stderr, "%s:%d: %s is accepted\n", __FILE__, __LINE__, #call);                 \
            exit(9);                                                                               \
        }                                                                                          \
    } while (0)

static void refused(void)
{
    MPI_Request none = 0, s, r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int flag, n, indices[2];
    GPTLstart("refused");
    OK(MPI_Irecv(in, N, MPI_INT, previous_rank(), 11, WORLD, &r[1]));
    REFUSED(MPI_Wait(NULL, MPI_STATUS_IGNORE));
    REFUSED(MPI_Test(NULL, &flag, MPI_STATUS_IGNORE));
    REFUSED(MPI_Test(&r[1], NULL, MPI_STATUS_IGNORE));
    REFUSED(MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE));
    REFUSED(MPI_Testall(2, NULL, &flag, MPI_STATUSES_IGNORE));
    REFUSED(MPI_Waitall(-1, r, MPI_STATUSES_IGNORE));
    REFUSED(MPI_Waitany(2, NULL, &n, MPI_STATUS_IGNORE));
    REFUSED(MPI_Testany(2, r, NULL, &flag, MPI_STATUS_IGNORE));
    REFUSED(MPI_Waitsome(2, r, NULL, indices, MPI_STATUSES_IGNORE));
    REFUSED(MPI_Testsome(2, r, NULL, indices, MPI_STATUSES_IGNORE));
    REFUSED(MPI_Start(NULL));
    REFUSED(MPI_Startall(2, NULL));
    REFUSED(MPI_Request_free(NULL));
    REFUSED(MPI_Request_free(&none));
    OK(MPI_Isend(out, 10, MPI_INT, next_rank(), 11, WORLD, &s));
    OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
    GPTLstop("refused");
    expect("refused", 40, 40);
}

void requests(void)
{
    posted();
    several();
    very_many();
    ended_otherwise();
    one_truncated();
    refused();
}

/* ---- Persistent and partitioned requests --------------------------------------------------- */

static void partitioned(void)
{
#if MPI_VERSION >= 4
    MPI_Request r[2];
    OK(MPI_Psend_init(out, 4, 5, MPI_INT, next_rank(), 9, WORLD, MPI_INFO_NULL, &r[0]));
    OK(MPI_Precv_init(in, 4, 5, MPI_INT, previous_rank(), 9, WORLD, MPI_INFO_NULL, &r[1]));
    for (int i = 0; i < 3; i++) {
        GPTLstart("partitioned");
        OK(MPI_Startall(2, r));
        GPTLstop("partitioned");
        for (int k = 0; k < 4; k++)
            OK(MPI_Pready(k, r[0]));
        OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    }
    expect("partitioned", 3 * 80, 3 * 80);
    OK(MPI_Request_free(&r[0]));
    OK(MPI_Request_free(&r[1]));

    GPTLstart("isendrecv");
    OK(MPI_Isendrecv(out, 10, MPI_INT, next_rank(), 4, in, 10, MPI_INT, previous_rank(), 4, WORLD,
                     &r[0]));
    OK(MPI_Isendrecv_replace(out, 10, MPI_INT, next_rank(), 5, previous_rank(), 5, WORLD, &r[1]));
    GPTLstop("isendrecv");
    OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    expect("isendrecv", 80, 80);
    if (rank == 0)
        CASE("bcast_init", 0, 0, MPI_Bcast_init(out, 9, MPI_INT, 0, WORLD, MPI_INFO_NULL, &r[0]));
    else
        OK(MPI_Bcast_init(out, 9, MPI_INT, 0, WORLD, MPI_INFO_NULL, &r[0]));
    GPTLstart("bcast_started");
    for (int i = 0; i < 2; i++) {
        OK(MPI_Start(&r[0]));
        OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
    }
    GPTLstop("bcast_started");
    expect("bcast_started", rank == 0 ? 72 : 0, rank == 0 ? 0 : 72);
    OK(MPI_Request_free(&r[0]));
#endif
}

void persistent(void)
{
    MPI_Request r[2];
    CASE("recv_init", 0, 0, MPI_Recv_init(in, N, MPI_INT, previous_rank(), 10, WORLD, &r[0]));
    CASE("send_init", 0, 0, MPI_Send_init(out, 10, MPI_INT, next_rank(), 10, WORLD, &r[1]));
    for (int i = 0; i < 3; i++) {
        GPTLstart("started");
        OK(MPI_Start(&r[0]));
        OK(MPI_Start(&r[1]));
        GPTLstop("started");
        OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
        OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE)); /* it is inactive */
    }
    expect("started", 120, 120);
    expect("started/MPI_Start", 120, 120);
    GPTLstart("started_together");
    OK(MPI_Startall(2, r));
    OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
    GPTLstop("started_together");
    expect("started_together/MPI_Startall", 40, 40);
    GPTLstart("started_cancelled");
    OK(MPI_Start(&r[0]));
    OK(MPI_Cancel(&r[0]));
    OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
    GPTLstop("started_cancelled");
    expect("started_cancelled", 0, 0);
    OK(MPI_Request_free(&r[0]));
    OK(MPI_Request_free(&r[1]));
    partitioned();
}
