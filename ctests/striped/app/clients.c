/*
 * clients.c - reads and writes files in each way of MPI-IO, checks the data read, and records each
 * of its calls: truth.RANK has a line for each,
 *
 *     OPERATION FILE KIND GROUP OFFSET BYTES [OFFSET BYTES]...
 *
 * with KIND i (independent), c (collective) or t (collective in two phases), GROUP the ranks that
 * make the call together, and the places of the bytes in the file. A file's name ends with a number.
 *
 * usage: clients PREFIX [blocks|mixed|groups|later]...
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4 << 20, SIZES = 9 };

static const int sizes[SIZES] = {1, 100, 6500, 6501, 65536, 65537, 200000, 900000, 1500007};
static int rank, size;
static const char *prefix;
static char group[256];
static unsigned char *data;
static FILE *truth;

static void stop(const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    if (code != MPI_SUCCESS)
        MPI_Error_string(code, text, &length);
    fprintf(stderr, "clients: rank %d: %s: %s\n", rank, what, text);
    fclose(truth);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void must(int code)
{
    if (code != MPI_SUCCESS)
        stop("a call failed", code);
}

/* ---- What is there, and where ---------------------------------------------------------------- */

static unsigned char byte_at(int file, MPI_Offset offset)
{
    return (unsigned char)(file * 37 + offset * 7 + offset / 251 + offset / 65536);
}

static void fill(int file, MPI_Offset offset, int bytes, unsigned char *to)
{
    for (int i = 0; i < bytes; i++)
        to[i] = byte_at(file, offset + i);
}

static void check(int file, MPI_Offset offset, int bytes, const unsigned char *from)
{
    for (int i = 0; i < bytes; i++)
        if (from[i] != byte_at(file, offset + i)) {
            fprintf(stderr, "clients: file %d, byte %lld\n", file, (long long)(offset + i));
            stop("what was read is not what was written", MPI_SUCCESS);
        }
}

/* Check the received data. */
static void check_status(MPI_Status *status, int bytes)
{
    int count = -1;
    MPI_Get_count(status, MPI_BYTE, &count);
    if (count != bytes)
        stop("the status has another count", MPI_SUCCESS);
    memset(status, 0, sizeof *status);
}

static char *name_of(int file)
{
    static char name[256];
    snprintf(name, sizeof name, "%sfile%d", prefix, file);
    return name;
}

static void tell(const char *operation, int file, char kind, MPI_Offset offset, int bytes)
{
    fprintf(truth, "%s file%d %c %s %lld %d\n", operation, file, kind, group, (long long)offset,
            bytes);
}

static MPI_File open_file(MPI_Comm comm, int file, const char *cb)
{
    MPI_File f;
    MPI_Info info;
    int n, ranks[64], self[64], members;
    MPI_Group own, world;
    MPI_Comm_group(comm, &own);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_size(own, &members);
    for (n = 0; n < members; n++)
        self[n] = n;
    MPI_Group_translate_ranks(own, members, self, world, ranks);
    group[0] = '\0';
    for (n = 0; n < members; n++)
        sprintf(group + strlen(group), "%s%d", n ? "," : "", ranks[n]);
    MPI_Group_free(&own);
    MPI_Group_free(&world);
    MPI_Info_create(&info);
    MPI_Info_set(info, "romio_cb_write", cb);
    MPI_Info_set(info, "romio_cb_read", cb);
    must(MPI_File_open(comm, name_of(file), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &f));
    MPI_Info_free(&info);
    return f;
}

/* ---- Calls ------------------------------------------------------------------------------------ */

/* Each rank has a block, one after the other: an exchange does not pay off. */
static void blocks(int file)
{
    MPI_File f = open_file(MPI_COMM_WORLD, file, "automatic");
    MPI_Status status;
    MPI_Offset at, begin = 0;
    for (int i = 0; i < SIZES; begin += (MPI_Offset)size * sizes[i++]) {
        at = begin + (MPI_Offset)rank * sizes[i];
        fill(file, at, sizes[i], data);
        tell("write", file, 'c', at, sizes[i]);
        must(MPI_File_write_at_all(f, at, data, sizes[i], MPI_BYTE, &status));
        check_status(&status, sizes[i]);
    }
    begin = 0;
    for (int i = 0; i < SIZES; begin += (MPI_Offset)size * sizes[i++]) {
        at = begin + (MPI_Offset)rank * sizes[i];
        tell("read", file, 'c', at, sizes[i]);
        must(MPI_File_read_at_all(f, at, data, sizes[i], MPI_BYTE, &status));
        check_status(&status, sizes[i]);
        check(file, at, sizes[i], data);
    }
    MPI_Offset there = 0;
    must(MPI_File_get_size(f, &there));
    if (there != begin)
        stop("the file has another size", MPI_SUCCESS);
    must(MPI_File_close(&f));
}

/* Data from every second int of memory; all ranks' blocks of 1000 bytes interleave in the file. */
static void view(MPI_File f, int file)
{
    MPI_Status status;
    MPI_Datatype every, spread;
    int blocks_of = 300, bytes = blocks_of * 1000;
    MPI_Type_vector(bytes / 4, 1, 2, MPI_INT, &spread);
    MPI_Type_commit(&spread);
    MPI_Type_vector(blocks_of, 1000, 1000 * size, MPI_BYTE, &every);
    MPI_Type_commit(&every);
    must(MPI_File_set_view(f, 2000000 + (MPI_Offset)rank * 1000, MPI_INT, every, "native",
                           MPI_INFO_NULL));
    for (int i = 0; i < blocks_of; i++) {
        MPI_Offset at = 2000000 + ((MPI_Offset)i * size + rank) * 1000;
        for (int k = 0; k < 1000; k++)
            data[2 * (i * 1000 + k) - k % 4] = byte_at(file, at + k);
    }
    for (const char *operation = "write"; operation;
         operation = *operation == 'w' ? "read" : NULL) {
        fprintf(truth, "%s file%d t %s", operation, file, group);
        for (int i = 0; i < blocks_of; i++)
            fprintf(truth, " %lld 1000", 2000000 + ((long long)i * size + rank) * 1000);
        fputc('\n', truth);
    }
    must(MPI_File_write_all(f, data, 1, spread, &status));
    check_status(&status, bytes);
    memset(data, 0, MOST);
    must(MPI_File_seek(f, 0, MPI_SEEK_SET));
    must(MPI_File_read_all(f, data, 1, spread, &status));
    check_status(&status, bytes);
    for (int i = 0; i < blocks_of; i++)
        for (int k = 0; k < 1000; k++) {
            MPI_Offset at = 2000000 + ((MPI_Offset)i * size + rank) * 1000 + k;
            if (data[2 * (i * 1000 + k) - k % 4] != byte_at(file, at))
                stop("the view's data is not what was written", MPI_SUCCESS);
        }
    MPI_Type_free(&every);
    MPI_Type_free(&spread);
}

/* Each rank independently, by offsets and by pointers; then by a view. */
static void mixed(int file)
{
    MPI_File f = open_file(MPI_COMM_WORLD, file, "automatic");
    MPI_Status status;
    MPI_Offset own = (MPI_Offset)rank * 500000;
    fill(file, own, 70000, data);
    tell("write", file, 'i', own, 70000);
    must(MPI_File_write_at(f, own, data, 70000, MPI_BYTE, &status));
    tell("read", file, 'i', own + 5, 60000);
    must(MPI_File_read_at(f, own + 5, data, 60000, MPI_BYTE, &status));
    check(file, own + 5, 60000, data);
    must(MPI_File_seek(f, own + 70000, MPI_SEEK_SET));
    fill(file, own + 70000, 8, data);
    tell("write", file, 'i', own + 70000, 8);
    must(MPI_File_write(f, data, 2, MPI_INT, &status));
    fill(file, own + 70008, 300000, data);
    tell("write", file, 'i', own + 70008, 300000);
    must(MPI_File_write(f, data, 300000, MPI_BYTE, &status));
    must(MPI_File_seek(f, own, MPI_SEEK_SET));
    tell("read", file, 'i', own, 370008);
    must(MPI_File_read(f, data, 370008, MPI_BYTE, &status));
    check_status(&status, 370008);
    check(file, own, 370008, data);
    MPI_Barrier(MPI_COMM_WORLD);
    view(f, file);
    must(MPI_File_close(&f));
}

/* Two communicators with a file each; always in two phases. */
static void groups(int file)
{
    MPI_Comm half;
    MPI_Status status;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, size - rank, &half);
    int own = file + (rank == 0);
    int at, members;
    MPI_Comm_rank(half, &at);
    MPI_Comm_size(half, &members);
    MPI_File f = open_file(half, own, "enable");
    for (int i = 0; i < 3; i++) {
        MPI_Offset offset = ((MPI_Offset)i * members + at) * 150000;
        fill(own, offset, 150000, data);
        tell("write", own, 't', offset, 150000);
        must(MPI_File_write_at_all(f, offset, data, 150000, MPI_BYTE, &status));
        tell("read", own, 't', offset, 150000);
        must(MPI_File_read_at_all(f, offset, data, 150000, MPI_BYTE, &status));
        check(own, offset, 150000, data);
    }
    must(MPI_File_close(&f));
    MPI_Comm_free(&half);
}

/* Two files at once, nonblocking collectives, and a blocking call in between. */
static void later(int file)
{
    MPI_File f[2] = {open_file(MPI_COMM_WORLD, file, "automatic"),
                     open_file(MPI_COMM_WORLD, file + 1, "automatic")};
    MPI_Request requests[2];
    MPI_Status status[2];
    int n = 600000;
    MPI_Offset at = (MPI_Offset)rank * n;
    for (int i = 0; i < 2; i++) {
        fill(file + i, at, n, data + i * n);
        must(MPI_File_seek(f[i], at, MPI_SEEK_SET));
        tell("write", file + i, 'c', at, n);
        must(MPI_File_iwrite_all(f[i], data + i * n, n, MPI_BYTE, &requests[i]));
    }
    MPI_Offset behind = (MPI_Offset)size * n + rank * 20000;
    fill(file, behind, 20000, data + 2 * n);
    tell("write", file, 'i', behind, 20000);
    must(MPI_File_write_at(f[0], behind, data + 2 * n, 20000, MPI_BYTE, MPI_STATUS_IGNORE));
    must(MPI_Waitall(2, requests, status));
    check_status(&status[0], n);
    memset(data, 0, MOST);
    for (int i = 0; i < 2; i++) {
        tell("read", file + i, 'c', at, n);
        must(MPI_File_iread_at_all(f[i], at, data + i * n, n, MPI_BYTE, &requests[i]));
    }
    must(MPI_Wait(&requests[1], &status[1]));
    must(MPI_Wait(&requests[0], &status[0]));
    check_status(&status[1], n);
    for (int i = 0; i < 2; i++)
        check(file + i, at, n, data + i * n);
    for (int i = 0; i < 2; i++)
        must(MPI_File_close(&f[i]));
}

int main(int argc, char **argv)
{
    char path[32];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(path, sizeof path, "truth.%d", rank);
    truth = fopen(path, "w");
    data = calloc(1, MOST);
    if (!truth || !data || argc < 2)
        return 2;
    prefix = argv[1];
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "blocks") == 0)
            blocks(10 * i);
        else if (strcmp(argv[i], "mixed") == 0)
            mixed(10 * i);
        else if (strcmp(argv[i], "groups") == 0)
            groups(10 * i);
        else if (strcmp(argv[i], "later") == 0)
            later(10 * i);
    }
    fclose(truth);
    free(data);
    MPI_Finalize();
    return 0;
}
