/*
 * wtime.c - MPI_Wtime as a clock. It may be called while MPI runs only, and regions may be open before
 * and after that: then CLOCK_MONOTONIC is read, to which MPI_Wtime's zero is moved, so that both are
 * one clock.
 */
#include "config.h"

#include "mpi/wtime.h"

#include <stdatomic.h>
#include <time.h>

#include "gptl.h"

#include "mpi/wrap.h"

static atomic_bool running;
/*
 * Nanoseconds from MPI_Wtime to CLOCK_MONOTONIC, from the first reading on. The first call of all is left
 * to the program unless this clock is chosen: Open MPI has its zero there.
 */
static _Atomic int64_t shift = INT64_MIN;

static int64_t monotonic(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t wtime(void)
{
    return (int64_t)(gptl_mpi_pmpi.MPI_Wtime() * 1e9);
}

static uint64_t read_wtime(void)
{
    if (!atomic_load_explicit(&running, memory_order_acquire))
        return (uint64_t)monotonic();
    int64_t now = wtime(), known = atomic_load_explicit(&shift, memory_order_relaxed);
    if (known == INT64_MIN) {
        int64_t own = monotonic() - now;
        known = atomic_compare_exchange_strong(&shift, &known, own) ? own : known;
    }
    return (uint64_t)(now + known);
}

void gptl_mpi_offer_wtime(void)
{
    static const struct gptl_clock clock = {
        GPTLmpiwtime,
        "mpiwtime",
        "MPI_Wtime; before MPI_Init and after MPI_Finalize clock_gettime(CLOCK_MONOTONIC)",
        read_wtime,
        1e9,
        NULL};
    gptl_core_add_clock(&clock);
}

void gptl_mpi_run_wtime(bool runs)
{
    atomic_store_explicit(&running, runs, memory_order_release);
}
