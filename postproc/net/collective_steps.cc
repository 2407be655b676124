/*
 * collective_steps.cc - what a collective of two processes takes beyond the messages, copies and sums that
 * are replayed of it: other algorithms, buffers that are taken and given back, the library's own work. Each
 * step of one of more processes takes as much more as a step of that.
 */
#include "postproc/net/replay.hh"

namespace {

using Point = Job::Point;

/* What was measured, if it was, without what is REPLAYED. */
double beyond(const Job &job, double Point::*what, uint64_t size, double replayed)
{
    double known = job.at(what, size);
    return known > 0 ? known - replayed : 0;
}

} // namespace

/* Those that are here have one step of two processes, with a message of all that each gives. */
double collective_step(const Job &job, const trace_event &e, uint64_t size)
{
    double alone = job.at(&Point::seconds, size), both = job.at(&Point::exchange_seconds, size);
    double sum = job.at(&Point::reduction_seconds, size);
    switch (e.mode) {
    case GPTL_TI_BARRIER:
        return beyond(job, &Point::barrier_seconds, 0, job.copying(0) + both);
    case GPTL_TI_BCAST:
        return beyond(job, &Point::bcast_seconds, size, job.copying(0) + alone);
    case GPTL_TI_REDUCE: /* the root copies before it is there for a sender that waits */
        return beyond(job, &Point::reduce_seconds, size,
                      job.copying(size > job.eager ? size : 0) + alone + sum);
    case GPTL_TI_ALLGATHER:
        return beyond(job, &Point::allgather_seconds, size, job.copying(size) + both);
    case GPTL_TI_ALLTOALL:
        return beyond(job, &Point::alltoall_seconds, size, job.copying(size) + both);
    default:
        return 0;
    }
}

/* MPICH gives the data of such a root to the first process, or its result from there, as a message more. */
double collective_root(const Job &job, const trace_event &e)
{
    bool adds = e.mode == GPTL_TI_REDUCE;
    return beyond(job, adds ? &Point::reduce_back_seconds : &Point::bcast_back_seconds, e.bytes,
                  job.at(adds ? &Point::reduce_seconds : &Point::bcast_seconds, e.bytes));
}
