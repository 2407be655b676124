/*
 * ping_pieces.c - what messages cost whose data lies in pieces, as columns of a matrix do: single numbers, the three of
 * a point, lines of the cache, or eight of them, with other data in between. MPIs may see a plane of a cube otherwise
 * than a column, although both are numbers that are as far apart: as rows of them. Where blocks are at any places, or
 * have different lengths, MPIs have a list of them to go over.
 */
#include "postproc/maps/ping.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/*
 * Numbers in a piece, of those of different lengths on the average; there is one in so many, or so many are between
 * longer ones. Both are an odd number of lines from one to the next, so that pieces are in different sets of a cache.
 */
enum {
    NUMBER = 1,
    UNEVEN = 2,
    POINT = 3,
    LINE = 8,
    EIGHT_LINES = 8 * LINE,
    FROM_ONE_TO_THE_NEXT = 5 * LINE
};

/* How data lies: numbers in a piece, how many pieces may be in a row, and whether they are at any places. */
struct shape {
    int piece, row;
    bool listed, uneven;
};
static const struct shape numbers = {NUMBER, 1, false, false}, rows = {NUMBER, 64, false, false},
                          points = {POINT, 1, false, false}, lines = {LINE, 1, false, false},
                          eight_lines = {EIGHT_LINES, 1, false, false},
                          list = {NUMBER, 1, true, false}, listed_points = {POINT, 1, true, false},
                          uneven = {UNEVEN, 1, true, true};

/* On which sides it lies so. */
enum where { BOTH, SENT, RECEIVED };

/* Pieces of so many bytes: what is less than one is one. */
static int pieces_in(int bytes, int piece)
{
    int all = bytes / (int)sizeof(double);
    return all > piece ? all / piece : 1;
}

/* Nothing that a processor foresees, but the same each time. */
static unsigned scattered(int i, unsigned below)
{
    unsigned mixed = (unsigned)i * 2654435761u;
    mixed = (mixed ^ mixed >> 15) * 2246822519u;
    return (mixed ^ mixed >> 13) % below;
}

static int apart(struct shape shape)
{
    return FROM_ONE_TO_THE_NEXT + (shape.piece > FROM_ONE_TO_THE_NEXT ? shape.piece : 0);
}

/* Of piece I, in numbers from the first one. */
static int place_of(int i, struct shape shape)
{
    return i * apart(shape) + (shape.listed ? (int)scattered(i, FROM_ONE_TO_THE_NEXT - LINE) : 0);
}

/* All are as long; or from one to three numbers, and two that are neighbors four. */
static MPI_Datatype make_list(int all, int n, struct shape shape)
{
    MPI_Datatype type;
    int *lengths = malloc(2 * (size_t)n * sizeof *lengths);
    if (!lengths)
        MPI_Abort(MPI_COMM_WORLD, 2);
    int *places = lengths + n;
    for (int i = 0; i < n; i++) {
        int one = 1 + (int)scattered(i / 2, 3);
        lengths[i] = i == n - 1 ? all : !shape.uneven ? shape.piece : i % 2 ? 4 - one : one;
        all -= lengths[i];
        places[i] = place_of(i, shape);
    }
    MPI_Type_indexed(n, lengths, places, MPI_DOUBLE, &type);
    free(lengths);
    return type;
}

/*
 * What the pieces of a message of BYTES have, which are all as long, if the last one of a list is not: a little less, or
 * more, if with less the sender did not wait any more.
 */
static int whole(int bytes, struct shape shape)
{
    int piece = shape.piece * (int)sizeof(double), rest = bytes % piece;
    if (shape.listed || bytes < piece)
        return bytes;
    return bytes - rest + (bytes > eager && bytes - rest <= eager ? piece : 0);
}

/* What goes, or comes, is one of it. All rows are as long, so that none of the bytes are left out. */
static MPI_Datatype make_type(int bytes, struct shape shape)
{
    int all = bytes / (int)sizeof(double), n = pieces_in(bytes, shape.piece), in_row = shape.row;
    while (n % in_row > 0)
        in_row--;
    MPI_Datatype row, type;
    if (shape.listed) {
        type = make_list(all, n, shape);
    } else if (in_row == 1) {
        MPI_Type_vector(n, all < shape.piece ? all : shape.piece, apart(shape), MPI_DOUBLE, &type);
    } else {
        MPI_Type_vector(in_row, shape.piece, apart(shape), MPI_DOUBLE, &row);
        MPI_Type_create_hvector(n / in_row, 1, in_row * apart(shape) * (MPI_Aint)sizeof(double),
                                row, &type);
        MPI_Type_free(&row);
    }
    MPI_Type_commit(&type);
    return type;
}

/* What goes, and what comes: in pieces, but for a side that has none. */
struct sides {
    struct data {
        int n;
        MPI_Datatype type;
    } out, in;
};

static struct data make_data(int bytes, struct shape shape, bool in_pieces)
{
    struct data data = {bytes / (int)sizeof(double), MPI_DOUBLE};
    if (in_pieces) {
        data.n = 1;
        data.type = make_type(bytes, shape);
    }
    return data;
}

static struct sides make_sides(int bytes, struct shape shape, enum where where)
{
    struct sides sides = {make_data(bytes, shape, where != RECEIVED),
                          make_data(bytes, shape, where != SENT)};
    return sides;
}

static void free_sides(struct sides *sides)
{
    if (sides->out.type != MPI_DOUBLE)
        MPI_Type_free(&sides->out.type);
    if (sides->in.type != MPI_DOUBLE)
        MPI_Type_free(&sides->in.type);
}

/* What is sent. Returns how long that took. */
static double write_data(int bytes, struct shape shape, enum where where)
{
    if (where == RECEIVED)
        return timed_write(bytes);
    double from = MPI_Wtime();
    for (int i = 0, n = pieces_in(bytes, shape.piece); i < n; i++)
        for (int k = 0; k < shape.piece; k += LINE)
            out[(size_t)(place_of(i, shape) + k) * sizeof(double)]++;
    return MPI_Wtime() - from;
}

static void send(const struct sides *sides)
{
    MPI_Send(out, sides->out.n, sides->out.type, peer, DATA, MPI_COMM_WORLD);
}

static void receive(const struct sides *sides)
{
    MPI_Recv(in, sides->in.n, sides->in.type, peer, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* One way of a message there and back, as if it were in one piece. */
static double one_way(int size, struct shape shape, enum where where, int n)
{
    int bytes = whole(size, shape);
    struct sides sides = make_sides(bytes, shape, where);
    double wrote = 0, from = MPI_Wtime();
    for (int i = 0; i < n; i++) {
        if (rank == 0) {
            wrote += write_data(bytes, shape, where);
            send(&sides);
        }
        receive(&sides);
        if (rank != 0) {
            wrote += write_data(bytes, shape, where);
            send(&sides);
        }
    }
    double seconds = MPI_Wtime() - from - wrote;
    free_sides(&sides);
    return (seconds - theirs_of(wrote)) / (2.0 * n);
}

/* Both ways at the same time. */
static double both_ways(int size, struct shape shape, enum where where, int n)
{
    int bytes = whole(size, shape);
    struct sides sides = make_sides(bytes, shape, where);
    double wrote = 0, from = MPI_Wtime();
    for (int i = 0; i < n; i++) {
        wrote += write_data(bytes, shape, where);
        MPI_Sendrecv(out, sides.out.n, sides.out.type, peer, DATA, in, sides.in.n, sides.in.type,
                     peer, DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    double seconds = MPI_Wtime() - from - wrote;
    free_sides(&sides);
    return seconds / n;
}

double pieces8(int bytes, int n)
{
    return one_way(bytes, numbers, BOTH, n);
}

double pieces8_exchange(int bytes, int n)
{
    return both_ways(bytes, numbers, BOTH, n);
}

double rows8(int bytes, int n)
{
    return one_way(bytes, rows, BOTH, n);
}

double rows8_exchange(int bytes, int n)
{
    return both_ways(bytes, rows, BOTH, n);
}

double pieces24(int bytes, int n)
{
    return one_way(bytes, points, BOTH, n);
}

double pieces24_exchange(int bytes, int n)
{
    return both_ways(bytes, points, BOTH, n);
}

double pieces24_sent(int bytes, int n)
{
    return one_way(bytes, points, SENT, n);
}

double pieces24_sent_exchange(int bytes, int n)
{
    return both_ways(bytes, points, SENT, n);
}

double pieces24_received(int bytes, int n)
{
    return one_way(bytes, points, RECEIVED, n);
}

double pieces24_received_exchange(int bytes, int n)
{
    return both_ways(bytes, points, RECEIVED, n);
}

double pieces64(int bytes, int n)
{
    return one_way(bytes, lines, BOTH, n);
}

double pieces64_exchange(int bytes, int n)
{
    return both_ways(bytes, lines, BOTH, n);
}

double pieces512(int bytes, int n)
{
    return one_way(bytes, eight_lines, BOTH, n);
}

double pieces512_exchange(int bytes, int n)
{
    return both_ways(bytes, eight_lines, BOTH, n);
}

double list8(int bytes, int n)
{
    return one_way(bytes, list, BOTH, n);
}

double list8_exchange(int bytes, int n)
{
    return both_ways(bytes, list, BOTH, n);
}

double list24(int bytes, int n)
{
    return one_way(bytes, listed_points, BOTH, n);
}

double list24_exchange(int bytes, int n)
{
    return both_ways(bytes, listed_points, BOTH, n);
}

double list24_sent(int bytes, int n)
{
    return one_way(bytes, listed_points, SENT, n);
}

double list24_sent_exchange(int bytes, int n)
{
    return both_ways(bytes, listed_points, SENT, n);
}

double list24_received(int bytes, int n)
{
    return one_way(bytes, listed_points, RECEIVED, n);
}

double list24_received_exchange(int bytes, int n)
{
    return both_ways(bytes, listed_points, RECEIVED, n);
}

double uneven8(int bytes, int n)
{
    return one_way(bytes, uneven, BOTH, n);
}

double uneven8_exchange(int bytes, int n)
{
    return both_ways(bytes, uneven, BOTH, n);
}
