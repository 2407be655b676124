/*
 * simulate.cc - the simulator that `gptl net` runs: replays traces in SimGrid, with an actor for
 * each thread of a rank. Each process runs one simulation, the limit of SimGrid.
 *
 *   gptl-replay PLATFORM SETTINGS FOLDER
 *
 * replay.c defines the lines of SETTINGS and of the output.
 */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <string>

#include "postproc/net/replay.hh"

namespace s4 = simgrid::s4u;

/* ---- Requests ------------------------------------------------------------------------------ */

/* Another thread may post the request later. */
void Lane::wait_for(uint64_t number)
{
    auto found = rank->requests.find(number);
    if (found == rank->requests.end()) {
        if (rank->recorded->nthreads < 2)
            return;
        rank->awaited[number] = this;
        wake->acquire();
        found = rank->requests.find(number);
    }
    Request request = found->second;
    rank->requests.erase(found);
    if (request.transfer)
        finish(request.transfer, request.side);
    if (request.transfer && request.side == Box::AWAITED)
        rank->posted_from[request.transfer->from]--;
    if (request.background)
        finish(request.background);
}

/* ---- Events -------------------------------------------------------------------------------- */

/* Find the communicator of an event. Returns false if the trace does not define it. */
bool Lane::comm_of(const trace_event &e, const trace_comm **comm) const
{
    const trace *t = rank->recorded;
    if (e.comm >= t->ncomms || !t->comm[e.comm].member)
        return false;
    *comm = &t->comm[e.comm];
    return true;
}

void Lane::compute()
{
    double seconds = pending;
    pending = 0;
    if (seconds <= 0)
        return;
    computed += seconds;
    rank->computed = std::max(rank->computed, computed);
    s4::this_actor::sleep_for(seconds);
}

void Lane::send(const trace_event &e, const trace_comm *comm)
{
    bool waits =
        e.mode == GPTL_TI_SYNCHRONOUS || (e.mode != GPTL_TI_BUFFERED && e.bytes > job->eager);
    Key key = {rank->number, e.peer, e.tag, comm->name, 0, false};
    if (!waits)
        rank->spend(job->packing(e.bytes, e.pieces));
    auto transfer = job->match(key, Box::SENT, e.bytes, waits, e.pieces);
    transfer->answered = e.mode == GPTL_TI_SYNCHRONOUS;
    transfer->beside[Box::SENT] = e.posted || rank->posted_from[e.peer] > 0;
    rank->give(*transfer);
    if (e.posted)
        rank->post(e.request, {waits ? transfer : nullptr, Box::SENT, nullptr});
    else if (waits)
        finish(transfer, Box::SENT);
}

/* A message matched by an earlier probe has already arrived. */
void Lane::receive(int from, int tag, const trace_event &e, const trace_comm *comm)
{
    Key key = {from, rank->number, tag, comm->name, 0, false};
    std::shared_ptr<Transfer> transfer;
    if (rank->probed.erase(key) == 0) {
        transfer = job->match(key, Box::AWAITED, 0, false, e.pieces);
        transfer->beside[Box::AWAITED] = e.posted || e.what == GPTL_TI_SENDRECV;
        transfer->reused = e.reused;
    }
    if (e.posted) {
        rank->post(e.request, {transfer, Box::AWAITED, nullptr});
        rank->posted_from[from] += transfer != nullptr;
    } else if (transfer) {
        finish(transfer, Box::AWAITED);
    }
}

void Lane::receive_posted(const trace_event &e, const trace_comm *comm)
{
    const trace_found *found = e.posted ? trace_found_of(rank->recorded, e.request) : nullptr;
    if (found && found->cancelled)
        return;
    int from = found ? found->from : e.peer, tag = found ? found->tag : e.tag;
    if (from >= 0 && (found || tag != GPTL_TI_ANY))
        receive(from, tag, e, comm);
    else
        rank->never++; /* its source is unknown */
}

void Lane::probe(const trace_event &e, const trace_comm *comm)
{
    Key key = {e.peer, rank->number, e.tag, comm->name, 0, false};
    if (!rank->probed.insert(key).second)
        return;
    finish(job->match(key, Box::AWAITED, 0, false), Box::AWAITED);
}

void Lane::exchange(const trace_event &e, const trace_comm *comm)
{
    trace_event received = e;
    bool waits = e.bytes > job->eager;
    if (!waits)
        rank->spend(job->packing(e.bytes, e.pieces));
    auto out = job->match({rank->number, e.peer, e.tag, comm->name, 0, false}, Box::SENT, e.bytes,
                          waits, e.pieces);
    out->beside[Box::SENT] = true;
    received.posted = false;
    received.pieces = e.from_pieces;
    rank->give(*out);
    receive(e.from, e.from_tag, received, comm);
    if (waits)
        finish(out, Box::SENT);
}

void Lane::call(trace_event &e)
{
    const trace_comm *comm = nullptr;
    if (e.what != GPTL_TI_WAIT && e.what != GPTL_TI_OTHER && !comm_of(e, &comm)) {
        rank->unknown++;
        return;
    }
    switch (e.what) {
    case GPTL_TI_SEND:
        send(e, comm);
        break;
    case GPTL_TI_RECV:
        receive_posted(e, comm);
        break;
    case GPTL_TI_SENDRECV:
        exchange(e, comm);
        break;
    case GPTL_TI_PROBE:
        probe(e, comm);
        break;
    case GPTL_TI_WAIT: {
        if (e.n == 0)
            s4::this_actor::yield(); /* lets actors that wait for the rank continue */
        uint64_t latest = e.request;
        for (uint64_t i = 0, n = e.n; i < n; i++)
            wait_for(trace_waited(&e, &latest));
        break;
    }
    case GPTL_TI_COLLECTIVE:
    case GPTL_TI_NEIGHBORS:
        begin_collective(*this, e, comm);
        break;
    case GPTL_TI_ONESIDED:
        begin_access(*this, e, comm);
        break;
    case GPTL_TI_EPOCH:
        pass_epoch(*this, e, comm);
        break;
    case GPTL_TI_OTHER: /* takes its recorded time */
        rank->other += static_cast<double>(e.ns) * 1e-9;
        s4::this_actor::sleep_for(static_cast<double>(e.ns) * 1e-9);
        break;
    default:
        break;
    }
}

void Lane::run()
{
    trace_cursor cursor;
    trace_event e;
    wake = s4::Semaphore::create(0);
    trace_begin(&cursor, rank->recorded, thread);
    while (trace_next(&cursor, &e)) {
        if (e.what == GPTL_TI_COMPUTE) {
            double factor = factors && e.region < nfactors ? factors[e.region] : 1;
            pending += static_cast<double>(e.ns) * 1e-9 * factor / job->speed;
            continue;
        }
        if (e.what == GPTL_TI_END)
            continue;
        compute();
        now = e;
        events++;
        rank->enter();
        call(e);
        rank->leave();
    }
    compute();
    over = true;
    double clock = s4::Engine::get_clock();
    if (clock > rank->ended)
        rank->ended = clock;
}

/* ---- Job ----------------------------------------------------------------------------------- */

/* Disable SimGrid's default corrections of message times, which model one kind of network. */
static void be_neutral()
{
    static const char *const settings[] = {
        "network/model:CM02",         "network/TCP-gamma:0",      "network/weight-S:0",
        "network/bandwidth-factor:1", "network/latency-factor:1", "network/crosstraffic:0",
        "network/loopback-lat:0",     "network/loopback-bw:1e12", "contexts/stack-size:128",
    };
    for (const char *setting : settings)
        s4::Engine::set_config(setting);
}

static bool read_point(const char *line, Job::Point &p)
{
    int at = 0, used = 0;
    bool all = sscanf(line, "point %" SCNu64 "%n", &p.bytes, &at) == 1;
#define PART(name, kind)                                                                           \
    all = all && sscanf(line + at, " %lf%n", &p.name, &used) == 1;                                 \
    at += used;
#include "postproc/machine/message.def"
#undef PART
    return all;
}

static bool read_settings(const char *path, Job &job)
{
    std::ifstream file(path);
    std::string line; /* the line of a point has a thousand characters */
    while (std::getline(file, line)) {
        const char *text = line.c_str();
        double seconds;
        Job::Point p = {};
        if (read_point(text, p))
            job.points.push_back(p);
        else if (sscanf(text, "factor %lf", &seconds) == 1)
            job.factors.push_back(seconds);
        else if (sscanf(text, "eager %" SCNu64, &job.eager) != 1 &&
                 sscanf(text, "latency %lf", &job.latency) != 1 &&
                 sscanf(text, "bandwidth %lf", &job.bandwidth) != 1 &&
                 sscanf(text, "speed %lf", &job.speed) != 1)
            return false;
    }
    job.know_pieces();
    return file.eof();
}

static void tell(const Job &job)
{
    printf("time %.17g\n", s4::Engine::get_clock());
    for (const auto &rank : job.ranks)
        printf("rank %d %.17g %.17g %.17g %lu %lu\n", rank->number, rank->ended, rank->computed,
               rank->other, static_cast<unsigned long>(rank->never),
               static_cast<unsigned long>(rank->unknown));
    for (const auto &lane : job.lanes)
        if (!lane->over)
            printf("stuck %d %lu %d %d %d\n", lane->rank->number,
                   static_cast<unsigned long>(lane->events), lane->now.what, lane->now.peer,
                   lane->now.tag);
}

static void add_rank(Job &job, const trace *t, simgrid::s4u::Host *host, size_t &factor)
{
    job.host.push_back(host);
    job.ranks.push_back(std::make_unique<Rank>(t, t->rank));
    for (size_t k = 0; k < t->nthreads; k++) {
        const double *own = factor < job.factors.size() ? &job.factors[factor] : nullptr;
        factor += t->thread[k].nregions;
        job.lanes.push_back(std::make_unique<Lane>(&job, job.ranks.back().get(), k, own));
    }
}

/* Hides the messages of SimGrid, since `gptl net` reports each failure itself. Returns the former stderr. */
static FILE *hide_simgrid()
{
    int kept = fcntl(2, F_DUPFD_CLOEXEC, 3), null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    FILE *own = kept >= 0 && null >= 0 ? fdopen(kept, "w") : nullptr;
    if (!own)
        return stderr;
    setvbuf(own, nullptr, _IONBF, 0); /* SimGrid may end the process */
    dup2(null, 2);
    return own;
}

int main(int argc, char **argv)
{
    Job job;
    FILE *own = hide_simgrid();
    char why[4096];
    static char program[] = "gptl-replay", quiet[] = "--log=root.thres:error";
    char *arguments[] = {program, quiet, nullptr};
    int narguments = 2;
    trace **traces;
    size_t factor = 0;
    s4::Engine engine(&narguments, arguments);
    if (argc != 4 || !read_settings(argv[2], job)) {
        fprintf(own, "gptl-replay is run by `gptl net`\n");
        return 2;
    }
    int n = trace_open_all(argv[3], &traces, why, sizeof why);
    if (n == 0) {
        fprintf(own, "gptl net: %s\n", why);
        return 2;
    }
    be_neutral();
    engine.load_platform(argv[1]);
    std::vector<s4::Host *> hosts = engine.get_all_hosts();
    if (hosts.empty()) {
        fprintf(own, "gptl net: the platform has no host\n");
        return 2;
    }
    for (int i = 0; i < n; i++)
        add_rank(job, traces[i], hosts[static_cast<size_t>(i) % hosts.size()], factor);
    for (const auto &lane : job.lanes)
        begin_actor("rank", job.host[static_cast<size_t>(lane->rank->number)],
                    [&lane] { lane->run(); });
    engine.run();
    tell(job);
    bool told = fflush(stdout) == 0;
    _exit(told ? 0 : 2); /* skips the cleanup of blocked actors */
}
