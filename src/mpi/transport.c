/*
 * transport.c - the file written jointly by the ranks of a communicator, in addition to libgptl's
 * messages. None of its MPI calls appears as a region, because it bypasses the wrappers.
 */
#include "config.h"

#include "mpi/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Return a datatype for SIZE bytes, made of blocks and a remainder: a count is an int, and many
 * MPIs have problems with gigabyte counts.
 */
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

enum { PATH_SIZE = 8192 };

/* Return the offset of this rank's bytes, after the bytes of all lower ranks. */
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

/* Return whether all ranks of COMM succeeded. */
static bool all_succeeded(MPI_Comm comm, bool mine)
{
    int failed = !mine, any = 1;
    if (gptl_mpi_pmpi.MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, comm))
        return false;
    return any == 0;
}

/*
 * Create the file TEMPORARY next to PATH on rank 0, with an absolute path, because other ranks may
 * be in other directories. "" on failure.
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

/*
 * Return whether this rank can write to the file of rank 0. Open MPI's MPI_File_open hangs if some
 * ranks cannot.
 */
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

/* Write the file without a shared file system: rank 0 writes the bytes of each rank in turn. */
static bool write_alone(const struct gptl_transport *messages, const char *path, const void *bytes,
                        size_t size)
{
    if (messages->rank > 0)
        return messages->send(messages->context, 0, bytes, size) == 0;
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = write_all(fd, bytes, size);
    for (int from = 1; from < messages->size; from++) {
        void *more = NULL;
        size_t more_size = 0;
        bool received = messages->receive(messages->context, from, &more, &more_size) == 0;
        written = received && written && write_all(fd, more, more_size);
        free(more);
    }
    if (fd >= 0)
        close(fd);
    return written;
}

/* Write the file; like other reports, it appears under its name when complete. */
static int write_file(void *context, const char *path, const void *bytes, size_t size)
{
    const struct gptl_transport *messages = context;
    MPI_Comm comm = *(const MPI_Comm *)messages->context;
    int rank = messages->rank;
    char temporary[PATH_SIZE] = "";
    if (rank == 0)
        make_file(path, temporary);
    long long at = begin_of(comm, size);
    gptl_mpi_pmpi.MPI_Bcast(temporary, PATH_SIZE, MPI_CHAR, 0, comm);
    bool written = false;
    if (all_succeeded(comm, *temporary && at >= 0 && size > 0))
        written = all_succeeded(comm, can_write(temporary))
                      ? write_together(comm, temporary, at, bytes, size)
                      : write_alone(messages, temporary, bytes, size);
    written = all_succeeded(comm, written);
    if (rank == 0 && *temporary && (!written || rename(temporary, path))) {
        unlink(temporary);
        written = false;
    }
    return all_succeeded(comm, written) ? 0 : -1;
}

/* ---- Communicators --------------------------------------------------------------------------- */

/*
 * Forward to the message transport, which is the context; its own context starts with the
 * communicator.
 */
static int send_message(void *context, int to, const void *bytes, size_t size)
{
    const struct gptl_transport *messages = context;
    return messages->send(messages->context, to, bytes, size);
}

static int receive_message(void *context, int from, void **bytes, size_t *size)
{
    const struct gptl_transport *messages = context;
    return messages->receive(messages->context, from, bytes, size);
}

static void wait_for_all(void *context)
{
    const struct gptl_transport *messages = context;
    messages->wait_for_all(messages->context);
}

struct request {
    gptl_ranks_user *use;
    void *argument;
};

static int with_files(const struct gptl_transport *messages, void *request)
{
    const struct request *of = request;
    struct gptl_transport inner = *messages;
    struct gptl_transport transport = {.context = &inner,
                                       .rank = inner.rank,
                                       .size = inner.size,
                                       .send = send_message,
                                       .receive = receive_message,
                                       .write_file = write_file,
                                       .wait_for_all = wait_for_all};
    return of->use(&transport, of->argument);
}

int gptl_mpi_with_transport(const char *function, MPI_Comm comm, gptl_ranks_user *use,
                            void *argument)
{
    struct request request = {use, argument};
    return gptl_ranks_with_transport(function, (uintptr_t)comm, with_files, &request);
}
