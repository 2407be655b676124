/*
 * mpi_files.c - files of MPI-IO: one of all processes, with quotes in its name, and one of each
 * process, both open at a time, and twenty consecutive ones.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000 };

static void check(int rc)
{
    if (rc != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static MPI_File opened(MPI_Comm comm, const char *name)
{
    MPI_File file;
    check(MPI_File_open(comm, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                        MPI_INFO_NULL, &file));
    return file;
}

int main(int argc, char **argv)
{
    static char bytes[N];
    char name[64];
    int rank, size;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_File none;
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    if (MPI_File_open(MPI_COMM_SELF, "no/such/folder", MPI_MODE_RDONLY, MPI_INFO_NULL, &none) ==
        MPI_SUCCESS)
        return 1;

    MPI_File shared = opened(MPI_COMM_WORLD, "all \"of\" them");
    snprintf(name, sizeof name, "own.%d", rank);
    MPI_File own = opened(MPI_COMM_SELF, name);
    check(MPI_File_write_at_all(shared, rank * N, bytes, N, MPI_BYTE, MPI_STATUS_IGNORE));
    check(MPI_File_write(own, bytes, 10, MPI_BYTE, &status));
    check(MPI_File_write_at_all_begin(shared, rank * N, bytes, 500, MPI_BYTE));
    check(MPI_File_write_at_all_end(shared, bytes, MPI_STATUS_IGNORE));
    check(MPI_File_sync(shared));
    MPI_Barrier(MPI_COMM_WORLD);
    check(MPI_File_sync(shared));
    check(MPI_File_read_at(shared, (rank + 1) % size * N, bytes, N, MPI_BYTE, MPI_STATUS_IGNORE));
    check(MPI_File_iwrite_at(own, 0, bytes, 70, MPI_BYTE, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(MPI_File_iread_at(own, 0, bytes, 60, MPI_BYTE, &request));
    MPI_Wait(&request, &status);
    check(MPI_File_close(&shared));
    check(MPI_File_close(&own));

    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "file.%d.%d", rank, i);
        own = opened(MPI_COMM_SELF, name);
        check(MPI_File_write(own, bytes, i, MPI_BYTE, MPI_STATUS_IGNORE));
        check(MPI_File_close(&own));
    }
    MPI_Finalize();
    return 0;
}
