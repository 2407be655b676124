/*
 * ping_pieces.c - times of noncontiguous messages, such as columns of a matrix: single numbers, the
 * three of a point, cache lines, or eight lines, with other data in between. MPIs may treat a plane
 * of a cube differently from a column, although both consist of equally spaced numbers, because the
 * plane is a type of rows. For irregular blocks, MPIs traverse a list.
 */
#include "postproc/maps/ping.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/*
 * Numbers per piece (for varying lengths, the mean), and the distance between pieces, or the gap
 * between long ones. The distance is an odd number of lines, so that pieces fall into different
 * sets of a cache.
 */
enum {
    NUMBER = 1,
    UNEVEN = 2,
    POINT = 3,
    LINE = 8,
    EIGHT_LINES = 8 * LINE,
    FROM_ONE_TO_THE_NEXT = 5 * LINE
};

/* Layout of data: numbers per piece, pieces per row, and irregular placement. */
struct shape {
    int piece, row;
    bool listed, uneven;
};
static const struct shape numbers = {NUMBER, 1, false, false}, rows = {NUMBER, 64, false, false},
                          points = {POINT, 1, false, false}, lines = {LINE, 1, false, false},
                          eight_lines = {EIGHT_LINES, 1, false, false},
                          list = {NUMBER, 1, true, false}, listed_points = {POINT, 1, true, false},
                          uneven = {UNEVEN, 1, true, true};

/* Sides with this layout. */
enum where { BOTH, SENT, RECEIVED };

/* Return the number of complete pieces in BYTES, at least one. */
static int pieces_in(int bytes, int piece)
{
    int all = bytes / (int)sizeof(double);
    return all > piece ? all / piece : 1;
}

/* Return a reproducible number that a prefetcher cannot predict. */
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

/* Return the position of piece I, in numbers from the first one. */
static int place_of(int i, struct shape shape)
{
    return i * apart(shape) + (shape.listed ? (int)scattered(i, FROM_ONE_TO_THE_NEXT - LINE) : 0);
}

/*
 * Make an indexed type: pieces of equal length, or of one to three numbers, with four in each pair
 * of neighbors.
 */
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
 * Return the size of a message of whole pieces of equal length (in a list the last may differ):
 * slightly less than BYTES, or more if the smaller message would become eager.
 */
static int whole(int bytes, struct shape shape)
{
    int piece = shape.piece * (int)sizeof(double), rest = bytes % piece;
    if (shape.listed || bytes < piece)
        return bytes;
    return bytes - rest + (bytes > eager && bytes - rest <= eager ? piece : 0);
}

/* Make the type of a message; all rows have equal length, so that no bytes are dropped. */
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

/* Layouts of the data to send and to receive; one side may be contiguous. */
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

/* Write the data to send. Returns the duration. */
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

/* Return the one-way time of a ping-pong, without the time of writing the data. */
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

/* Return the time of a simultaneous message in each direction. */
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
