/* mpi_bytes_others.c - windows, files, and more than 2^31 bytes. */
#include "mpi_bytes.h"

#include <stdint.h>

#define WORLD MPI_COMM_WORLD

/* ---- Windows ------------------------------------------------------------------------------- */

void windows(void)
{
    enum { N = 100 };
    static int out[N], result[N], *memory;
    int to = (rank + 1) % size, one = 1, two = 2;
    MPI_Win win;
    MPI_Request r[4];
    OK(MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &memory, &win));
    memset(memory, 0, N * sizeof(int));
    OK(MPI_Win_lock_all(0, win));
    CASE("put", 40, 0, MPI_Put(out, 10, MPI_INT, to, 0, 10, MPI_INT, win));
    CASE("get", 0, 40, MPI_Get(out, 10, MPI_INT, to, 0, 10, MPI_INT, win));
    CASE("accumulate", 40, 0, MPI_Accumulate(out, 10, MPI_INT, to, 0, 10, MPI_INT, MPI_SUM, win));
    CASE("put_null", 0, 0, MPI_Put(out, 10, MPI_INT, MPI_PROC_NULL, 0, 10, MPI_INT, win));
    CASE("get_accumulate", 40, 40,
         MPI_Get_accumulate(out, 10, MPI_INT, result, 10, MPI_INT, to, 0, 10, MPI_INT, MPI_SUM,
                            win));
    CASE("get_accumulate_no_op", 0, 40,
         MPI_Get_accumulate(NULL, 0, MPI_INT, result, 10, MPI_INT, to, 0, 10, MPI_INT, MPI_NO_OP,
                            win));
    CASE("fetch_and_op", 4, 4, MPI_Fetch_and_op(&one, result, MPI_INT, to, 0, MPI_SUM, win));
    CASE("compare_and_swap", 8, 4, MPI_Compare_and_swap(&one, &two, result, MPI_INT, to, 0, win));
    CASE("rput", 40, 0, MPI_Rput(out, 10, MPI_INT, to, 0, 10, MPI_INT, win, &r[0]));
    CASE("rget", 0, 40, MPI_Rget(result, 10, MPI_INT, to, 20, 10, MPI_INT, win, &r[1]));
    CASE("raccumulate", 40, 0,
         MPI_Raccumulate(out, 10, MPI_INT, to, 40, 10, MPI_INT, MPI_SUM, win, &r[2]));
    CASE("rget_accumulate", 40, 40,
         MPI_Rget_accumulate(out, 10, MPI_INT, result + 20, 10, MPI_INT, to, 60, 10, MPI_INT,
                             MPI_SUM, win, &r[3]));
    CASE("window_waits", 0, 0, MPI_Waitall(4, r, MPI_STATUSES_IGNORE));
    CASE("flush", 0, 0, MPI_Win_flush_all(win));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
}

/* ---- Files --------------------------------------------------------------------------------- */

void files(void)
{
    enum { N = 100 };
    static int out[N], in[1000 * N];
    MPI_File f;
    MPI_Request r, s;
    MPI_Status status;
    MPI_Offset mine = (MPI_Offset)rank * 400;
    OK(MPI_File_open(WORLD, "data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                     MPI_INFO_NULL, &f));
    CASE("write_at", 400, 0, MPI_File_write_at(f, mine, out, N, MPI_INT, MPI_STATUS_IGNORE));
    OK(MPI_File_sync(f));
    OK(MPI_Barrier(WORLD));
    OK(MPI_File_sync(f));
    CASE("read_at", 0, 400, MPI_File_read_at(f, mine, in, N, MPI_INT, MPI_STATUS_IGNORE));
    /* Less data is available than requested. */
    CASE("read_short", 0, (size - rank) * 400,
         MPI_File_read_at(f, mine, in, 1000 * N, MPI_INT, &status));
    CASE("read_beyond", 0, 0, MPI_File_read_at(f, 400 * size, in, N, MPI_INT, MPI_STATUS_IGNORE));
    CASE("write_at_all", 200, 0,
         MPI_File_write_at_all(f, mine, out, N / 2, MPI_INT, MPI_STATUS_IGNORE));
    CASE("read_at_all", 0, 200, MPI_File_read_at_all(f, mine, in, N / 2, MPI_INT, &status));
    OK(MPI_File_seek(f, mine, MPI_SEEK_SET));
    /* Programs pass NULL for an unwanted status, and it works. */
    CASE("write", 40, 0, MPI_File_write(f, out, 10, MPI_INT, NULL));
    CASE("read", 0, 40, MPI_File_read(f, in, 10, MPI_INT, NULL));
    CASE("split_write", 0, 0, MPI_File_write_at_all_begin(f, mine, out, N, MPI_INT));
    CASE("split_write_end", 400, 0, MPI_File_write_at_all_end(f, out, MPI_STATUS_IGNORE));
    CASE("iwrite_at", 400, 0, MPI_File_iwrite_at(f, mine, out, N, MPI_INT, &s));
    CASE("iwrite_wait", 0, 0, MPI_Wait(&s, MPI_STATUS_IGNORE));
    CASE("iread_at", 0, 400, MPI_File_iread_at(f, mine, in, N, MPI_INT, &r));
    CASE("iread_wait", 0, 0, MPI_Wait(&r, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&f));
}

/* ---- Large --------------------------------------------------------------------------------- */

void large(void)
{
    static char buffer[1 << 20];
    MPI_Datatype gigabytes;
    MPI_Request r, s;
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    long long bytes = 2500ll << 20;
    /* The same megabyte repeatedly. */
    OK(MPI_Type_create_hvector(2500, 1 << 20, 0, MPI_BYTE, &gigabytes));
    OK(MPI_Type_commit(&gigabytes));
    CASE("large_type", bytes, 0, MPI_Bcast(buffer, 1, gigabytes, 0, MPI_COMM_SELF));
    CASE("large_count", 4ll * INT32_MAX, 0,
         MPI_Bcast(buffer, INT32_MAX, MPI_INT, 0, MPI_COMM_SELF));
#if MPI_VERSION >= 4
    CASE("large_count_c", 5000000000ll, 0,
         MPI_Bcast_c(buffer, 5000000000ll, MPI_BYTE, 0, MPI_COMM_SELF));
    MPI_Count many[1] = {3000000000ll};
    MPI_Aint none[1] = {0};
    (void)many;
    (void)none;
#endif
    if (getenv("LARGE_MESSAGE")) {
        GPTLstart("large_message");
        OK(MPI_Irecv(buffer, 1, gigabytes, from, 1, WORLD, &r));
        OK(MPI_Isend(buffer, 1, gigabytes, to, 1, WORLD, &s));
        GPTLstop("large_message");
        OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
        OK(MPI_Wait(&s, MPI_STATUS_IGNORE));
        expect("large_message", bytes, bytes);
    }
    OK(MPI_Type_free(&gigabytes));
}
