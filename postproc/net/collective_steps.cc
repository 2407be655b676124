/*
 * collective_steps.cc - time of a collective of two processes beyond its replayed messages, copies
 * and sums: other algorithms, allocated and released buffers, the library's own work. The time is
 * added to each step of a collective of more processes.
 */
#include "postproc/net/replay.hh"

namespace {

using Point = Job::Point;

/*
 * Measured times of a collective by the size of a step, and of its nonblocking variant if measured.
 */
struct Measured {
    double Point::*what;
    double Point::*posted = nullptr;
};

/* Return the measured time less REPLAYED, or nothing if it was not measured. */
Step beyond(const Job &job, const trace_event &e, const Measured &measured, uint64_t size,
            double replayed)
{
    double posted = e.posted && measured.posted ? job.at(measured.posted, size) : 0;
    double known = posted > 0 ? posted : job.at(measured.what, size);
    return {known > 0 ? known - replayed : 0};
}

/*
 * Return the step of an allreduce. The halving algorithm has two steps, each with half of the data.
 * Part of a nonblocking allreduce does not need the processor, for example while ranks wait for
 * each other in turn.
 */
Step allreduce_step(const Job &job, const trace_event &e, uint64_t size)
{
    int steps = size < e.bytes ? 2 : 1;
    uint64_t all = size * static_cast<uint64_t>(steps);
    double alone = job.copying(all) + job.at(&Point::reduction_seconds, size);
    double both = job.at(&Point::exchange_seconds, size), replayed = alone + steps * both;
    double more =
        beyond(job, e, {&Point::allreduce_seconds, &Point::iallreduce_seconds}, all, replayed).own /
        steps;
    double busy = e.posted ? job.at(&Point::iallreduce_busy_seconds, all) : 0;
    double own = (busy - alone) / steps - job.exchanging(size);
    return busy > 0 && own < more ? Step{own, both + more} : Step{more};
}

} // namespace

/*
 * Return the step of a collective. All except allreduce consist of one message between two
 * processes, and a copy of the same size or twice the size.
 */
Step collective_step(const Job &job, const trace_event &e, uint64_t size)
{
    double alone = job.at(&Point::seconds, size), both = job.at(&Point::exchange_seconds, size);
    double sum = job.at(&Point::reduction_seconds, size), own = job.copying(size);
    if (e.what != GPTL_TI_COLLECTIVE)
        return {};
    switch (e.mode) {
    case GPTL_TI_BARRIER:
        return beyond(job, e, {&Point::barrier_seconds, &Point::ibarrier_seconds}, 0,
                      job.copying(0) + both);
    case GPTL_TI_BCAST:
        return beyond(job, e, {&Point::bcast_seconds, &Point::ibcast_seconds}, size,
                      job.copying(0) + alone);
    case GPTL_TI_GATHER: /* the root copies before the other process arrives */
        return beyond(job, e, {&Point::gather_seconds}, size, job.copying(0) + alone);
    case GPTL_TI_SCATTER:
        return beyond(job, e, {&Point::scatter_seconds}, size, own + alone);
    case GPTL_TI_REDUCE: /* the root copies before it serves a waiting sender */
        return beyond(job, e, {&Point::reduce_seconds, &Point::ireduce_seconds}, size,
                      job.copying(size > job.eager ? size : 0) + alone + sum);
    case GPTL_TI_ALLGATHER:
        return beyond(job, e, {&Point::allgather_seconds, &Point::iallgather_seconds}, size,
                      own + both);
    case GPTL_TI_ALLGATHERV:
        return beyond(job, e, {&Point::allgatherv_seconds, &Point::iallgather_seconds}, size,
                      own + both);
    case GPTL_TI_ALLTOALL:
        return beyond(job, e, {&Point::alltoall_seconds, &Point::ialltoall_seconds}, size,
                      own + both);
    case GPTL_TI_ALLTOALLV:
    case GPTL_TI_ALLTOALLW:
        return beyond(job, e, {&Point::alltoallv_seconds, &Point::ialltoall_seconds}, size,
                      own + both);
    case GPTL_TI_ALLREDUCE:
        return allreduce_step(job, e, size);
    case GPTL_TI_REDUCE_SCATTER:
        return beyond(job, e, {&Point::reduce_scatter_seconds}, size,
                      job.copying(2 * size) + both + sum);
    case GPTL_TI_REDUCE_SCATTER_BLOCK:
        return beyond(job, e, {&Point::reduce_scatter_block_seconds}, size, own + both + sum);
    case GPTL_TI_SCAN:
        return beyond(job, e, {&Point::scan_seconds}, size, own + both + sum);
    case GPTL_TI_EXSCAN:
        return beyond(job, e, {&Point::exscan_seconds}, size, own + both + sum);
    default:
        return {};
    }
}

/*
 * Return the additional time of a root other than rank 0: MPICH transfers its data to the first
 * process, or the result from there, in an additional message.
 */
double collective_root(const Job &job, const trace_event &e)
{
    bool adds = e.mode == GPTL_TI_REDUCE;
    return beyond(job, e, {adds ? &Point::reduce_back_seconds : &Point::bcast_back_seconds},
                  e.bytes, job.at(adds ? &Point::reduce_seconds : &Point::bcast_seconds, e.bytes))
        .own;
}
