/*
 * onesided.cc - one-sided communication as messages: a put is a message, a get requests one. The
 * target process does not take part. man/gptl-net.1 describes epochs.
 */
#include "postproc/net/replay.hh"

namespace s4 = simgrid::s4u;

namespace {

/* Messages of the start and end of epochs between two groups. */
enum { POSTED, COMPLETE };

void move(const Job &job, int from, int to, uint64_t bytes)
{
    s4::Comm::sendto_async(job.host[static_cast<size_t>(from)], job.host[static_cast<size_t>(to)],
                           job.effective(bytes))
        ->wait();
    double there = job.receiving(bytes);
    if (there > 0)
        s4::this_actor::sleep_for(there);
}

/*
 * Wait for the accesses of LANE's rank to TARGET's memory, or to all for -1. Returns whether there
 * were any.
 */
bool finish(Lane &lane, Window &window, int target)
{
    std::vector<Window::Access> own, others;
    for (const auto &one : window.open)
        (target < 0 || one.target == target ? own : others).push_back(one);
    window.open = others;
    for (const auto &one : own)
        lane.finish(one.way);
    return !own.empty();
}

void tell(Lane &lane, const std::vector<int> &ranks, int tag, uint64_t name)
{
    for (int to : ranks) {
        lane.job->match({lane.rank->number, to, tag, name, 0, false}, Box::SENT, 0, false);
        lane.rank->spend(lane.job->at(&Job::Point::send_seconds, 0));
    }
}

void hear(Lane &lane, const std::vector<int> &ranks, int tag, uint64_t name)
{
    for (int from : ranks)
        lane.finish(
            lane.job->match({from, lane.rank->number, tag, name, 0, false}, Box::AWAITED, 0, false),
            Box::AWAITED);
}

} // namespace

void begin_access(Lane &lane, const trace_event &e, const trace_comm *window)
{
    Job *job = lane.job;
    int own = lane.rank->number, target = e.peer;
    uint64_t goes = e.bytes, comes = e.n;
    auto way = std::make_shared<Background>();
    if (target == own) {
        lane.rank->spend(job->at(&Job::Point::own_seconds, goes + comes));
        way->done = true;
    } else {
        begin_actor("access", s4::this_actor::get_host(), [job, own, target, goes, comes, way] {
            move(*job, own, target, goes);
            if (comes > 0)
                move(*job, target, own, comes);
            way->end();
        });
        lane.rank->spend(job->at(&Job::Point::send_seconds, goes));
    }
    if (e.posted)
        lane.rank->post(e.request, {nullptr, Box::SENT, way});
    lane.rank->windows[window->name].open.push_back({target, way});
}

void pass_epoch(Lane &lane, const trace_event &e, const trace_comm *comm)
{
    Window &window = lane.rank->windows[comm->name];
    const unsigned char *list = e.list;
    std::vector<int> ranks;
    trace_event barrier = e;
    for (uint64_t i = 0; i < e.n; i++)
        ranks.push_back(static_cast<int>(trace_number(&list, e.end)));
    switch (e.mode) {
    case GPTL_TI_FENCE:
        finish(lane, window, -1);
        barrier.what = GPTL_TI_COLLECTIVE;
        barrier.mode = GPTL_TI_BARRIER;
        begin_collective(lane, barrier, comm);
        break;
    case GPTL_TI_POST:
        window.exposed = ranks;
        tell(lane, ranks, POSTED, comm->name);
        break;
    case GPTL_TI_START:
        window.accessed = ranks;
        hear(lane, ranks, POSTED, comm->name);
        break;
    case GPTL_TI_COMPLETE:
        finish(lane, window, -1);
        tell(lane, window.accessed, COMPLETE, comm->name);
        break;
    case GPTL_TI_EXPOSED:
        hear(lane, window.exposed, COMPLETE, comm->name);
        break;
    case GPTL_TI_UNLOCK:
    case GPTL_TI_FLUSH: /* the other process confirms completion */
        if (finish(lane, window, ranks.empty() ? -1 : ranks[0]))
            s4::this_actor::sleep_for(lane.job->points.empty()
                                          ? lane.job->latency
                                          : lane.job->at(&Job::Point::seconds, 0));
        break;
    default: /* a lock is requested with the first access */
        break;
    }
}
