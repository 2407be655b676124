/*
 * iostack_mpi.c - calls of MPI-IO of each class, and the expected span of each: its operation,
 * bytes, offset, number among the collective calls of its opening, file. Writes them to
 * expected.RANK, one call per line, in the order in which the calls begin. With an argument
 * nonblocking collectives are omitted, because the ROMIO of Open MPI 4.1 fails on them.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000 };

static int rank, size,
    number; /* number of the next collective call on the most recently opened file */
static bool has_nbc;
static FILE *expected;
static char buffer[N], other[N];

static void need(int rc, const char *what)
{
    if (rc != MPI_SUCCESS) {
        printf("FAILED: %s\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* OFFSET -1: unknown to the span. */
static void expect(const char *operation, long bytes, long offset, int collective, const char *file)
{
    fprintf(expected, "%s %ld %ld %d %s\n", operation, bytes, offset, collective, file);
}

#define CALL(call, operation, bytes, offset, collective, file)                                     \
    do {                                                                                           \
        expect(operation, bytes, offset, collective, file);                                        \
        need(call, #call);                                                                         \
    } while (0)

static MPI_File open_file(MPI_Comm comm, const char *name, int mode)
{
    MPI_File file;
    number = 1;
    CALL(MPI_File_open(comm, (char *)name, mode, MPI_INFO_NULL, &file), "open", -1, -1, number++,
         name);
    return file;
}

static void close_file(MPI_File *file, const char *name)
{
    CALL(MPI_File_close(file), "close", -1, -1, number++, name);
}

#define IGNORE MPI_STATUS_IGNORE
#define DATA buffer, N, MPI_BYTE

/* Pointers are restored for the following reads. */
static void rewind_all(MPI_File file, const char *name)
{
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_Barrier(MPI_COMM_WORLD);
    CALL(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), "metadata", -1, -1, number++, name);
}

/* All classes on one file. DO is write or read. */
#define ALL_CLASSES(file, name, DO, op)                                                            \
    do {                                                                                           \
        MPI_Request r;                                                                             \
        MPI_Status s;                                                                              \
        int done = 0, at = rank * N;                                                               \
        CALL(MPI_File_##DO##_at(file, at, DATA, IGNORE), op, N, at, 0, name);                      \
        CALL(MPI_File_##DO##_at_all(file, at, DATA, &s), op, N, at, number++, name);               \
        MPI_File_seek(file, at, MPI_SEEK_SET);                                                     \
        CALL(MPI_File_##DO(file, DATA, &s), op, N, at, 0, name);                                   \
        MPI_File_seek(file, at, MPI_SEEK_SET);                                                     \
        CALL(MPI_File_##DO##_all(file, DATA, IGNORE), op, N, at, number++, name);                  \
        CALL(MPI_File_##DO##_shared(file, DATA, IGNORE), op, N, -1, 0, name);                      \
        MPI_Barrier(MPI_COMM_WORLD);                                                               \
        CALL(MPI_File_##DO##_ordered(file, DATA, IGNORE), op, N, -1, number++, name);              \
        CALL(MPI_File_i##DO##_at(file, at, DATA, &r), op, N, at, 0, name);                         \
        MPI_Wait(&r, IGNORE);                                                                      \
        MPI_File_seek(file, at, MPI_SEEK_SET);                                                     \
        CALL(MPI_File_i##DO(file, DATA, &r), op, N, at, 0, name);                                  \
        MPI_Waitall(1, &r, MPI_STATUSES_IGNORE);                                                   \
        if (has_nbc) {                                                                             \
            MPI_File_seek(file, at, MPI_SEEK_SET);                                                 \
            CALL(MPI_File_i##DO##_all(file, DATA, &r), op, N, at, number++, name);                 \
            while (!done)                                                                          \
                MPI_Test(&r, &done, &s);                                                           \
            CALL(MPI_File_i##DO##_at_all(file, at, DATA, &r), op, N, at, number++, name);          \
            MPI_Wait(&r, IGNORE);                                                                  \
        }                                                                                          \
        CALL(MPI_File_i##DO##_shared(file, DATA, &r), op, N, -1, 0, name);                         \
        MPI_Wait(&r, IGNORE);                                                                      \
        MPI_Barrier(MPI_COMM_WORLD);                                                               \
        MPI_File_seek(file, at, MPI_SEEK_SET);                                                     \
        CALL(MPI_File_##DO##_all_begin(file, DATA), op, N, at, number++, name);                    \
        need(MPI_File_##DO##_all_end(file, buffer, IGNORE), "all_end");                            \
        CALL(MPI_File_##DO##_at_all_begin(file, at, DATA), op, N, at, number++, name);             \
        need(MPI_File_##DO##_at_all_end(file, buffer, &s), "at_all_end");                          \
        CALL(MPI_File_##DO##_ordered_begin(file, DATA), op, N, -1, number++, name);                \
        need(MPI_File_##DO##_ordered_end(file, buffer, IGNORE), "ordered_end");                    \
    } while (0)

static void one_file(void)
{
    const char *name = "a.data";
    MPI_File file = open_file(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR);
    MPI_Offset length;
    CALL(MPI_File_set_size(file, 0), "resize", -1, -1, number++, name);
    ALL_CLASSES(file, name, write, "write");
    CALL(MPI_File_sync(file), "sync", -1, -1, number++, name);
    CALL(MPI_File_get_size(file, &length), "metadata", -1, -1, 0, name);
    rewind_all(file, name);
    ALL_CLASSES(file, name, read, "read");
    close_file(&file, name);
}

static void views(void)
{
    const char *name = "v.data";
    MPI_Datatype holes;
    int at = rank * N;
    MPI_File file = open_file(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR);
    CALL(MPI_File_set_view(file, 40, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), "metadata", -1, -1,
         number++, name);
    CALL(MPI_File_write_at_all(file, at / 4, DATA, IGNORE), "write", N, 40 + at, number++, name);
    MPI_Type_vector(10, N / 10, N / 10 * size, MPI_BYTE, &holes);
    MPI_Type_commit(&holes);
    CALL(MPI_File_set_view(file, rank * N / 10, MPI_BYTE, holes, "native", MPI_INFO_NULL),
         "metadata", -1, -1, number++, name);
    CALL(MPI_File_write_all(file, DATA, IGNORE), "write", N, -1, number++, name);
    CALL(MPI_File_read_at_all(file, 0, DATA, IGNORE), "read", N, rank * N / 10, number++, name);
    MPI_Type_free(&holes);
    close_file(&file, name);
}

static void two_files(void)
{
    int at = rank * N;
    MPI_Request r[2];
    MPI_File one = open_file(MPI_COMM_WORLD, "b1.data", MPI_MODE_CREATE | MPI_MODE_RDWR);
    MPI_File two = open_file(MPI_COMM_WORLD, "b2.data", MPI_MODE_CREATE | MPI_MODE_RDWR);
    CALL(MPI_File_write_at_all(two, at, DATA, IGNORE), "write", N, at, 2, "b2.data");
    CALL(MPI_File_write_at_all(one, at, DATA, IGNORE), "write", N, at, 2, "b1.data");
    CALL(MPI_File_write_at_all(two, at, DATA, IGNORE), "write", N, at, 3, "b2.data");
    CALL(MPI_File_iwrite_at(one, at, DATA, &r[0]), "write", N, at, 0, "b1.data");
    CALL(MPI_File_iwrite_at(two, at, other, N, MPI_BYTE, &r[1]), "write", N, at, 0, "b2.data");
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    number = 4;
    close_file(&two, "b2.data");
    number = 3;
    close_file(&one, "b1.data");
}

/* Two groups, with a file each, and then with one in common; each process with a separate file. */
static void groups(void)
{
    char name[32];
    int part = rank % 2, place;
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, part, rank, &half);
    MPI_Comm_rank(half, &place);
    snprintf(name, sizeof name, "c%d.data", part);
    MPI_File file = open_file(half, name, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    CALL(MPI_File_write_at_all(file, place * N, DATA, IGNORE), "write", N, place * N, number++,
         name);
    close_file(&file, name);
    file = open_file(half, "c.data", MPI_MODE_CREATE | MPI_MODE_WRONLY);
    CALL(MPI_File_write_at_all(file, rank * N, DATA, IGNORE), "write", N, rank * N, number++,
         "c.data");
    close_file(&file, "c.data");
    file = open_file(half, "c.data", MPI_MODE_RDONLY);
    CALL(MPI_File_read_at_all(file, 0, DATA, IGNORE), "read", N, 0, number++, "c.data");
    close_file(&file, "c.data");
    MPI_Comm_free(&half);
    snprintf(name, sizeof name, "d%d.data", rank);
    file = open_file(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    CALL(MPI_File_write_all(file, DATA, IGNORE), "write", N, 0, number++, name);
    close_file(&file, name);
    CALL(MPI_File_delete(name, MPI_INFO_NULL), "metadata", -1, -1, 0, name);
}

int main(int argc, char **argv)
{
    char name[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(name, sizeof name, "expected.%d", rank);
    expected = fopen(name, "w");
    if (!expected)
        MPI_Abort(MPI_COMM_WORLD, 1);
    has_nbc = argc == 1;
    memset(buffer, 'a' + rank, N);
    memset(other, 'A' + rank, N);
    one_file();
    views();
    two_files();
    groups();
    /* An opening of a missing file fails, and is a span as well. */
    MPI_File none;
    expect("open", -1, -1, 0, "none/x");
    if (MPI_File_open(MPI_COMM_WORLD, "none/x", MPI_MODE_RDONLY, MPI_INFO_NULL, &none) ==
        MPI_SUCCESS)
        return 1;
    fclose(expected);
    MPI_Finalize();
    return 0;
}
