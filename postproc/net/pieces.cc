/*
 * pieces.cc - noncontiguous messages, such as columns of a matrix: additional time to pack and
 * unpack them, and the difference in time where MPIs use another protocol for them.
 */
#include "postproc/net/replay.hh"

#include <algorithm>
#include <iterator>

namespace {

using Point = Job::Point;

/*
 * Measured times: single numbers, numbers in rows, points of three, whole cache lines, eight lines,
 * and contiguous data;
 */
struct Measured {
    double Point::*number, Point::*rows, Point::*point, Point::*line, Point::*eight_lines,
        Point::*whole;
    /* lists of numbers, of points, and of blocks of different lengths; */
    double Point::*list, Point::*listed_point, Point::*uneven;
    /* points, and listed points, on one side only, while the other side is contiguous. */
    double Point::*sent, Point::*received, Point::*listed_sent, Point::*listed_received;
};
const Measured one_way = {&Point::pieces8_seconds,
                          &Point::rows8_seconds,
                          &Point::pieces24_seconds,
                          &Point::pieces64_seconds,
                          &Point::pieces512_seconds,
                          &Point::seconds,
                          &Point::list8_seconds,
                          &Point::list24_seconds,
                          &Point::uneven8_seconds,
                          &Point::pieces24_sent_seconds,
                          &Point::pieces24_received_seconds,
                          &Point::list24_sent_seconds,
                          &Point::list24_received_seconds};
const Measured both_ways = {&Point::pieces8_exchange_seconds,
                            &Point::rows8_exchange_seconds,
                            &Point::pieces24_exchange_seconds,
                            &Point::pieces64_exchange_seconds,
                            &Point::pieces512_exchange_seconds,
                            &Point::exchange_seconds,
                            &Point::list8_exchange_seconds,
                            &Point::list24_exchange_seconds,
                            &Point::uneven8_exchange_seconds,
                            &Point::pieces24_sent_exchange_seconds,
                            &Point::pieces24_received_exchange_seconds,
                            &Point::list24_sent_exchange_seconds,
                            &Point::list24_received_exchange_seconds};
enum { NUMBER = 8, UNEVEN = 16, POINT = 24, LINE = 64, EIGHT_LINES = 512 }; /* bytes */
enum { ROW = 64 };                                                          /* numbers */

/*
 * Return the time of SIZE bytes in single numbers of PIECE bytes in rows of ROW bytes, interpolated
 * by the number of rows.
 */
double single(const Job &job, const Measured &measured, uint64_t size, double piece, double row)
{
    double share =
        (piece / row - 1.0 / ROW) / (1 - 1.0 / ROW); /* 1: each piece is a separate row */
    double rows = job.at(measured.rows, size);
    return rows + (job.at(measured.number, size) - rows) * std::max(share, 0.0);
}

/*
 * Return the time of SIZE bytes in regular pieces, linear in the number of pieces between two
 * measured sizes. Pieces longer than all measured ones take at least the contiguous time.
 */
double regular(const Job &job, const Measured &measured, uint64_t size, double piece, double row)
{
    const struct {
        double piece, seconds;
    } known[] = {{NUMBER, single(job, measured, size, piece, row)},
                 {POINT, job.at(measured.point, size)},
                 {LINE, job.at(measured.line, size)},
                 {EIGHT_LINES, job.at(measured.eight_lines, size)}};
    auto small = known, large = known;
    for (auto one = known + 1; one < std::end(known); one++)
        if (one->seconds > 0 && (large == known || piece > large->piece))
            small = large, large = one;
    double share = (1 / piece - 1 / large->piece) / (1 / small->piece - 1 / large->piece);
    double seconds = large->seconds + (small->seconds - large->seconds) * share;
    if (piece <= large->piece)
        return seconds;
    return std::max(seconds, std::min(large->seconds, job.at(measured.whole, size)));
}

/*
 * Return the additional time per block of a list, compared with regular pieces of equal length and
 * distance.
 */
double listed(const Job &job, const Measured &measured, uint64_t size, int64_t list)
{
    auto more = [&](double Point::*what, double block) {
        return (job.at(what, size) - regular(job, measured, size, block, block)) * block;
    };
    double block = static_cast<double>(list < 0 ? -list : list);
    if (list == 0)
        return 0;
    if (list < 0)
        return more(measured.uneven, UNEVEN) / block;
    double number = more(measured.list, NUMBER);
    if (job.at(measured.listed_point, size) <= 0)
        return number / block;
    double share = std::clamp((block - NUMBER) / (POINT - NUMBER), 0.0, 1.0);
    return (number + (more(measured.listed_point, POINT) - number) * share) / block;
}

/* Limit a size to the measured range. */
uint64_t known_of(const Job &job, uint64_t bytes)
{
    return bytes < job.pieced ? bytes : job.pieced;
}

/*
 * Return the additional time over contiguous data; above the largest measured size it is
 * proportional to the number of pieces.
 */
double beyond(const Job &job, const Measured &measured, uint64_t bytes, const trace_pieces &pieces)
{
    uint64_t known = known_of(job, bytes);
    if (pieces.piece == 0 || known == 0)
        return 0;
    double all = regular(job, measured, known, static_cast<double>(pieces.piece),
                         static_cast<double>(pieces.row)) +
                 listed(job, measured, known, pieces.list);
    return (all - job.at(measured.whole, known)) * static_cast<double>(bytes) /
           static_cast<double>(known);
}

/*
 * Return the fraction of the additional time if only SIDE is noncontiguous, as measured with
 * points. The sum of both sides may exceed 1, because one side packs while the other unpacks.
 */
double part(const Job &job, const Measured &measured, Box::Side side, uint64_t bytes,
            const trace_pieces &pieces)
{
    bool listed = pieces.list != 0, sent = side == Box::SENT;
    uint64_t known = known_of(job, bytes);
    double whole = job.at(measured.whole, known);
    double both = job.at(listed ? measured.listed_point : measured.point, known) - whole;
    double one = job.at(listed ? (sent ? measured.listed_sent : measured.listed_received)
                               : (sent ? measured.sent : measured.received),
                        known);
    if (one <= 0 || both <= 0) /* not measured, or no additional time */
        return 0.5;
    return std::clamp((one - whole) / both, 0.0, 1.0);
}

} // namespace

void Job::know_pieces()
{
    for (const Point &point : points)
        if (point.pieces8_seconds > 0 && point.rows8_seconds > 0 && point.pieces64_seconds > 0 &&
            point.list8_seconds > 0 && point.uneven8_seconds > 0 && point.bytes > pieced)
            pieced = point.bytes;
}

double Job::packing(uint64_t bytes, const trace_pieces &pieces) const
{
    return beyond(*this, one_way, bytes, pieces) * part(*this, one_way, Box::SENT, bytes, pieces);
}

/*
 * Return the receiver's additional time for noncontiguous data. If the sender waits for the
 * receiver, packing happens during the transfer, so the receiver is charged all of it.
 */
double Job::unpacking(const Transfer &transfer) const
{
    uint64_t bytes = transfer.bytes;
    trace_pieces own = transfer.pieces[Box::AWAITED], theirs = transfer.pieces[Box::SENT];
    const Measured &measured = transfer.is_exchanged() ? both_ways : one_way;
    double all = beyond(*this, measured, bytes, own);
    if (own.piece && !theirs.piece)
        return all * part(*this, measured, Box::AWAITED, bytes, own);
    if (!transfer.waits)
        return own.piece ? all - packing(bytes, own) : 0;
    if (!own.piece)
        return beyond(*this, measured, bytes, theirs) *
               part(*this, measured, Box::SENT, bytes, theirs);
    return (all + beyond(*this, measured, bytes, theirs)) / 2;
}
