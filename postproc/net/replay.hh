/* replay.hh - the objects of a replay: ranks, their threads, messages and collectives. */
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

/* Start an actor on host THERE. SimGrid 4 moved the function and deprecates the old one. */
template <class Code> void begin_actor(const char *name, simgrid::s4u::Host *there, Code code)
{
#if SIMGRID_VERSION_MAJOR >= 4
    simgrid::s4u::Engine::get_instance()->add_actor(name, there, std::move(code));
#else
    simgrid::s4u::Actor::create(name, there, std::move(code));
#endif
}

/* Messages sent but not received yet, or receives without a message. */
struct Box {
    enum Side { SENT, AWAITED } side = SENT;
    std::deque<std::shared_ptr<struct Transfer>> queue;
};

/* A message in transit, shared by both ends. */
struct Transfer : std::enable_shared_from_this<Transfer> {
    Job *job = nullptr;
    int from = 0, to = 0;
    uint64_t bytes = 0;
    bool waits = false; /* the sender waits for the receiver (rendezvous) */
    /*
     * By Box::Side: the sender or receiver overlaps this message with other work, i.e. it is
     * nonblocking or part of an exchange.
     */
    bool beside[2] = {};
    bool answered = false;       /* synchronous: the receiver acknowledges the message */
    uint64_t reused = 0;         /* bytes of the receive buffer that were sent from it */
    double beyond = 0;           /* receiver's additional seconds in a collective */
    double due_at = 0;           /* earliest arrival in a stream */
    double there_at = 0;         /* completion time */
    trace_pieces pieces[2] = {}; /* layout of the data, by Box::Side */
    bool ready = false, starting = false, started = false, done = false;
    bool fetching = false, fetched = false; /* copied by the receiver, for which the sender waits */
    simgrid::s4u::CommPtr comm;
    std::vector<Lane *> waiting; /* lanes waiting for the start, or for the copy */
    bool is_fetched() const;
    bool is_exchanged() const { return beside[Box::SENT] && beside[Box::AWAITED]; }
    /* Return the seconds until a waiting sender learns of the completion. */
    double returning() const;
    void start(bool is_ready);

private:
    void wake_all();
    void fetch();
};

/* Matching key of messages: the N-th sent message matches the N-th receive. */
struct Key {
    int from, to, tag;
    uint64_t comm, collective; /* number of the collective; 0: none */
    bool once;                 /* used only once */
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

/* A background activity: a collective, or a one-sided access. */
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

/* A rank's accesses in progress in a window, and the ranks of its epochs. */
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
    double ended = 0, computed = 0, other = 0; /* computed: of the thread that computes longest */
    uint64_t never = 0, unknown = 0;           /* omitted receives and calls */
    int inside = 0;                            /* threads currently in MPI */
    double free_at = 0;                        /* end of MPI's pending work */
    double received_at = -1;                   /* end of the last receive */
    double gave_at = -1;                       /* end of the last send */
    int gave_to = -1;                          /* receiver of the last send */
    double due_at = 0;                         /* arrival of the last send */
    std::vector<simgrid::s4u::SemaphorePtr> until_inside;
    std::unordered_map<uint64_t, Request> requests;
    std::unordered_map<int, uint64_t> posted_from; /* number of receives posted by source */
    std::unordered_map<uint64_t, Lane *>
        awaited; /* lanes waiting for another thread to post the request */
    std::unordered_set<Key, KeyHash> probed;
    std::unordered_map<uint64_t, uint64_t> collectives; /* number of collectives by communicator */
    std::unordered_map<uint64_t, Window> windows;

    Rank(const struct trace *t, int n) : recorded(t), number(n) {}
    void post(uint64_t which, const Request &request);
    void enter();
    void leave();
    /* Wait until one of the rank's threads is in MPI: background activities progress only then. */
    void wait_inside();
    /* Add SECONDS of work within MPI after pending work. */
    void spend(double seconds);
    /* Charge the work of sending and of receiving TRANSFER. */
    void give(Transfer &transfer);
    void get(const Transfer &transfer);
};

/* A thread of a rank, or a background activity on its behalf. */
struct Lane {
    Job *const job;
    Rank *const rank;
    const size_t thread;
    const double *const factors; /* factors of its regions, or null */
    const size_t nfactors;
    simgrid::s4u::SemaphorePtr wake;
    double pending = 0;  /* seconds left to compute */
    double computed = 0; /* seconds computed so far */
    uint64_t events = 0;
    trace_event now = {};
    bool over = false;
    simgrid::s4u::SemaphorePtr
        begun; /* signals that a background activity has progressed as far as possible */

    Lane(Job *j, Rank *r, size_t t, const double *own)
        : job(j), rank(r), thread(t), factors(own), nfactors(r->recorded->thread[t].nregions)
    {
    }
    void run();
    /* Wait until TRANSFER is complete for the end on SIDE. */
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
    std::vector<simgrid::s4u::Host *> host; /* by rank */
    uint64_t eager = 0;
    double latency = 0, bandwidth = 1, speed = 1;
    struct Point {
        uint64_t bytes;
#define PART(name, kind) double name;
#include "postproc/machine/message.def"
#undef PART
    };
    std::vector<Point> points;   /* message times by size; empty: linear model */
    uint64_t pieced = 0;         /* largest noncontiguous size that was measured */
    std::vector<double> factors; /* factors of computing time, by region */
    std::unordered_map<Key, Box, KeyHash> boxes;

    /* Return a column of the points, interpolated; 0 without points. */
    double at(double Point::*what, uint64_t bytes) const;
    uint64_t effective(uint64_t bytes) const;
    /*
     * Return the receiver's work as measured, limited because the network takes part of the total
     * time.
     */
    double receiving(uint64_t bytes) const
    {
        double own = at(&Point::receive_seconds, bytes);
        double most = at(&Point::seconds, bytes) - latency;
        return own < most ? own : most > 0 ? most : 0;
    }
    /* Return the additional time of an exchange over its replay; may be negative. */
    double exchanging_more(uint64_t bytes) const
    {
        double exchange = at(&Point::exchange_seconds, bytes), alone = at(&Point::seconds, bytes);
        double both = at(&Point::send_seconds, bytes) + receiving(bytes);
        return exchange > 0 ? exchange - std::max(both, alone) : 0;
    }
    /* Return the additional time of a synchronous message: its acknowledgment. */
    double answering(uint64_t bytes) const
    {
        double all = at(&Point::synchronous_seconds, bytes), usual = at(&Point::seconds, bytes);
        return all > usual ? all - usual : 0;
    }
    /* Return a rank's work in an exchange once the incoming message has arrived. */
    double exchanging(uint64_t bytes) const
    {
        return at(&Point::send_seconds, bytes) +
               std::max(receiving(bytes) + exchanging_more(bytes), 0.0);
    }
    /* Return the time of calling a collective with BYTES of own data. */
    double copying(uint64_t bytes) const
    {
        return at(&Point::own_seconds, bytes > 0 ? bytes : 1);
    }
    /*
     * Return the time to touch memory that stays allocated for the first time: proportional to the
     * largest measurement, in which mapping and unmapping are negligible.
     */
    double touching(uint64_t bytes) const
    {
        uint64_t most = points.empty() ? 0 : points.back().bytes;
        double all = at(&Point::renew_seconds, most);
        return most > 0 ? all * static_cast<double>(bytes) / static_cast<double>(most) : 0;
    }
    /*
     * Return the additional time of writing lines that another process's cache holds, because it
     * has copied them.
     */
    double writing_again(const Transfer &transfer) const;
    /*
     * Return the message of KEY that this end on SIDE, with layout PIECES, belongs to; if it WAITS,
     * the transfer starts when both ends are present.
     */
    std::shared_ptr<Transfer> match(const Key &key, Box::Side side, uint64_t bytes, bool waits,
                                    const trace_pieces &pieces = {});
    /* Noncontiguous data (pieces.cc): work of an eager sender beforehand, and of the receiver. */
    void know_pieces();
    double packing(uint64_t bytes, const trace_pieces &pieces) const;
    double unpacking(const Transfer &transfer) const;
};

/*
 * Run the collective or neighborhood call of LANE's rank, immediately or in the background:
 * collectives.cc.
 */
void begin_collective(Lane &lane, const trace_event &e, const trace_comm *comm);
/* Additional seconds of a step of E with a message of SIZE: collective_steps.cc. */
struct Step {
    double own = 0; /* the rank's own work */
    /*
     * Total, part of which is waiting; a rank may compute meanwhile in a nonblocking collective; 0:
     * none.
     */
    double least = 0;
};
Step collective_step(const Job &job, const trace_event &e, uint64_t size);
/* Return the additional seconds of the root of E if it is not the first process. */
double collective_root(const Job &job, const trace_event &e);
/* One-sided communication and its synchronization: onesided.cc. */
void begin_access(Lane &lane, const trace_event &e, const trace_comm *window);
void pass_epoch(Lane &lane, const trace_event &e, const trace_comm *window);

#endif
