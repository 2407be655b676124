/*
 * flash.c - the program of ./dev check-romio: files as in the FLASH code, by MPI-IO alone.
 * Each rank has 80 blocks of 8x8x8 cells, interleaved with the blocks of other ranks: a checkpoint
 * of 24 variables, and two plot files of 4; 6 small arrays of the mesh precede the variables of a
 * file. That is 50 collective writes per rank.
 *
 *     mpiexec -n RANKS flash FOLDER
 *
 * Rank 0 prints the number of collective writes of all ranks, and their bytes.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 80, CELLS = 8 * 8 * 8, MESH = 6 };

static int rank, ranks;
static long long writes, bytes;

static void check(int result, const char *what)
{
    if (result == MPI_SUCCESS)
        return;
    fprintf(stderr, "flash: %s failed\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/*
 * Write an array with SIZE bytes per block at AT in the file. Return the position of the next one.
 */
static MPI_Offset write_array(MPI_File file, MPI_Offset at, int size, int variable)
{
    MPI_Datatype mine;
    MPI_Status status;
    char *blocks = malloc((size_t)BLOCKS * (size_t)size);
    if (!blocks)
        check(MPI_ERR_NO_MEM, "malloc");
    memset(blocks, 1 + (rank * 31 + variable) % 255, (size_t)BLOCKS * (size_t)size);
    MPI_Type_vector(BLOCKS, size, size * ranks, MPI_BYTE, &mine);
    MPI_Type_commit(&mine);
    check(MPI_File_set_view(file, at + (MPI_Offset)rank * size, MPI_BYTE, mine, "native",
                            MPI_INFO_NULL),
          "MPI_File_set_view");
    check(MPI_File_write_all(file, blocks, BLOCKS * size, MPI_BYTE, &status), "MPI_File_write_all");
    MPI_Type_free(&mine);
    free(blocks);
    writes++;
    bytes += (long long)BLOCKS * size;
    return at + (MPI_Offset)size * BLOCKS * ranks;
}

static void write_file(const char *folder, const char *name, int variables, int cell)
{
    static const int mesh[MESH] = {4,  4,  60,
                                   24, 24, 48}; /* level, type, neighbors, places, sizes */
    char path[4096];
    MPI_File file;
    MPI_Offset at = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    check(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                        &file),
          "MPI_File_open");
    for (int i = 0; i < MESH; i++)
        at = write_array(file, at, mesh[i], i);
    for (int i = 0; i < variables; i++)
        at = write_array(file, at, CELLS * cell, i);
    check(MPI_File_close(&file), "MPI_File_close");
}

int main(int argc, char **argv)
{
    long long mine[2], all[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    write_file(argv[1], "checkpoint", 24, (int)sizeof(double));
    write_file(argv[1], "plot_centers", 4, (int)sizeof(float));
    write_file(argv[1], "plot_corners", 4, (int)sizeof(float));
    mine[0] = writes;
    mine[1] = bytes;
    MPI_Reduce(mine, all, 2, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%lld %lld\n", all[0], all[1]);
    MPI_Finalize();
    return 0;
}
