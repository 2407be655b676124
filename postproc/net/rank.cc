/*
 * rank.cc - a rank's sequential work for its messages: sends, receives, and the requests that its
 * threads wait for.
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

/* Complete the work for other messages in progress before returning from MPI. */
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
 * Charge the receiver. The first of several messages pays the cost of a single one, plus the
 * difference between a measured exchange and its replay (a rank sends while the other message is in
 * transit, and then receives that one): posting costs more and completion less when the other rank
 * communicates at the same time. Later messages of a series are faster, because they do not wait
 * for memory.
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
 * Charge the sender. A message soon after another one waits less for memory, which still transfers
 * the previous one: at most the time in a stream. But it cannot arrive earlier than in a stream
 * either, because the receiver is still processing the previous one.
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
