/* replay.hh - what a replay is made of: ranks, their threads, messages and collectives. */
#ifndef GPTL_NET_REPLAY_HH
#define GPTL_NET_REPLAY_HH

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>
#include <unistd.h>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "postproc/net/trace.h"

struct Lane;
struct Job;

/* Begins what runs beside the caller, there. SimGrid 4 has it elsewhere and warns of the older one. */
template <class Code> void begin_actor(const char *name, simgrid::s4u::Host *there, Code code)
{
#if SIMGRID_VERSION_MAJOR >= 4
    simgrid::s4u::Engine::get_instance()->add_actor(name, there, std::move(code));
#else
    simgrid::s4u::Actor::create(name, there, std::move(code));
#endif
}

/* Those that were sent and not received, or the other way round. */
struct Box {
    enum Side { SENT, AWAITED } side = SENT;
    std::deque<std::shared_ptr<struct Transfer>> queue;
};

/* A message on its way, for both its ends. */
struct Transfer : std::enable_shared_from_this<Transfer> {
    Job *job = nullptr;
    int from = 0, to = 0;
    uint64_t bytes = 0;
    bool waits = false; /* its sender, until the receiver is there */
    /* By Box::Side, who sends or gets it does something else besides: posts it, or gets or sends one as well. */
    bool beside[2] = {};
    bool answered = false;       /* synchronous: its receiver tells its sender that it is there */
    uint64_t reused = 0;         /* bytes of where it goes that were given from there */
    double beyond = 0;           /* seconds of its receiver's, in a collective */
    double due_at = 0;           /* it is not there before, in a stream */
    double there_at = 0;         /* the time at which it was done */
    trace_pieces pieces[2] = {}; /* that its data lies in, by Box::Side */
    bool ready = false, starting = false, started = false, done = false;
    bool fetching = false, fetched = false; /* by the receiver: its sender waits for that as well */
    simgrid::s4u::CommPtr comm;
    std::vector<Lane *> waiting; /* until it starts, or is fetched */
    bool is_fetched() const;
    bool is_exchanged() const { return beside[Box::SENT] && beside[Box::AWAITED]; }
    /* Until its sender, who waits for that, knows that it is done: seconds from now on. */
    double returning() const;
    void start(bool is_ready);

private:
    void wake_all();
    void fetch();
};

/* What messages of one kind have in common: the N-th that is sent is the N-th that is received. */
struct Key {
    int from, to, tag;
    uint64_t comm, collective; /* which one, in its order; 0: none */
    bool once;                 /* there will be no more of this kind */
    bool operator==(const Key &o) const
    {
        return from == o.from && to == o.to && tag == o.tag && comm == o.comm &&
               collective == o.collective;
    }
};
struct KeyHash {
    size_t operator()(const Key &k) const
    {
        uint64_t h = k.comm;
        for (uint64_t word : {static_cast<uint64_t>(static_cast<uint32_t>(k.from)) << 32 |
                                  static_cast<uint32_t>(k.to),
                              static_cast<uint64_t>(static_cast<uint32_t>(k.tag)), k.collective})
            h = (h ^ word) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
        return static_cast<size_t>(h);
    }
};

/* What goes on in the background: a collective, or an access to another process's memory. */
struct Background {
    bool done = false;
    std::vector<Lane *> waiting;
    void end();
};

struct Request {
    std::shared_ptr<Transfer> transfer;
    Box::Side side;
    std::shared_ptr<Background> background;
};

/* What a rank has begun in a window, and those it has opened it for. */
struct Window {
    struct Access {
        int target;
        std::shared_ptr<Background> way;
    };
    std::vector<Access> open;
    std::vector<int> accessed, exposed;
};

struct Rank {
    const struct trace *const recorded;
    const int number;
    double ended = 0, computed = 0, other = 0; /* computed: by the thread that does the longest */
    uint64_t never = 0, unknown = 0; /* receives, and calls, that are left out */
    int inside = 0;                  /* threads that are in MPI */
    double free_at = 0;              /* when it has done what MPI has to do */
    double received_at = -1;         /* when it has had the last message */
    double gave_at = -1;             /* when it has sent the last one, … */
    int gave_to = -1;                /* … to whom, … */
    double due_at = 0;               /* … and when that is there */
    std::vector<simgrid::s4u::SemaphorePtr> until_inside;
    std::unordered_map<uint64_t, Request> requests;
    std::unordered_map<int, uint64_t> posted_from; /* how many it has posted from whom */
    std::unordered_map<uint64_t, Lane *>
        awaited; /* by those who wait until another thread posts one */
    std::unordered_set<Key, KeyHash> probed;
    std::unordered_map<uint64_t, uint64_t> collectives; /* how many on each communicator */
    std::unordered_map<uint64_t, Window> windows;

    Rank(const struct trace *t, int n) : recorded(t), number(n) {}
    void post(uint64_t which, const Request &request);
    void enter();
    void leave();
    /* Until one of its threads is in MPI: only then it does anything for what goes on in the background. */
    void wait_inside();
    /* Has it do what takes SECONDS within MPI, after what it does already. */
    void spend(double seconds);
    /* What it has to do to send TRANSFER, and to get it. */
    void give(Transfer &transfer);
    void get(const Transfer &transfer);
};

/* A thread of a rank; or what goes on for it in the background. */
struct Lane {
    Job *const job;
    Rank *const rank;
    const size_t thread;
    const double *const factors; /* of its regions, or none */
    const size_t nfactors;
    simgrid::s4u::SemaphorePtr wake;
    double pending = 0;  /* seconds to compute */
    double computed = 0; /* so far */
    uint64_t events = 0;
    trace_event now = {};
    bool over = false;
    simgrid::s4u::SemaphorePtr
        begun; /* what goes on in the background does all it can before it is posted */

    Lane(Job *j, Rank *r, size_t t, const double *own)
        : job(j), rank(r), thread(t), factors(own), nfactors(r->recorded->thread[t].nregions)
    {
    }
    void run();
    /* Until TRANSFER is over, for the end on SIDE. */
    void finish(const std::shared_ptr<Transfer> &transfer, Box::Side side);
    void finish(const std::shared_ptr<Background> &background);

private:
    void wait_for(uint64_t number);
    bool comm_of(const trace_event &e, const trace_comm **comm) const;
    void compute();
    void call(trace_event &e);
    void send(const trace_event &e, const trace_comm *comm);
    void receive(int from, int tag, const trace_event &e, const trace_comm *comm);
    void receive_posted(const trace_event &e, const trace_comm *comm);
    void probe(const trace_event &e, const trace_comm *comm);
    void exchange(const trace_event &e, const trace_comm *comm);
};

struct Job {
    std::vector<std::unique_ptr<Rank>> ranks;
    std::vector<std::unique_ptr<Lane>> lanes;
    std::vector<simgrid::s4u::Host *> host; /* of each rank */
    uint64_t eager = 0;
    double latency = 0, bandwidth = 1, speed = 1;
    struct Point {
        uint64_t bytes;
#define PART(name, kind) double name;
#include "postproc/machine/message.def"
#undef PART
    };
    std::vector<Point> points;   /* what messages take, by their size; none: a line */
    uint64_t pieced = 0;         /* the largest one that was measured in pieces */
    std::vector<double> factors; /* what computation takes, by region */
    std::unordered_map<Key, Box, KeyHash> boxes;

    /* A column of the points; 0 without them. */
    double at(double Point::*what, uint64_t bytes) const;
    uint64_t effective(uint64_t bytes) const;
    /* What the receiver has to do: as measured, but what is between takes some of what it takes in all. */
    double receiving(uint64_t bytes) const
    {
        double own = at(&Point::receive_seconds, bytes);
        double most = at(&Point::seconds, bytes) - latency;
        return own < most ? own : most > 0 ? most : 0;
    }
    /* What an exchange of two takes longer, or less, than what is replayed of it. */
    double exchanging_more(uint64_t bytes) const
    {
        double exchange = at(&Point::exchange_seconds, bytes), alone = at(&Point::seconds, bytes);
        double both = at(&Point::send_seconds, bytes) + receiving(bytes);
        return exchange > 0 ? exchange - std::max(both, alone) : 0;
    }
    /* What a synchronous message takes longer: its answer. */
    double answering(uint64_t bytes) const
    {
        double all = at(&Point::synchronous_seconds, bytes), usual = at(&Point::seconds, bytes);
        return all > usual ? all - usual : 0;
    }
    /* What a rank does in one when what comes is there. */
    double exchanging(uint64_t bytes) const
    {
        return at(&Point::send_seconds, bytes) +
               std::max(receiving(bytes) + exchanging_more(bytes), 0.0);
    }
    /* What calling a collective takes, with a part of its own of BYTES. */
    double copying(uint64_t bytes) const
    {
        return at(&Point::own_seconds, bytes > 0 ? bytes : 1);
    }
    /*
     * Memory that is touched for the first time, and stays: in proportion to the most that was measured, of which to
     * map it and give it back is next to nothing.
     */
    double touching(uint64_t bytes) const
    {
        uint64_t most = points.empty() ? 0 : points.back().bytes;
        double all = at(&Point::renew_seconds, most);
        return most > 0 ? all * static_cast<double>(bytes) / static_cast<double>(most) : 0;
    }
    /* What it takes longer to write where another process has the lines, as it has copied from there. */
    double writing_again(const Transfer &transfer) const;
    /*
     * The message of KEY whose end on SIDE this is, where it lies in PIECES; one that
     * WAITS starts when both ends are there.
     */
    std::shared_ptr<Transfer> match(const Key &key, Box::Side side, uint64_t bytes, bool waits,
                                    const trace_pieces &pieces = {});
    /* Data in pieces: pieces.cc. What a sender that does not wait does before, and what the receiver does. */
    void know_pieces();
    double packing(uint64_t bytes, const trace_pieces &pieces) const;
    double unpacking(const Transfer &transfer) const;
};

/* What LANE's rank does in a collective or neighborhood, at once or in the background: collectives.cc. */
void begin_collective(Lane &lane, const trace_event &e, const trace_comm *comm);
/* Seconds that a step of E with a message of SIZE takes beyond that: collective_steps.cc. */
struct Step {
    double own = 0; /* that its rank has something to do for */
    /* All of it, some of which is waiting, in which a rank may compute if it was posted; 0: there is none. */
    double least = 0;
};
Step collective_step(const Job &job, const trace_event &e, uint64_t size);
/* Those that the root of E has to do besides, where it is not the first process. */
double collective_root(const Job &job, const trace_event &e);
/* One-sided communication, and what orders it: onesided.cc. */
void begin_access(Lane &lane, const trace_event &e, const trace_comm *window);
void pass_epoch(Lane &lane, const trace_event &e, const trace_comm *window);

#endif
