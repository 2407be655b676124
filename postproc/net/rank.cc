/*
 * rank.cc - what a rank itself does for its messages, one thing after the other: sends, receives, and the requests
 * that its threads wait for.
 */
#include "postproc/net/replay.hh"

namespace s4 = simgrid::s4u;

void Rank::post(uint64_t which, const Request &request)
{
    requests[which] = request;
    auto lane = awaited.find(which);
    if (lane == awaited.end())
        return;
    lane->second->wake->release();
    awaited.erase(lane);
}

void Rank::enter()
{
    inside++;
    for (const auto &one : until_inside)
        one->release();
    until_inside.clear();
}

/* What it does for others meanwhile comes to its end before. */
void Rank::leave()
{
    double rest = free_at - s4::Engine::get_clock();
    if (rest > 0)
        s4::this_actor::sleep_for(rest);
    inside--;
}

void Rank::wait_inside()
{
    while (inside == 0) {
        auto entered = s4::Semaphore::create(0);
        until_inside.push_back(entered);
        entered->acquire();
    }
}

void Rank::spend(double seconds)
{
    double now = s4::Engine::get_clock();
    if (seconds <= 0)
        return;
    free_at = (free_at > now ? free_at : now) + seconds;
    s4::this_actor::sleep_for(free_at - now);
}

/*
 * The first one of some costs what one does alone, and what the exchange of two differs from what is replayed of it
 * (a rank sends while the other message is on its way, and then gets that): posting it costs more, and asking for it
 * less, when the other rank asks at the same time. Others follow faster, as memory is not waited for then.
 */
void Rank::get(const Transfer &transfer)
{
    const Job &job = *transfer.job;
    double now = s4::Engine::get_clock(), begins = free_at > now ? free_at : now;
    double seconds = job.receiving(transfer.bytes);
    if (transfer.is_exchanged())
        seconds += job.exchanging_more(transfer.bytes);
    double next = job.at(&Job::Point::stream_seconds, transfer.bytes);
    if (begins <= received_at && next > 0 && next < seconds)
        seconds = next;
    seconds += transfer.beyond + job.unpacking(transfer) + job.writing_again(transfer);
    seconds += transfer.answered ? job.answering(transfer.bytes) : 0;
    seconds = std::max({seconds, transfer.due_at - begins, 0.0});
    received_at = begins + seconds;
    spend(seconds);
}

/*
 * One soon after another waits less for memory, which has the one before still on its way: no longer than it
 * takes in a stream. But it is not there before that either, as the other rank gets that one meanwhile.
 */
void Rank::give(Transfer &transfer)
{
    double now = s4::Engine::get_clock();
    double seconds = transfer.job->at(&Job::Point::send_seconds, transfer.bytes);
    double next = transfer.job->at(&Job::Point::stream_seconds, transfer.bytes);
    double due = now + transfer.job->at(&Job::Point::seconds, transfer.bytes);
    if (next > 0 && now < gave_at + next) {
        seconds = std::min(seconds, next);
        if (gave_to == transfer.to)
            transfer.due_at = due = due_at + next;
    }
    spend(seconds);
    gave_at = free_at;
    gave_to = transfer.to;
    due_at = due;
}
