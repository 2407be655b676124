/*
 * mpi_io_spans.c - preloaded: a span of the layer MPI for each call of MPI-IO that HDF5 and PnetCDF make, so
 * that tests see under what it is. It says at the end how often each was called.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "gptl_probe.h"

#define AROUND(name, operation, params, args, bytes)                                               \
    static int calls_of_##name;                                                                    \
    int name params                                                                                \
    {                                                                                              \
        calls_of_##name++;                                                                         \
        GPTLprobe_begin(GPTL_LAYER_MPI, GPTL_OP_##operation);                                      \
        GPTLprobe_bytes(GPTL_LAYER_MPI, bytes);                                                    \
        int error = P##name args;                                                                  \
        GPTLprobe_end(GPTL_LAYER_MPI);                                                             \
        return error;                                                                              \
    }

static int64_t size(int count, MPI_Datatype type)
{
    int one = 0;
    PMPI_Type_size(type, &one);
    return (int64_t)one * count;
}

AROUND(MPI_File_open, OPEN, (MPI_Comm c, const char *n, int m, MPI_Info i, MPI_File *f),
       (c, n, m, i, f), -1)
AROUND(MPI_File_close, CLOSE, (MPI_File * f), (f), -1)
AROUND(MPI_File_set_view, METADATA,
       (MPI_File f, MPI_Offset o, MPI_Datatype e, MPI_Datatype t, const char *d, MPI_Info i),
       (f, o, e, t, d, i), -1)
AROUND(MPI_File_write_at, WRITE,
       (MPI_File f, MPI_Offset o, const void *b, int n, MPI_Datatype t, MPI_Status *s),
       (f, o, b, n, t, s), size(n, t))
AROUND(MPI_File_write_at_all, WRITE,
       (MPI_File f, MPI_Offset o, const void *b, int n, MPI_Datatype t, MPI_Status *s),
       (f, o, b, n, t, s), size(n, t))
AROUND(MPI_File_write_all, WRITE, (MPI_File f, const void *b, int n, MPI_Datatype t, MPI_Status *s),
       (f, b, n, t, s), size(n, t))
AROUND(MPI_File_write, WRITE, (MPI_File f, const void *b, int n, MPI_Datatype t, MPI_Status *s),
       (f, b, n, t, s), size(n, t))
AROUND(MPI_File_read_at, READ,
       (MPI_File f, MPI_Offset o, void *b, int n, MPI_Datatype t, MPI_Status *s),
       (f, o, b, n, t, s), size(n, t))
AROUND(MPI_File_read_at_all, READ,
       (MPI_File f, MPI_Offset o, void *b, int n, MPI_Datatype t, MPI_Status *s),
       (f, o, b, n, t, s), size(n, t))
AROUND(MPI_File_sync, SYNC, (MPI_File f), (f), -1)
AROUND(MPI_File_set_size, RESIZE, (MPI_File f, MPI_Offset n), (f, n), -1)

int MPI_Finalize(void)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (getenv("SAY_CALLS"))
        printf("rank %d: open %d close %d set_view %d write_at %d write_at_all %d write_all %d "
               "read_at %d read_at_all %d sync %d set_size %d\n",
               rank, calls_of_MPI_File_open, calls_of_MPI_File_close, calls_of_MPI_File_set_view,
               calls_of_MPI_File_write_at, calls_of_MPI_File_write_at_all,
               calls_of_MPI_File_write_all, calls_of_MPI_File_read_at,
               calls_of_MPI_File_read_at_all, calls_of_MPI_File_sync, calls_of_MPI_File_set_size);
    fflush(stdout);
    return PMPI_Finalize();
}
