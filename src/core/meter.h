/*
 * meter.h - what a node gathers besides wall-clock time: values that meters read at start and stop.
 *
 * CPU time is the first meter, the counters of another room the second. What is read may change
 * while a measurement runs, before an explicit GPTLinitialize: then the generation changes
 * (gptl_g.metering), each thread opens its meters anew at its next start, and frames that were
 * started before count nothing. The thread that calls is the owner, and busy.
 */
#ifndef GPTL_CORE_METER_H
#define GPTL_CORE_METER_H

#include "core/thread.h"

/* ---- The process; with the lock held ------------------------------------------------------- */

/* Whether anything is to be read, as the options are now. */
bool gptl_meter_wanted(void);
/* In the child of a fork; when the measurement ends. */
void gptl_meter_forked(void);
void gptl_meter_end(void);
/* GPTLsetoption with a number that is no option's: -1 after an error. */
int gptl_meter_set(const char *function, int number, bool on);

/* ---- A thread ------------------------------------------------------------------------------ */

/* Whether its meters are open, and are those that the options ask for. */
static inline bool gptl_meter_is_open(const struct gptl_thread *t)
{
    return t->meter.generation == atomic_load_explicit(&gptl_g.metering, memory_order_relaxed);
}

/* What they said when frame K started; behind it, when it was crossed. */
static inline int64_t *gptl_meter_values(const struct gptl_thread *t, uint32_t k)
{
    return t->side_values + (size_t)k * t->side_stride;
}

/* Whether they were read when frame K started, and are still those. */
static inline bool gptl_meter_has_frame(const struct gptl_thread *t, uint32_t k)
{
    return k < t->side_size && t->side[k].metered && t->side[k].metered == t->meter.generation &&
           gptl_meter_is_open(t);
}

/* They could not be read at once, with RC; errno was ERROR. Returns false. */
bool gptl_meter_lost(const struct gptl_metering *m, int rc, int error);

/*
 * Whether PAPI may read on this stack: it is the thread's own, with room. A signal handler or a coroutine may
 * have another one of a few KiB.
 */
static inline bool gptl_meter_has_room(const struct gptl_metering *m)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return __builtin_expect(here - m->stack < m->stack_size, 1);
}

/* Reads the sources into the values TO, on a stack of the library's own, if that is needed. */
void gptl_meter_read_sources(const struct gptl_metering *m, int64_t *to);
__attribute__((cold)) bool gptl_meter_read_apart(const struct gptl_metering *m, int64_t *to);

/* Reads the only source, as DIRECT can. */
static inline bool gptl_meter_read_direct(const struct gptl_metering *m, int64_t *to)
{
    _Static_assert(sizeof(long long) == sizeof *to, "a meter's values are as PAPI has them");
    if (!gptl_meter_has_room(m))
        return gptl_meter_read_apart(m, to);
    int error = *m->error, rc = m->direct(m->number, (long long *)(to + m->first));
    return __builtin_expect(rc == 0, 1) || gptl_meter_lost(m, rc, error);
}

/* Reads them into the values TO. False: there are none, or they cannot be read. */
static inline bool gptl_meter_read_to(const struct gptl_thread *t, int64_t *to)
{
    const struct gptl_metering *m = &t->meter;
    if (m->direct)
        return gptl_meter_read_direct(m, to);
    gptl_meter_read_sources(m, to);
    return m->nsources > 0;
}

/* Opens them anew. False when there is no memory. */
bool gptl_meter_open(struct gptl_thread *t);
/* By its own thread, as only that one may; EXITS: which exits. */
void gptl_meter_close(struct gptl_thread *t, bool exits);
/* SCRATCH uses what is open in T, if anything is, and gives it back. */
void gptl_meter_lend(struct gptl_thread *t, struct gptl_thread *scratch);
void gptl_meter_give_back(struct gptl_thread *scratch);

/* Measuring is disabled: what happens from now on does not count. It goes on. */
void gptl_meter_pause(struct gptl_thread *t);
void gptl_meter_resume(struct gptl_thread *t);
/* The open frames of REGION, or all of them, begin anew. */
void gptl_meter_restart(struct gptl_thread *t, const struct gptl_region *region);

/* What the meters say now, for as long as none is read again; NULL: there are none. */
const int64_t *gptl_meter_read(struct gptl_thread *t);
/* Reads the meters into the side frame of the frame just pushed. */
void gptl_meter_start(struct gptl_thread *t);
/*
 * Adds to NODE, whose outermost call in frame K has ended, what they say since then: at END, or now.
 * The call stands for CALLS calls.
 */
void gptl_meter_stop(struct gptl_thread *t, struct gptl_node *node, uint32_t k, const int64_t *end,
                     uint32_t calls);

/* Frame K was crossed when the meters said VALUES, which may be NULL. */
void gptl_meter_crossed(struct gptl_thread *t, uint32_t k, const int64_t *values);
/* Frame K ends as of then, and is missed as number I; its stop comes after all. */
const int64_t *gptl_meter_missed(struct gptl_thread *t, uint32_t k, uint32_t i);
void gptl_meter_late(struct gptl_thread *t, uint32_t i);

#endif
