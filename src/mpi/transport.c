/*
 * transport.c - how the ranks of a communicator send each other what they have measured. Nothing of
 * it is a region: it calls MPI's functions past the wrappers.
 */
#include "config.h"

#include "mpi/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* ---- Waiting ------------------------------------------------------------------------------- */

/*
 * MPI's own functions wait actively. Where a core has several ranks, those that wait for rank 0 would take
 * from it what it needs to write the report: so they look, and sleep an eighth of what they have waited.
 */
struct pause {
    long nanoseconds;
};

enum { FIRST_PAUSE = 50000, LONGEST_PAUSE = 10000000 };

static void pause_once(struct pause *pause)
{
    if (pause->nanoseconds < FIRST_PAUSE)
        pause->nanoseconds += FIRST_PAUSE / 50;
    else
        nanosleep(&(struct timespec){0, pause->nanoseconds}, NULL);
    if (pause->nanoseconds >= FIRST_PAUSE && pause->nanoseconds < LONGEST_PAUSE)
        pause->nanoseconds += pause->nanoseconds / 8;
}

static int wait_for(MPI_Request *request)
{
    struct pause pause = {0};
    int done = 0, rc;
    while (!(rc = gptl_mpi_pmpi.MPI_Test(request, &done, MPI_STATUS_IGNORE)) && !done)
        pause_once(&pause);
    return rc;
}

static int wait_for_message(int from, MPI_Comm comm, MPI_Status *status)
{
    struct pause pause = {0};
    int there = 0, rc;
    while (!(rc = gptl_mpi_pmpi.MPI_Iprobe(from, 0, comm, &there, status)) && !there)
        pause_once(&pause);
    return rc;
}

void gptl_mpi_wait_for_all(MPI_Comm comm)
{
    MPI_Request request;
    if (gptl_mpi_pmpi.MPI_Ibarrier(comm, &request) == MPI_SUCCESS)
        wait_for(&request);
}

/* ---- Messages ------------------------------------------------------------------------------ */

/* A count is an int, and many a network has trouble with counts of gigabytes: larger messages have a
 * type that says how many blocks they are, and what is left. */
enum { LARGEST = 1 << 20, BLOCK = 1 << 16 };

static int make_type(size_t size, MPI_Datatype *type)
{
    MPI_Datatype types[2] = {MPI_DATATYPE_NULL, MPI_BYTE};
    size_t blocks = size / BLOCK;
    int counts[2] = {(int)blocks, (int)(size % BLOCK)};
    MPI_Aint places[2] = {0, (MPI_Aint)(blocks * BLOCK)};
    if (blocks > INT_MAX || gptl_mpi_pmpi.MPI_Type_contiguous(BLOCK, MPI_BYTE, &types[0]))
        return -1;
    int rc = gptl_mpi_pmpi.MPI_Type_create_struct(2, counts, places, types, type);
    gptl_mpi_pmpi.MPI_Type_free(&types[0]);
    if (rc == MPI_SUCCESS && gptl_mpi_pmpi.MPI_Type_commit(type) == MPI_SUCCESS)
        return 0;
    return -1;
}

static int send_all(const MPI_Comm *comm, int to, const void *bytes, int count, MPI_Datatype type)
{
    MPI_Request request;
    int rc = gptl_mpi_pmpi.MPI_Isend(bytes, count, type, to, 0, *comm, &request);
    return rc ? rc : wait_for(&request);
}

static int send_message(void *context, int to, const void *bytes, size_t size)
{
    const MPI_Comm *comm = context;
    MPI_Datatype type;
    if (size <= LARGEST)
        return send_all(comm, to, bytes, (int)size, MPI_BYTE) ? -1 : 0;
    if (make_type(size, &type))
        return -1;
    int rc = send_all(comm, to, bytes, 1, type);
    gptl_mpi_pmpi.MPI_Type_free(&type);
    return rc ? -1 : 0;
}

static int take_message(const MPI_Comm *comm, int from, void *bytes, size_t size)
{
    MPI_Datatype type;
    if (size <= LARGEST)
        return gptl_mpi_pmpi.MPI_Recv(bytes, (int)size, MPI_BYTE, from, 0, *comm,
                                      MPI_STATUS_IGNORE);
    if (make_type(size, &type))
        return -1;
    int rc = gptl_mpi_pmpi.MPI_Recv(bytes, 1, type, from, 0, *comm, MPI_STATUS_IGNORE);
    gptl_mpi_pmpi.MPI_Type_free(&type);
    return rc;
}

/* Without memory for it, a message is received in part, which is an error that nobody waits for. */
static int receive_message(void *context, int from, void **bytes, size_t *size)
{
    const MPI_Comm *comm = context;
    MPI_Status status;
    MPI_Count count;
    char nothing;
    *bytes = NULL;
    if (wait_for_message(from, *comm, &status) ||
        gptl_mpi_pmpi.MPI_Get_elements_x(&status, MPI_BYTE, &count) || count < 0)
        return -1;
    *size = (size_t)count;
    *bytes = malloc(*size + 1);
    if (!*bytes) {
        gptl_mpi_pmpi.MPI_Recv(&nothing, 0, MPI_BYTE, from, 0, *comm, MPI_STATUS_IGNORE);
        return -1;
    }
    if (take_message(comm, from, *bytes, *size) == 0)
        return 0;
    free(*bytes);
    *bytes = NULL;
    return -1;
}

/* ---- Files --------------------------------------------------------------------------------- */

enum { PATH_SIZE = 8192 };

/* Where this rank's bytes begin: behind those of all before it. */
static long long begin_of(MPI_Comm comm, size_t size)
{
    long long mine = (long long)size, before = 0;
    int rank = 0;
    gptl_mpi_pmpi.MPI_Comm_rank(comm, &rank);
    if (gptl_mpi_pmpi.MPI_Exscan(&mine, &before, 1, MPI_LONG_LONG, MPI_SUM, comm))
        return -1;
    return rank == 0 ? 0 : before;
}

static int write_bytes(MPI_File file, long long at, const void *bytes, size_t size)
{
    MPI_Datatype type;
    if (size <= LARGEST)
        return gptl_mpi_pmpi.MPI_File_write_at_all(file, at, bytes, (int)size, MPI_BYTE,
                                                   MPI_STATUS_IGNORE);
    if (make_type(size, &type)) {
        gptl_mpi_pmpi.MPI_File_write_at_all(file, at, bytes, 0, MPI_BYTE, MPI_STATUS_IGNORE);
        return -1;
    }
    int rc = gptl_mpi_pmpi.MPI_File_write_at_all(file, at, bytes, 1, type, MPI_STATUS_IGNORE);
    gptl_mpi_pmpi.MPI_Type_free(&type);
    return rc;
}

/* Whether all ranks of COMM succeeded. */
static bool all_succeeded(MPI_Comm comm, bool mine)
{
    int failed = !mine, any = 1;
    if (gptl_mpi_pmpi.MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, comm))
        return false;
    return any == 0;
}

/*
 * Rank 0 makes the file TEMPORARY beside PATH, by its absolute path, as other ranks may be in other
 * directories. "": it could not.
 */
static void make_file(const char *path, char *temporary)
{
    char here[PATH_SIZE / 2] = "";
    if (*path != '/' && !getcwd(here, sizeof here))
        return;
    int n = snprintf(temporary, PATH_SIZE, "%s%s%s.tmp.%ld", here, *here ? "/" : "", path,
                     (long)getpid());
    unlink(temporary);
    int fd = n < PATH_SIZE
                 ? open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)
                 : -1;
    if (fd < 0)
        temporary[0] = '\0';
    else
        close(fd);
}

/* Whether this rank can write to the file of rank 0. MPI_File_open of Open MPI hangs where some ranks cannot. */
static bool can_write(const char *path)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static bool write_together(MPI_Comm comm, const char *path, long long at, const void *bytes,
                           size_t size)
{
    MPI_File file;
    bool open = gptl_mpi_pmpi.MPI_File_open(comm, path, MPI_MODE_WRONLY, MPI_INFO_NULL, &file) ==
                MPI_SUCCESS;
    if (!all_succeeded(comm, open)) {
        if (open)
            gptl_mpi_pmpi.MPI_File_close(&file);
        return false;
    }
    bool written = write_bytes(file, at, bytes, size) == MPI_SUCCESS;
    return gptl_mpi_pmpi.MPI_File_close(&file) == MPI_SUCCESS && written;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (fd >= 0 && size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n <= 0 && errno != EINTR)
            return false;
        bytes += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return fd >= 0;
}

/* The same where the ranks have no file in common: rank 0 writes the bytes of one after the other. */
static bool write_alone(MPI_Comm comm, const char *path, const void *bytes, size_t size)
{
    int rank = 0, nranks = 1;
    gptl_mpi_pmpi.MPI_Comm_rank(comm, &rank);
    gptl_mpi_pmpi.MPI_Comm_size(comm, &nranks);
    if (rank > 0)
        return send_message(&comm, 0, bytes, size) == 0;
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = write_all(fd, bytes, size);
    for (int from = 1; from < nranks; from++) {
        void *more = NULL;
        size_t more_size = 0;
        bool received = receive_message(&comm, from, &more, &more_size) == 0;
        written = received && written && write_all(fd, more, more_size);
        free(more);
    }
    if (fd >= 0)
        close(fd);
    return written;
}

/* As other reports, it appears under its name when it is whole. */
static int write_file(void *context, const char *path, const void *bytes, size_t size)
{
    MPI_Comm comm = *(const MPI_Comm *)context;
    int rank = 0;
    char temporary[PATH_SIZE] = "";
    gptl_mpi_pmpi.MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        make_file(path, temporary);
    long long at = begin_of(comm, size);
    gptl_mpi_pmpi.MPI_Bcast(temporary, PATH_SIZE, MPI_CHAR, 0, comm);
    bool written = false;
    if (all_succeeded(comm, *temporary && at >= 0 && size > 0))
        written = all_succeeded(comm, can_write(temporary))
                      ? write_together(comm, temporary, at, bytes, size)
                      : write_alone(comm, temporary, bytes, size);
    written = all_succeeded(comm, written);
    if (rank == 0 && *temporary && (!written || rename(temporary, path))) {
        unlink(temporary);
        written = false;
    }
    return all_succeeded(comm, written) ? 0 : -1;
}

/* ---- Communicators ------------------------------------------------------------------------- */

int gptl_mpi_with_transport(const char *function, MPI_Comm comm,
                            int (*do_this)(const struct gptl_transport *transport, void *argument),
                            void *argument)
{
    MPI_Comm own;
    MPI_Request request;
    int two_groups = 0;
    struct gptl_transport transport = {.context = &own,
                                       .send = send_message,
                                       .receive = receive_message,
                                       .write_file = write_file};
    if (comm == MPI_COMM_NULL)
        return gptl_core_error(function, "the communicator is MPI_COMM_NULL");
    gptl_mpi_pmpi.MPI_Comm_test_inter(comm, &two_groups);
    if (two_groups)
        return gptl_core_error(function,
                               "an intercommunicator has two groups: give it one of them, or what "
                               "MPI_Intercomm_merge makes");
    int rc = gptl_mpi_pmpi.MPI_Comm_idup(comm, &own, &request);
    if (rc == MPI_SUCCESS)
        rc = wait_for(&request);
    if (rc != MPI_SUCCESS)
        return gptl_core_error(function, "MPI_Comm_idup reports error %d", rc);
    gptl_mpi_pmpi.MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    gptl_mpi_pmpi.MPI_Comm_rank(own, &transport.rank);
    gptl_mpi_pmpi.MPI_Comm_size(own, &transport.size);
    int result = do_this(&transport, argument);
    gptl_mpi_pmpi.MPI_Comm_free(&own);
    return result;
}
