/*
 * pieces.cc - messages whose data lies in pieces, as the columns of a matrix do: what it takes besides to pack and
 * unpack them, and where MPIs have another way for them, what that takes more or less.
 */
#include "postproc/net/replay.hh"

namespace {

using Point = Job::Point;

/* What was measured: single numbers, those in rows, whole lines of the cache, lists of blocks, and all in one piece. */
struct Measured {
    double Point::*single, Point::*rows, Point::*line, Point::*list, Point::*uneven, Point::*whole;
};
const Measured one_way = {&Point::pieces8_seconds,  &Point::rows8_seconds,
                          &Point::pieces64_seconds, &Point::list8_seconds,
                          &Point::uneven8_seconds,  &Point::seconds};
const Measured both_ways = {&Point::pieces8_exchange_seconds,  &Point::rows8_exchange_seconds,
                            &Point::pieces64_exchange_seconds, &Point::list8_exchange_seconds,
                            &Point::uneven8_exchange_seconds,  &Point::exchange_seconds};
enum { NUMBER = 8, UNEVEN = 16, LINE = 64, ROW = 64 }; /* bytes; numbers in a row */

/*
 * SIZE bytes in regular pieces: a line by the number of pieces, through single numbers and whole lines; and that of
 * single numbers one by the number of rows.
 */
double regular(const Job &job, const Measured &measured, uint64_t size, double piece, double row)
{
    double n = static_cast<double>(size) / piece, most = static_cast<double>(size) / NUMBER,
           fewest = static_cast<double>(size) / LINE;
    double share =
        (piece / row - 1.0 / ROW) / (1 - 1.0 / ROW); /* 1: each piece is a row of its own */
    double single = job.at(measured.single, size), rows = job.at(measured.rows, size);
    double numbers = rows + (single - rows) * (share > 0 ? share : 0),
           line = job.at(measured.line, size);
    return line + (numbers - line) * (n - fewest) / (most - fewest);
}

/* What the blocks of lists take more than pieces that are as long and as far apart, each of them as much. */
double listed(const Job &job, const Measured &measured, uint64_t size, int64_t list)
{
    if (list == 0)
        return 0;
    if (list > 0)
        return (job.at(measured.list, size) - job.at(measured.single, size)) * NUMBER /
               static_cast<double>(list);
    return (job.at(measured.uneven, size) - regular(job, measured, size, UNEVEN, UNEVEN)) * UNEVEN /
           -static_cast<double>(list);
}

/* Than in one piece. It is measured up to some size, and from there on as many times as much as there are pieces. */
double beyond(const Job &job, const Measured &measured, uint64_t bytes, const trace_pieces &pieces)
{
    uint64_t known = bytes < job.pieced ? bytes : job.pieced;
    if (pieces.piece == 0 || known == 0)
        return 0;
    double all = regular(job, measured, known, static_cast<double>(pieces.piece),
                         static_cast<double>(pieces.row)) +
                 listed(job, measured, known, pieces.list);
    return (all - job.at(measured.whole, known)) * static_cast<double>(bytes) /
           static_cast<double>(known);
}

} // namespace

void Job::know_pieces()
{
    for (const Point &point : points)
        if (point.pieces8_seconds > 0 && point.rows8_seconds > 0 && point.pieces64_seconds > 0 &&
            point.list8_seconds > 0 && point.uneven8_seconds > 0 && point.bytes > pieced)
            pieced = point.bytes;
}

/* It was measured with pieces on both sides: half of that each. */
double Job::packing(uint64_t bytes, const trace_pieces &pieces) const
{
    return beyond(*this, one_way, bytes, pieces) / 2;
}

/* Pieces that wait for the receiver are packed as they are taken, so all of that is done when it is there. */
double Job::unpacking(const Transfer &transfer) const
{
    uint64_t bytes = transfer.bytes;
    trace_pieces own = transfer.pieces[Box::AWAITED];
    const Measured &measured = transfer.beside ? both_ways : one_way;
    double all = beyond(*this, measured, bytes, own);
    if (transfer.waits)
        return (all + beyond(*this, measured, bytes, transfer.pieces[Box::SENT])) / 2;
    return all - beyond(*this, one_way, bytes, own) / 2;
}
