/*
 * messages.cc - how long the messages of a replay take: the parts of the network and of both ranks, waiting threads,
 * and the end of operations in the background.
 */
#include <memory>
#include <vector>

#include "postproc/net/replay.hh"

namespace s4 = simgrid::s4u;

/* Interpolate linearly between the points; extrapolate beyond the last one. */
double Job::at(double Point::*what, uint64_t bytes) const
{
    if (points.empty())
        return 0;
    size_t i = 0;
    while (i + 2 < points.size() && points[i + 1].bytes <= bytes)
        i++;
    const Point &a = points[i], &b = points[i + 1 < points.size() ? i + 1 : i];
    double value = a.*what;
    if (bytes > a.bytes && b.bytes > a.bytes)
        value += (b.*what - a.*what) *
                 (static_cast<double>(bytes - a.bytes) / static_cast<double>(b.bytes - a.bytes));
    return value > 0 ? value : 0;
}

/*
 * Return the number of bytes for which the network takes the time measured for BYTES, less the
 * latency and the receiver's work: so messages that share a link still slow each other down. At
 * least one byte, because SimGrid starts an empty message only when an actor waits for it.
 */
uint64_t Job::effective(uint64_t bytes) const
{
    if (points.empty())
        return bytes > 0 ? bytes : 1;
    double seconds = at(&Point::seconds, bytes) - receiving(bytes);
    double moving = (seconds - latency) * bandwidth;
    return moving > 1 ? static_cast<uint64_t>(moving + 0.5) : 1;
}

double Job::writing_again(const Transfer &transfer) const
{
    uint64_t bytes = transfer.reused < transfer.bytes ? transfer.reused : transfer.bytes;
    bool beside = transfer.is_exchanged();
    double Point::*first = beside ? &Point::exchange_seconds : &Point::seconds;
    double Point::*again = beside ? &Point::reused_exchange_seconds : &Point::reused_seconds;
    double more = at(again, bytes) - at(first, bytes);
    return bytes > 0 && more > 0 ? more : 0;
}

void Transfer::wake_all()
{
    std::vector<Lane *> all;
    all.swap(waiting);
    for (Lane *lane : all)
        lane->wake->release();
}

/* Let the receiver copy the data once it is in any MPI call. */
void Transfer::fetch()
{
    Rank &rank = *job->ranks[static_cast<size_t>(to)];
    comm->wait();
    rank.wait_inside();
    rank.get(*this);
    fetched = done = true;
    there_at = s4::Engine::get_clock();
    wake_all();
}

/* Return whether the receiver copies the data from the sender, which waits for the copy. */
bool Transfer::is_fetched() const
{
    return waits && (pieces[Box::SENT].piece || pieces[Box::AWAITED].piece ||
                     2 * job->receiving(bytes) > job->at(&Job::Point::seconds, bytes));
}

/*
 * Return the remaining time. The measurement covers the whole call with a ready receiver:
 * synchronous sends for eager sizes. The times of an exchange already include it.
 */
double Transfer::returning() const
{
    double all = job->at(&Job::Point::return_seconds, bytes);
    if (!waits || is_exchanged() || all <= 0)
        return 0;
    double answer = answered ? job->answering(bytes) : 0;
    double gone =
        job->at(&Job::Point::seconds, bytes) + (fetching ? answer : -job->receiving(bytes));
    all += bytes > job->eager ? answer : 0;
    double rest = there_at + all - gone - s4::Engine::get_clock();
    return rest > 0 ? rest : 0;
}

/*
 * Start the transfer of the data, or of the rendezvous request. If the message is READY, because
 * both ends are present or need not be, waiting lanes continue.
 */
void Transfer::start(bool is_ready)
{
    auto hosts = &job->host;
    ready = ready || is_ready;
    if (!starting) {
        starting = true;
        comm = s4::Comm::sendto_async((*hosts)[static_cast<size_t>(from)],
                                      (*hosts)[static_cast<size_t>(to)],
                                      job->effective(bytes)); /* yields to other actors */
    }
    if (!comm || !ready || started)
        return;
    started = true;
    fetching = is_fetched();
    if (fetching)
        begin_actor("fetch", (*hosts)[static_cast<size_t>(to)],
                    [self = shared_from_this()] { self->fetch(); });
    else
        wake_all();
}

void Lane::finish(const std::shared_ptr<Transfer> &transfer, Box::Side side)
{
    if (begun)
        begun->release();
    if (!transfer->started || (transfer->fetching && !transfer->fetched)) {
        transfer->waiting.push_back(this);
        wake->acquire();
    }
    if (transfer->comm && !transfer->done) {
        transfer->comm->wait();
        transfer->there_at = transfer->comm->get_finish_time();
    }
    transfer->done = true;
    if (side != Box::AWAITED) {
        s4::this_actor::sleep_for(transfer->returning());
        return;
    }
    if (transfer->fetching)
        return;
    if (begun)
        rank->wait_inside();
    rank->get(*transfer);
}

void Background::end()
{
    done = true;
    for (Lane *lane : waiting)
        lane->wake->release();
}

void Lane::finish(const std::shared_ptr<Background> &background)
{
    if (background->done)
        return;
    background->waiting.push_back(this);
    wake->acquire();
}

std::shared_ptr<Transfer> Job::match(const Key &key, Box::Side side, uint64_t bytes, bool waits,
                                     const trace_pieces &pieces)
{
    Box &box = boxes[key];
    std::shared_ptr<Transfer> transfer;
    if (!box.queue.empty() && box.side != side) {
        transfer = box.queue.front();
        box.queue.pop_front();
        bool is_over = box.queue.empty() && key.once;
        transfer->pieces[side] = pieces;
        if (side == Box::SENT) {
            transfer->bytes = bytes;
            transfer->waits = waits;
        }
        transfer->start(true);
        if (is_over)
            boxes.erase(key);
        return transfer;
    }
    transfer = std::make_shared<Transfer>();
    transfer->job = this;
    transfer->from = key.from;
    transfer->to = key.to;
    transfer->bytes = bytes;
    transfer->waits = waits;
    transfer->pieces[side] = pieces;
    box.side = side;
    box.queue.push_back(transfer);
    if (side == Box::SENT && (!waits || transfer->is_fetched()))
        transfer->start(!waits);
    return transfer;
}
