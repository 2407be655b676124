/*
 * mpi_cycles.c - measurements that end and begin while requests are pending and threads are inside
 * MPI, with a fake MPI: no data of one measurement may be used in the next. Prints the bytes that
 * the last measurement must have counted.
 */
#include <gptl.h>

#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- The MPI: a request is complete when it is waited for ------------------------------------ */

static _Atomic int latest = 0x6c000000;
static pthread_barrier_t inside, measured;

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)argc, (void)argv;
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
    (void)buffer, (void)count, (void)type, (void)source, (void)tag, (void)comm;
    *request = atomic_fetch_add(&latest, 1);
    return MPI_SUCCESS;
}

enum { PERSISTENT = 0x5c000000 }; /* the handle of the only persistent request */

int PMPI_Recv_init(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                   MPI_Request *request)
{
    (void)buffer, (void)count, (void)type, (void)source, (void)tag, (void)comm;
    *request = PERSISTENT;
    return MPI_SUCCESS;
}

int PMPI_Start(MPI_Request *request)
{
    (void)request;
    return MPI_SUCCESS;
}

int PMPI_Request_free(MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

static void complete(MPI_Request *request, MPI_Status *status)
{
    if (status != MPI_STATUS_IGNORE)
        *status = (MPI_Status){.count_lo = 100};
    if (*request != PERSISTENT)
        *request = MPI_REQUEST_NULL;
}

/* The call lasts while the main thread ends one measurement and begins another. */
static void let_measurement_end(void)
{
    pthread_barrier_wait(&inside);
    pthread_barrier_wait(&measured);
}

static _Atomic MPI_Request handed_on; /* set by the main thread for the other one */

int PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    if (*request == atomic_load(&handed_on))
        let_measurement_end();
    complete(request, status);
    return MPI_SUCCESS;
}

int PMPI_Waitall(int count, MPI_Request all[], MPI_Status statuses[])
{
    for (int i = 0; i < count; i++)
        complete(&all[i], statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i]);
    return MPI_SUCCESS;
}

int PMPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Status *status)
{
    MPI_Request request;
    (void)buffer, (void)count, (void)type, (void)source, (void)tag, (void)comm;
    let_measurement_end();
    complete(&request, status);
    return MPI_SUCCESS;
}

/* ---- The program --------------------------------------------------------------------------- */

enum { CYCLES = 40, REGIONS = 300, REQUESTS = 50 };

static void hook(void (*event)(void *, void *), void *address)
{
    event(address, NULL);
}

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

/* More regions than fit into the cached memory of a thread. */
static void deep(int cycle)
{
    char name[32], byte = 0;
    int file = open("cycles.data", O_CREAT | O_RDWR, 0600);
    for (int i = 0; i < REGIONS; i++) {
        snprintf(name, sizeof name, "region %d", (i * 7 + cycle) % REGIONS);
        GPTLstart(name);
        hook(__cyg_profile_func_enter, (void *)deep);
        if (i % 16 == 0 && (write(file, &byte, 1) != 1 || lseek(file, 0, SEEK_SET) != 0))
            abort();
        hook(__cyg_profile_func_exit, (void *)deep);
        if (i % 3)
            GPTLstop(name);
    }
    close(file);
}

static void *pool(void *unused)
{
    (void)unused;
    for (int i = 0; i < CYCLES; i++) {
        deep(i);
        pthread_barrier_wait(&inside); /* the main thread has posted its requests */
        MPI_Request request = atomic_load(&handed_on);
        if (i % 4 < 2)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        else
            MPI_Recv(NULL, 100, MPI_BYTE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        pthread_barrier_wait(&inside);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int level;
    MPI_Request old[REQUESTS], request[REQUESTS], lasting;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
    pthread_barrier_init(&inside, NULL, 2);
    pthread_barrier_init(&measured, NULL, 2);
    GPTLinitialize();
    if (pthread_create(&thread, NULL, pool, NULL))
        return 2;
    for (int i = 0; i < CYCLES; i++) {
        deep(i);
        for (int k = 0; k < REQUESTS; k++)
            MPI_Irecv(NULL, 100, MPI_BYTE, 0, 0, MPI_COMM_SELF, &old[k]);
        MPI_Recv_init(NULL, 100, MPI_BYTE, 0, 0, MPI_COMM_SELF, &lasting);
        MPI_Start(&lasting);
        atomic_store(&handed_on, i % 4 ? old[0] : lasting);
        if (i % 2)
            GPTLreset();
        pthread_barrier_wait(&inside);
        pthread_barrier_wait(&inside); /* the thread is inside MPI */
        GPTLfinalize();
        while (GPTLis_initialized())
            GPTLfinalize();
        GPTLinitialize();
        pthread_barrier_wait(&measured);
        pthread_barrier_wait(&inside); /* the thread is out of MPI */
        atomic_store(&handed_on, MPI_REQUEST_NULL);
        MPI_Waitall(REQUESTS / 2, old, MPI_STATUSES_IGNORE);
        for (int k = REQUESTS / 2; k < REQUESTS; k++)
            MPI_Wait(&old[k], MPI_STATUS_IGNORE);
        MPI_Start(&lasting); /* of the new measurement */
        MPI_Wait(&lasting, MPI_STATUS_IGNORE);
        MPI_Request_free(&lasting);
    }
    pthread_join(thread, NULL);
    GPTLstart("last");
    for (int k = 0; k < REQUESTS; k++)
        MPI_Irecv(NULL, 100, MPI_BYTE, 0, 0, MPI_COMM_SELF, &request[k]);
    MPI_Waitall(REQUESTS, request, MPI_STATUSES_IGNORE);
    GPTLstop("last");
    printf("MPI_Irecv %d\n", 100 * REQUESTS);
    unlink("cycles.data");
    GPTLpr_file("timing.0");
    MPI_Finalize();
    return GPTLnum_errors() != 0;
}
