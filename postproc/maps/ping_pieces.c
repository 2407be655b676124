/*
 * ping_pieces.c - what messages cost whose data lies in pieces, as columns of a matrix do: single numbers, or lines
 * of the cache, with other data between them.
 */
#include "postproc/maps/ping.h"

#include <stddef.h>

/* Numbers in a piece; a row has an odd number of lines, so that those of a column are in different sets of a cache. */
enum { NUMBER = 1, LINE = 8, ROW = 5 * LINE };

/* Pieces of a column of so many bytes: what is less than one is one. */
static int pieces_in(int bytes, int piece)
{
    int numbers = bytes / (int)sizeof(double);
    return numbers > piece ? numbers / piece : 1;
}

/* What goes, or comes, is one of it. */
static MPI_Datatype make_column(int bytes, int piece)
{
    MPI_Datatype column;
    int numbers = bytes / (int)sizeof(double);
    MPI_Type_vector(pieces_in(bytes, piece), numbers < piece ? numbers : piece, ROW, MPI_DOUBLE,
                    &column);
    MPI_Type_commit(&column);
    return column;
}

/* Returns how long that took. */
static double write_pieces(int bytes, int piece)
{
    double from = MPI_Wtime();
    for (int i = 0, n = pieces_in(bytes, piece); i < n; i++)
        out[(size_t)(i * ROW) * sizeof(double)]++;
    return MPI_Wtime() - from;
}

static void send(MPI_Datatype type)
{
    MPI_Send(out, 1, type, peer, DATA, MPI_COMM_WORLD);
}

static void receive(MPI_Datatype type)
{
    MPI_Recv(in, 1, type, peer, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* One way of a message there and back, as if it were in one piece. */
static double message(int bytes, int piece, int n)
{
    MPI_Datatype type = make_column(bytes, piece);
    double wrote = 0, from = MPI_Wtime();
    for (int i = 0; i < n; i++) {
        if (rank == 0) {
            wrote += write_pieces(bytes, piece);
            send(type);
        }
        receive(type);
        if (rank != 0) {
            wrote += write_pieces(bytes, piece);
            send(type);
        }
    }
    double seconds = MPI_Wtime() - from - wrote;
    MPI_Type_free(&type);
    return (seconds - theirs_of(wrote)) / (2.0 * n);
}

/* Both ways at the same time. */
static double exchange(int bytes, int piece, int n)
{
    MPI_Datatype type = make_column(bytes, piece);
    double wrote = 0, from = MPI_Wtime();
    for (int i = 0; i < n; i++) {
        wrote += write_pieces(bytes, piece);
        MPI_Sendrecv(out, 1, type, peer, DATA, in, 1, type, peer, DATA, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    double seconds = MPI_Wtime() - from - wrote;
    MPI_Type_free(&type);
    return seconds / n;
}

double pieces8(int bytes, int n)
{
    return message(bytes, NUMBER, n);
}

double pieces64(int bytes, int n)
{
    return message(bytes, LINE, n);
}

double pieces8_exchange(int bytes, int n)
{
    return exchange(bytes, NUMBER, n);
}

double pieces64_exchange(int bytes, int n)
{
    return exchange(bytes, LINE, n);
}
