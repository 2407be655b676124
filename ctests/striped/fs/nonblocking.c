/*
 * nonblocking.c - MPI_File_i* for files of the striped storage: a thread does the work, and a
 * generalized request of MPICH, which polls while a caller waits, reports its completion. The
 * thread does not call MPI. A collective call is performed without the other processes.
 */
#include "adio.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

/* A call in progress. */
struct operation {
    struct ad_access access;
    bool is_write;
    void *buffer; /* of a read */
    int count;
    MPI_Datatype type;
    struct striped_hints hints; /* the thread's information about the call */
    pthread_t thread;
    sem_t is_done; /* the thread has finished, and MPI does not know it yet */
    int result;
    int64_t done;
    MPI_Request request;
};

static void *work(void *to)
{
    struct operation *op = to;
    op->result = op->is_write ? ad_striped_write_strided(&op->access, &op->done)
                              : ad_striped_read_strided(&op->access, &op->done);
    sem_post(&op->is_done);
    return NULL;
}

static int poll_operation(void *to, MPI_Status *status)
{
    struct operation *op = to;
    (void)status;
    return sem_trywait(&op->is_done) == 0 ? PMPI_Grequest_complete(op->request) : MPI_SUCCESS;
}

static int wait_for_operations(int n, void **to, double timeout, MPI_Status *status)
{
    (void)timeout;
    (void)status;
    for (int i = 0; i < n; i++) {
        struct operation *op = to[i];
        while (sem_wait(&op->is_done) != 0)
            ; /* a signal */
        PMPI_Grequest_complete(op->request);
    }
    return MPI_SUCCESS;
}

/* The call is over: the waiting caller gets its status. */
static int query_operation(void *to, MPI_Status *status)
{
    struct operation *op = to;
    if (op->result == MPI_SUCCESS && !op->is_write)
        op->result = ad_access_unpack(&op->access, op->buffer, op->count, op->type);
    PMPI_Status_set_cancelled(status, 0);
    PMPI_Status_set_elements_x(status, MPI_BYTE, op->done);
    return op->result;
}

static int free_operation(void *to)
{
    struct operation *op = to;
    pthread_join(op->thread, NULL);
    ad_access_end(&op->access);
    free(op);
    return MPI_SUCCESS;
}

static int cancel_operation(void *to, int complete)
{
    (void)to;
    (void)complete;
    return MPI_SUCCESS;
}

static int start_operation(struct operation *op, MPI_Request *request)
{
    sem_init(&op->is_done, 0, 0);
    if (pthread_create(&op->thread, NULL, work, op)) {
        ad_access_end(&op->access);
        free(op);
        return MPI_ERR_NO_MEM;
    }
    int result = MPIX_Grequest_start(query_operation, free_operation, cancel_operation,
                                     poll_operation, wait_for_operations, op, &op->request);
    *request = op->request;
    return result;
}

static int read_later(struct ad_file *file, MPI_Offset offset, void *buffer, int count,
                      MPI_Datatype type, MPI_Request *request)
{
    struct operation *op = calloc(1, sizeof *op);
    int result =
        op ? ad_access_begin(&op->access, file, offset, NULL, count, type) : MPI_ERR_NO_MEM;
    if (result != MPI_SUCCESS)
        return result;
    op->buffer = buffer;
    op->count = count;
    op->type = type;
    return start_operation(op, request);
}

static int write_later(struct ad_file *file, MPI_Offset offset, const void *buffer, int count,
                       MPI_Datatype type, MPI_Request *request)
{
    struct operation *op = calloc(1, sizeof *op);
    int result =
        op ? ad_access_begin(&op->access, file, offset, buffer, count, type) : MPI_ERR_NO_MEM;
    if (result != MPI_SUCCESS)
        return result;
    op->is_write = true;
    return start_operation(op, request);
}

int MPI_File_iread_at(MPI_File handle, MPI_Offset offset, void *buffer, int count,
                      MPI_Datatype type, MPI_Request *request)
{
    struct ad_file *file = ad_file_of(handle);
    if (!file)
        return PMPI_File_iread_at(handle, offset, buffer, count, type, request);
    return read_later(file, offset, buffer, count, type, request);
}

int MPI_File_iread_at_all(MPI_File handle, MPI_Offset offset, void *buffer, int count,
                          MPI_Datatype type, MPI_Request *request)
{
    struct ad_file *file = ad_file_of(handle);
    if (!file)
        return PMPI_File_iread_at_all(handle, offset, buffer, count, type, request);
    return read_later(file, offset, buffer, count, type, request);
}

int MPI_File_iread(MPI_File handle, void *buffer, int count, MPI_Datatype type,
                   MPI_Request *request)
{
    struct ad_file *file = ad_file_of(handle);
    if (!file)
        return PMPI_File_iread(handle, buffer, count, type, request);
    return read_later(file, ad_advance(file, count, type), buffer, count, type, request);
}

int MPI_File_iread_all(MPI_File handle, void *buffer, int count, MPI_Datatype type,
                       MPI_Request *request)
{
    struct ad_file *file = ad_file_of(handle);
    if (!file)
        return PMPI_File_iread_all(handle, buffer, count, type, request);
    return read_later(file, ad_advance(file, count, type), buffer, count, type, request);
}

int MPI_File_iwrite_at(MPI_File handle, MPI_Offset offset, const void *buffer, int count,
                       MPI_Datatype type, MPI_Request *request)
{
    struct ad_file *file = ad_file_of(handle);
    if (!file)
        return PMPI_File_iwrite_at(handle, offset, buffer, count, type, request);
    return write_later(file, offset, buffer, count, type, request);
}

int MPI_File_iwrite_at_all(MPI_File handle, MPI_Offset offset, const void *buffer, int count,
                           MPI_Datatype type, MPI_Request *request)
{
    struct ad_file *file = ad_file_of(handle);
    if (!file)
        return PMPI_File_iwrite_at_all(handle, offset, buffer, count, type, request);
    return write_later(file, offset, buffer, count, type, request);
}

int MPI_File_iwrite(MPI_File handle, const void *buffer, int count, MPI_Datatype type,
                    MPI_Request *request)
{
    struct ad_file *file = ad_file_of(handle);
    if (!file)
        return PMPI_File_iwrite(handle, buffer, count, type, request);
    return write_later(file, ad_advance(file, count, type), buffer, count, type, request);
}

int MPI_File_iwrite_all(MPI_File handle, const void *buffer, int count, MPI_Datatype type,
                        MPI_Request *request)
{
    struct ad_file *file = ad_file_of(handle);
    if (!file)
        return PMPI_File_iwrite_all(handle, buffer, count, type, request);
    return write_later(file, ad_advance(file, count, type), buffer, count, type, request);
}

/* ---- What is refused ------------------------------------------------------------------------- */

#define REFUSED(name, parameters, arguments)                                                       \
    int MPI_File_##name parameters                                                                 \
    {                                                                                              \
        if (ad_file_of(f))                                                                         \
            return ad_told(f, MPI_ERR_UNSUPPORTED_OPERATION);                                      \
        return PMPI_File_##name arguments;                                                         \
    }

REFUSED(read_shared, (MPI_File f, void *b, int n, MPI_Datatype t, MPI_Status *s), (f, b, n, t, s))
REFUSED(read_ordered, (MPI_File f, void *b, int n, MPI_Datatype t, MPI_Status *s), (f, b, n, t, s))
REFUSED(iread_shared, (MPI_File f, void *b, int n, MPI_Datatype t, MPI_Request *r), (f, b, n, t, r))
REFUSED(read_ordered_begin, (MPI_File f, void *b, int n, MPI_Datatype t), (f, b, n, t))
REFUSED(read_all_begin, (MPI_File f, void *b, int n, MPI_Datatype t), (f, b, n, t))
REFUSED(read_at_all_begin, (MPI_File f, MPI_Offset o, void *b, int n, MPI_Datatype t),
        (f, o, b, n, t))
REFUSED(write_shared, (MPI_File f, const void *b, int n, MPI_Datatype t, MPI_Status *s),
        (f, b, n, t, s))
REFUSED(write_ordered, (MPI_File f, const void *b, int n, MPI_Datatype t, MPI_Status *s),
        (f, b, n, t, s))
REFUSED(iwrite_shared, (MPI_File f, const void *b, int n, MPI_Datatype t, MPI_Request *r),
        (f, b, n, t, r))
REFUSED(write_ordered_begin, (MPI_File f, const void *b, int n, MPI_Datatype t), (f, b, n, t))
REFUSED(write_all_begin, (MPI_File f, const void *b, int n, MPI_Datatype t), (f, b, n, t))
REFUSED(write_at_all_begin, (MPI_File f, MPI_Offset o, const void *b, int n, MPI_Datatype t),
        (f, o, b, n, t))
