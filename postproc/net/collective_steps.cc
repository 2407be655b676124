/*
 * collective_steps.cc - what a collective of two processes takes beyond the messages, copies and sums that
 * are replayed of it: other algorithms, buffers that are taken and given back, the library's own work. Each
 * step of one of more processes takes as much more as a step of that.
 */
#include "postproc/net/replay.hh"

namespace {

using Point = Job::Point;

/* What was measured of a collective, by the size of a step; and of the non-blocking one, if that was. */
struct Measured {
    double Point::*what;
    double Point::*posted = nullptr;
};

/* That, if it was measured, without what is REPLAYED. */
Step beyond(const Job &job, const trace_event &e, const Measured &measured, uint64_t size,
            double replayed)
{
    double posted = e.posted && measured.posted ? job.at(measured.posted, size) : 0;
    double known = posted > 0 ? posted : job.at(measured.what, size);
    return {known > 0 ? known - replayed : 0};
}

/*
 * One that halves has two steps, of half of what each gives. Some of a posted one takes no processor: where the sum
 * comes from the first rank, say, as the ranks wait for each other in turn.
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
 * All but an allreduce are one message of two processes: of so many bytes, with as many that a rank copies, or twice
 * as many.
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
    case GPTL_TI_GATHER: /* the root copies while another process is not yet there */
        return beyond(job, e, {&Point::gather_seconds}, size, job.copying(0) + alone);
    case GPTL_TI_SCATTER:
        return beyond(job, e, {&Point::scatter_seconds}, size, own + alone);
    case GPTL_TI_REDUCE: /* the root copies before it is there for a sender that waits */
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

/* MPICH gives the data of such a root to the first process, or its result from there, as a message more. */
double collective_root(const Job &job, const trace_event &e)
{
    bool adds = e.mode == GPTL_TI_REDUCE;
    return beyond(job, e, {adds ? &Point::reduce_back_seconds : &Point::bcast_back_seconds},
                  e.bytes, job.at(adds ? &Point::reduce_seconds : &Point::bcast_seconds, e.bytes))
        .own;
}
