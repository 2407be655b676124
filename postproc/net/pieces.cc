/*
 * pieces.cc - messages whose data lies in pieces, as the columns of a matrix do: what it takes besides to pack and
 * unpack them, and where MPIs have another way for them, what that takes more or less.
 */
#include "postproc/net/replay.hh"

namespace {

using Point = Job::Point;

/*
 * BEYOND is a line by the number of pieces, through what was measured of single numbers and of whole lines. It is
 * measured up to some size, and from there on as many times as much as there are pieces.
 */
double beyond(const Job &job, double Point::*single, double Point::*line, double Point::*whole,
              uint64_t bytes, uint64_t piece)
{
    double known = static_cast<double>(bytes < job.pieced ? bytes : job.pieced);
    if (piece == 0 || !(known > 0))
        return 0;
    uint64_t size = static_cast<uint64_t>(known);
    double most = known / 8, fewest = known / 64, n = known / static_cast<double>(piece);
    double at_fewest = job.at(line, size) - job.at(whole, size);
    double at_most = job.at(single, size) - job.at(whole, size);
    return (at_fewest + (at_most - at_fewest) * (n - fewest) / (most - fewest)) *
           static_cast<double>(bytes) / known;
}

double alone(const Job &job, uint64_t bytes, uint64_t piece)
{
    return beyond(job, &Point::pieces8_seconds, &Point::pieces64_seconds, &Point::seconds, bytes,
                  piece);
}

double beside(const Job &job, uint64_t bytes, uint64_t piece)
{
    return beyond(job, &Point::pieces8_exchange_seconds, &Point::pieces64_exchange_seconds,
                  &Point::exchange_seconds, bytes, piece);
}

} // namespace

void Job::know_pieces()
{
    for (const Point &point : points)
        if (point.pieces8_seconds > 0 && point.pieces64_seconds > 0 && point.bytes > pieced)
            pieced = point.bytes;
}

/* It was measured with pieces on both sides: half of that each. */
double Job::packing(uint64_t bytes, uint64_t piece) const
{
    return alone(*this, bytes, piece) / 2;
}

/* Pieces that wait for the receiver are packed as they are taken, so all of that is done when it is there. */
double Job::unpacking(const Transfer &transfer) const
{
    uint64_t bytes = transfer.bytes, own = transfer.piece[Box::AWAITED];
    double (*all)(const Job &, uint64_t, uint64_t) = transfer.beside ? beside : alone;
    if (transfer.waits)
        return (all(*this, bytes, own) + all(*this, bytes, transfer.piece[Box::SENT])) / 2;
    return all(*this, bytes, own) - alone(*this, bytes, own) / 2;
}
