/* mpi_bytes.c - calls of each class, with their bytes. Its arguments select parts of it. */
#include "mpi_bytes.h"

int rank, size;
FILE *expected;

static const struct {
    const char *name;
    void (*run)(void);
} parts[] = {
    {"messages", messages},
    {"requests", requests},
    {"persistent", persistent},
    {"windows", windows},
    {"collectives", collectives},
    {"across", across},
    {"neighbors", neighbors},
    {"files", files},
    {"large", large},
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    char name[32];
    snprintf(name, sizeof name, "expected.%d", rank);
    expected = fopen(name, "w");
    for (size_t i = 0; expected && i < sizeof parts / sizeof *parts; i++)
        for (int k = 1; k < argc; k++)
            if (strcmp(argv[k], parts[i].name) == 0)
                parts[i].run();
    if (!expected || fclose(expected))
        return 8;
    MPI_Finalize();
    return 0;
}
