/* Writes and reads through ROMIO, alone and together. */
#include <mpi.h>

int main(int argc, char **argv)
{
    static char bytes[3000];
    MPI_File file;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_open(MPI_COMM_WORLD, "adio.data", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL,
                  &file);
    MPI_File_write_at(file, rank * 3000, bytes, 1000, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(file, rank * 3000 + 1000, bytes, 2000, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_read_at(file, rank * 3000, bytes, 3000, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
