/*
 * collectives.cc - collectives as messages: the algorithms of MPI libraries, selected by size as in
 * MPICH. man/gptl-net.1 lists them. Copies and sums of a process take the time in the machine's
 * profile, if known.
 */
#include <memory>
#include <vector>

#include "postproc/net/replay.hh"

namespace s4 = simgrid::s4u;

namespace {

/* Size limits in bytes up to which the first of two algorithms is used. */
enum : uint64_t {
    SHORT_BCAST = 12288,
    SHORT_REDUCE = 2048,
    SHORT_ALLGATHER = 81920,
    SHORT_ALLTOALL = 256,
    SHORT_REDUCE_SCATTER = 524288,
};
enum { FEW = 8 };

/*
 * One process in one collective. Ranks are relative to the communicator; "shifted" ranks are
 * relative to the root.
 */
class Part {
public:
    Part(Job *j, Rank *r, const trace_event &event, const trace_comm *c)
        : job(j), rank(r), e(event), comm(c), n(static_cast<int>(c->n)), lane(j, r, 0, nullptr)
    {
        number = ++r->collectives[c->name];
        for (int i = 0; i < n; i++)
            if (c->member[i] == r->number)
                me = i;
        const unsigned char *list = e.list;
        if (e.what == GPTL_TI_COLLECTIVE)
            for (uint64_t i = 0; i < e.n; i++)
                each.push_back(trace_number(&list, e.end));
        else
            read_neighbors();
    }
    /* Run in the background; returns when the collective waits for another process. */
    void begin(const std::shared_ptr<Part> &self, const std::shared_ptr<Background> &collective)
    {
        lane.begun = s4::Semaphore::create(0);
        begin_actor("collective", s4::this_actor::get_host(), [self, collective] {
            self->run();
            collective->end();
            self->lane.begun->release();
        });
        lane.begun->acquire();
    }
    void run()
    {
        lane.wake = s4::Semaphore::create(0);
        if (e.what == GPTL_TI_NEIGHBORS)
            exchange_all(to, bytes, from);
        else if (me >= 0 && n > 1)
            collective();
    }

private:
    using List = std::vector<std::pair<int, uint64_t>>; /* ranks and bytes */
    Job *const job;
    Rank *const rank;
    const trace_event e;
    const trace_comm *const comm;
    const int n;
    Lane lane;
    int me = -1;
    uint64_t number, renewed = 0;
    std::vector<uint64_t> each;
    std::vector<int> to, from; /* world ranks of neighbors */
    std::vector<uint64_t> bytes;

    void read_neighbors()
    {
        const unsigned char *list = e.list;
        for (uint64_t i = 0; i < e.n; i++) {
            to.push_back(world(trace_number(&list, e.end)));
            bytes.push_back(trace_number(&list, e.end));
        }
        for (uint64_t i = trace_number(&list, e.end); i > 0; i--)
            from.push_back(world(trace_number(&list, e.end)));
    }
    int world(uint64_t number_given) const
    {
        return number_given < job->ranks.size() ? static_cast<int>(number_given) : rank->number;
    }

    /* -- Messages -- */

    Step step(uint64_t size) const { return collective_step(*job, e, size); }
    std::shared_ptr<Transfer> give(int peer, uint64_t size, bool beside)
    {
        renew();
        auto transfer = job->match({rank->number, peer, 0, comm->name, number, true}, Box::SENT,
                                   size, size > job->eager);
        transfer->beside[Box::SENT] = beside;
        rank->give(*transfer);
        return transfer;
    }
    std::shared_ptr<Transfer> take(int peer, const Step &step)
    {
        auto transfer =
            job->match({peer, rank->number, 0, comm->name, number, true}, Box::AWAITED, 0, false);
        transfer->beyond = step.own;
        transfer->reused = comes_back() ? 0 : e.reused;
        return transfer;
    }
    void send(int peer, uint64_t size)
    {
        auto transfer = give(comm->member[peer], size, false);
        if (size > job->eager)
            lane.finish(transfer, Box::SENT);
    }
    void receive(int peer, uint64_t size)
    {
        lane.finish(take(comm->member[peer], step(size)), Box::AWAITED);
        renew();
    }
    void exchange(int peer_to, uint64_t size, int peer_from)
    {
        Step own = step(size);
        double least = s4::Engine::get_clock() + own.least;
        auto out = give(comm->member[peer_to], size, true);
        auto in = take(comm->member[peer_from], own);
        in->beside[Box::AWAITED] = true;
        lane.finish(in, Box::AWAITED);
        if (size > job->eager)
            lane.finish(out, Box::SENT);
        s4::this_actor::sleep_until(least);
    }
    void exchange_all(const std::vector<int> &to_all, const std::vector<uint64_t> &sizes,
                      const std::vector<int> &from_all)
    {
        std::vector<std::shared_ptr<Transfer>> incoming, outgoing;
        for (size_t i = 0; i < from_all.size(); i++) {
            incoming.push_back(take(from_all[i], step(i < sizes.size() ? sizes[i] : 0)));
            incoming.back()->beside[Box::AWAITED] = true;
        }
        for (size_t i = 0; i < to_all.size(); i++) {
            auto out = give(to_all[i], sizes[i], true);
            if (sizes[i] > job->eager)
                outgoing.push_back(out);
        }
        for (const auto &transfer : incoming)
            lane.finish(transfer, Box::AWAITED);
        for (const auto &transfer : outgoing)
            lane.finish(transfer, Box::SENT);
    }

    /* -- A process's own work -- */

    /* Charge newly allocated memory, before the process sends anything or as data arrives. */
    void renew()
    {
        if (renewed > 0)
            rank->spend(trace_gives_back(rank->recorded, &e)
                            ? job->at(&Job::Point::renew_seconds, renewed)
                            : job->touching(renewed));
        renewed = 0;
    }
    void copy(uint64_t size) { rank->spend(job->copying(size)); }
    void add(uint64_t size) { rank->spend(job->at(&Job::Point::reduction_seconds, size)); }
    /*
     * Return whether the root transfers its data to the first process and receives it back: that
     * process then sends from the buffer that it receives into, and the measurement includes such a
     * buffer.
     */
    bool comes_back() const
    {
        return e.mode == GPTL_TI_BCAST && root() != 0 &&
               2 * collective_root(*job, e) > job->at(&Job::Point::seconds, e.bytes);
    }
    /* Pay the additional work of a root other than the first process, as measured with two. */
    void be_root() const
    {
        if (me == root() && root() != 0)
            rank->spend(collective_root(*job, e));
    }

    /* -- Trees from a root -- */

    int root() const { return e.peer >= 0 && e.peer < n ? e.peer : 0; }
    int shifted() const { return (me - root() + n) % n; }
    int actual(int shifted_rank) const { return (shifted_rank + root()) % n; }
    /*
     * Return the number of processes in the subtree of SHIFTED, a child by MASK, including itself.
     */
    int below(int shifted_rank, int mask) const
    {
        return shifted_rank + mask <= n ? mask : n - shifted_rank;
    }

    /* Pass data down the tree; a child gets SIZE, or SIZE per process of its subtree if SPLIT. */
    void down(uint64_t size, bool split)
    {
        int own = shifted(), mask = 1;
        for (; mask < n; mask <<= 1)
            if (own & mask) {
                receive(actual(own - mask),
                        split ? size * static_cast<uint64_t>(below(own, mask)) : size);
                break;
            }
        for (mask >>= 1; mask > 0; mask >>= 1)
            if (own + mask < n)
                send(actual(own + mask),
                     split ? size * static_cast<uint64_t>(below(own + mask, mask)) : size);
    }
    /*
     * Pass data up the tree; received data is added to the process's own if ADDS, otherwise stored
     * next to it.
     */
    void up(uint64_t size, bool split, bool adds)
    {
        int own = shifted();
        for (int mask = 1; mask < n; mask <<= 1) {
            if (own & mask) {
                send(actual(own - mask),
                     split ? size * static_cast<uint64_t>(below(own, mask)) : size);
                break;
            }
            if (own + mask < n) {
                receive(actual(own + mask),
                        split ? size * static_cast<uint64_t>(below(own + mask, mask)) : size);
                if (adds)
                    add(size);
            }
        }
    }

    /* -- All to all -- */

    void ring(const std::vector<uint64_t> &sizes)
    {
        int next = (me + 1) % n, before = (me + n - 1) % n;
        for (int step = 0; step < n - 1; step++)
            exchange(next, sizes[static_cast<size_t>((me - step + n) % n)], before);
    }
    std::vector<uint64_t> all(uint64_t size) const
    {
        return std::vector<uint64_t>(static_cast<size_t>(n), size);
    }
    /* Bruck's algorithm: the collected blocks are passed on, twice as far in each step. */
    void bruck(uint64_t size)
    {
        for (int far = 1; far < n; far <<= 1) {
            int blocks = far < n - far ? far : n - far;
            exchange((me - far + n) % n, size * static_cast<uint64_t>(blocks), (me + far) % n);
        }
    }
    void dissemination()
    {
        for (int far = 1; far < n; far <<= 1)
            exchange((me + far) % n, 0, (me - far + n) % n);
    }
    void allgather(uint64_t size)
    {
        if (size * static_cast<uint64_t>(n) <= SHORT_ALLGATHER)
            bruck(size);
        else
            ring(all(size));
    }
    void bcast(uint64_t size)
    {
        if (size <= SHORT_BCAST || n < FEW) {
            down(size, false);
            return;
        }
        uint64_t part = (size + static_cast<uint64_t>(n) - 1) / static_cast<uint64_t>(n);
        down(part, true);
        ring(all(part));
    }
    void alltoall(uint64_t size)
    {
        if (size <= SHORT_ALLTOALL && n >= FEW) {
            for (int far = 1; far < n; far <<= 1) {
                uint64_t blocks = 0;
                for (int i = 1; i < n; i++)
                    blocks += (i & far) != 0;
                exchange((me + far) % n, size * blocks, (me - far + n) % n);
            }
            return;
        }
        for (int step = 1; step < n; step++)
            exchange((me + step) % n, size, (me - step + n) % n);
    }
    void alltoallv()
    {
        std::vector<int> peers;
        std::vector<uint64_t> sizes;
        std::vector<int> sources;
        for (int step = 1; step < n; step++) {
            int peer = (me + step) % n;
            peers.push_back(comm->member[peer]);
            sizes.push_back(of(peer));
            sources.push_back(comm->member[(me - step + n) % n]);
        }
        exchange_all(peers, sizes, sources);
    }
    uint64_t of(int peer) const
    {
        return static_cast<size_t>(peer) < each.size() ? each[static_cast<size_t>(peer)] : 0;
    }

    /*
     * -- Reductions among a power of two processes, to which the others send their data beforehand
     * --
     */

    int power() const
    {
        int p = 1;
        while (2 * p <= n)
            p *= 2;
        return p;
    }
    /*
     * Fold to a power of two. Returns the number among the remaining processes, or -1 after sending
     * the data.
     */
    int fold(uint64_t size)
    {
        int rest = n - power();
        if (me >= 2 * rest)
            return me - rest;
        if (me % 2 == 0) {
            send(me + 1, size);
            return -1;
        }
        receive(me - 1, size);
        add(size);
        return me / 2;
    }
    int unfolded(int own) const
    {
        int rest = n - power();
        return own < rest ? 2 * own + 1 : own + rest;
    }
    /* Return the result to the folded processes. */
    void unfold(uint64_t size)
    {
        int rest = n - power();
        if (me >= 2 * rest)
            return;
        if (me % 2 == 0)
            receive(me + 1, size);
        else
            send(me - 1, size);
    }
    void doubling(uint64_t size)
    {
        int own = fold(size);
        for (int mask = 1; own >= 0 && mask < power(); mask <<= 1) {
            int peer = unfolded(own ^ mask);
            exchange(peer, size, peer);
            add(size);
        }
        unfold(size);
    }
    void halve(int own, uint64_t size)
    {
        for (int mask = power() / 2; own >= 0 && mask > 0; mask >>= 1) {
            int peer = unfolded(own ^ mask);
            exchange(peer, size = (size + 1) / 2, peer);
            add(size);
        }
    }
    void allreduce(uint64_t size)
    {
        if (size <= SHORT_REDUCE) {
            doubling(size);
            return;
        }
        int own = fold(size);
        halve(own, size);
        uint64_t part = size / static_cast<uint64_t>(power());
        for (int mask = 1; own >= 0 && mask < power(); mask <<= 1, part *= 2) {
            int peer = unfolded(own ^ mask);
            exchange(peer, part, peer);
        }
        unfold(size);
    }
    void reduce_scatter(uint64_t total, bool equal)
    {
        if (total <= SHORT_REDUCE_SCATTER) {
            int own = fold(total);
            halve(own, total);
            unfold(equal ? total / static_cast<uint64_t>(n) : of(me % 2 ? me - 1 : me));
            return;
        }
        for (int step = 1; step < n; step++) {
            int peer = (me + step) % n;
            exchange(peer, equal ? total / static_cast<uint64_t>(n) : of(peer),
                     (me - step + n) % n);
            add(equal ? total / static_cast<uint64_t>(n) : of(me));
        }
    }
    /* In the usual implementation, partners exchange their parts in both directions. */
    void scan(uint64_t size)
    {
        for (int mask = 1; mask < n; mask <<= 1)
            if ((me ^ mask) < n) {
                exchange(me ^ mask, size, me ^ mask);
                add(size);
            }
    }

    /* -- Selection -- */

    void collective()
    {
        uint64_t total = 0;
        for (uint64_t one : each)
            total += one;
        each.resize(static_cast<size_t>(n));
        renewed = e.renewed;
        copy_own(total);
        switch (e.mode) {
        case GPTL_TI_BARRIER:
            dissemination();
            break;
        case GPTL_TI_BCAST:
            be_root();
            bcast(e.bytes);
            break;
        case GPTL_TI_GATHER:
            up(e.bytes, true, false);
            break;
        case GPTL_TI_GATHERV:
            linear(true);
            break;
        case GPTL_TI_SCATTER:
            down(e.bytes, true);
            break;
        case GPTL_TI_SCATTERV:
            linear(false);
            break;
        case GPTL_TI_ALLGATHER:
            allgather(e.bytes);
            break;
        case GPTL_TI_ALLGATHERV:
            ring(each);
            break;
        case GPTL_TI_ALLTOALL:
            alltoall(e.bytes);
            break;
        case GPTL_TI_ALLTOALLV:
        case GPTL_TI_ALLTOALLW:
            alltoallv();
            break;
        case GPTL_TI_REDUCE:
            up(e.bytes, false, true);
            be_root();
            break;
        case GPTL_TI_ALLREDUCE:
            allreduce(e.bytes);
            break;
        case GPTL_TI_REDUCE_SCATTER:
            reduce_scatter(total, false);
            break;
        case GPTL_TI_REDUCE_SCATTER_BLOCK:
            reduce_scatter(e.bytes * static_cast<uint64_t>(n), true);
            break;
        case GPTL_TI_SCAN:
        case GPTL_TI_EXSCAN:
            scan(e.bytes);
            break;
        case GPTL_TI_AGREE:
            bruck(8);
            break;
        default:
            break;
        }
        renew();
    }
    /* Copy between the caller's buffers: the process's own part, or the start of a sum. */
    void copy_own(uint64_t total)
    {
        bool at_root = e.mode == GPTL_TI_GATHER || e.mode == GPTL_TI_GATHERV ||
                       e.mode == GPTL_TI_SCATTER || e.mode == GPTL_TI_SCATTERV ||
                       e.mode == GPTL_TI_REDUCE;
        if (e.mode == GPTL_TI_AGREE)
            return;
        if (e.mode == GPTL_TI_BARRIER || e.mode == GPTL_TI_BCAST || (at_root && me != root()))
            copy(0); /* the call takes time in any case */
        else
            copy(e.mode == GPTL_TI_REDUCE_SCATTER ? total : of(me) > 0 ? of(me) : e.bytes);
    }
    void linear(bool gathers)
    {
        std::vector<int> others;
        std::vector<uint64_t> sizes;
        for (int i = 0; i < n; i++)
            if (i != root()) {
                others.push_back(comm->member[i]);
                sizes.push_back(of(i));
            }
        if (me == root())
            exchange_all(gathers ? std::vector<int>() : others, sizes,
                         gathers ? others : std::vector<int>());
        else if (gathers)
            send(root(), e.bytes);
        else
            receive(root(), e.bytes);
    }
};

} // namespace

void begin_collective(Lane &lane, const trace_event &e, const trace_comm *comm)
{
    for (uint32_t i = 0; i < comm->n; i++)
        if (comm->member[i] < 0) {
            lane.rank->unknown++;
            return;
        }
    auto part = std::make_shared<Part>(lane.job, lane.rank, e, comm);
    if (!e.posted) {
        part->run();
        return;
    }
    auto collective = std::make_shared<Background>();
    lane.rank->post(e.request, {nullptr, Box::SENT, collective});
    part->begin(part, collective);
}
