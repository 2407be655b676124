/*
 * meter.h - values of a node other than wall-clock time, which meters read at start and stop.
 *
 * CPU time is the first meter, the counters of another module the second. The set of values may
 * change while a measurement runs, before an explicit GPTLinitialize: then the generation changes
 * (gptl_g.metering), each thread reopens its meters at its next start, and frames that were started
 * before add nothing. The calling thread is the owner, and busy.
 */
#ifndef GPTL_CORE_METER_H
#define GPTL_CORE_METER_H

#include "core/thread.h"

/* ---- The process; with the lock held ------------------------------------------------------- */

/* Return whether the current options require any meter. */
bool gptl_meter_wanted(void);
/* Adapt to a fork, in the child; adapt to the end of the measurement. */
void gptl_meter_forked(void);
void gptl_meter_end(void);
/* Handle a GPTLsetoption whose number is not an option of the core; -1 after an error. */
int gptl_meter_set(const char *function, int number, bool on);

/* ---- A thread ------------------------------------------------------------------------------ */

/* Return whether the thread's meters are open and match the options. */
static inline bool gptl_meter_is_open(const struct gptl_thread *t)
{
    return t->meter.generation == atomic_load_explicit(&gptl_g.metering, memory_order_relaxed);
}

/* Return the meter values at the start of frame K; the values at its crossing follow. */
static inline int64_t *gptl_meter_values(const struct gptl_thread *t, uint32_t k)
{
    return t->side_values + (size_t)k * t->side_stride;
}

/* Return whether the meters were read at the start of frame K and have not changed since. */
static inline bool gptl_meter_has_frame(const struct gptl_thread *t, uint32_t k)
{
    return k < t->side_size && t->side[k].metered && t->side[k].metered == t->meter.generation &&
           gptl_meter_is_open(t);
}

/* Handle a failed direct reading with result RC; restore errno to ERROR. Return false. */
bool gptl_meter_lost(const struct gptl_metering *m, int rc, int error);

/*
 * Return whether PAPI may read on this stack: it is the thread's own, with room. A signal handler
 * or a coroutine may have a stack of a few KiB.
 */
static inline bool gptl_meter_has_room(const struct gptl_metering *m)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return __builtin_expect(here - m->stack < m->stack_size, 1);
}

/* Read the sources into TO, on a stack of the library if necessary. */
void gptl_meter_read_sources(const struct gptl_metering *m, int64_t *to);
__attribute__((cold)) bool gptl_meter_read_apart(const struct gptl_metering *m, int64_t *to);

/* Read the only source with DIRECT. */
static inline bool gptl_meter_read_direct(const struct gptl_metering *m, int64_t *to)
{
    _Static_assert(sizeof(long long) == sizeof *to, "a meter's values are as PAPI has them");
    if (!gptl_meter_has_room(m))
        return gptl_meter_read_apart(m, to);
    int error = *m->error, rc = m->direct(m->number, (long long *)(to + m->first));
    return __builtin_expect(rc == 0, 1) || gptl_meter_lost(m, rc, error);
}

/* Read the values into TO. Return false without values, or if the reading failed. */
static inline bool gptl_meter_read_to(const struct gptl_thread *t, int64_t *to)
{
    const struct gptl_metering *m = &t->meter;
    if (m->direct)
        return gptl_meter_read_direct(m, to);
    gptl_meter_read_sources(m, to);
    return m->nsources > 0;
}

/* Open the meters again. Return false without memory. */
bool gptl_meter_open(struct gptl_thread *t);
/* Close the meters; only the thread itself may do so. EXITS: the thread is exiting. */
void gptl_meter_close(struct gptl_thread *t, bool exits);
/* Lend the open meters of T, if any, to SCRATCH; take them back from it. */
void gptl_meter_lend(struct gptl_thread *t, struct gptl_thread *scratch);
void gptl_meter_give_back(struct gptl_thread *scratch);

/* Exclude the values counted between pause and resume, while measuring is disabled. */
void gptl_meter_pause(struct gptl_thread *t);
void gptl_meter_resume(struct gptl_thread *t);
/* Restart the open frames of REGION (NULL: all) at the current values. */
void gptl_meter_restart(struct gptl_thread *t, const struct gptl_region *region);

/* Return the current values, valid until the next reading, or NULL without meters. */
const int64_t *gptl_meter_read(struct gptl_thread *t);
/* Read the meters into the side frame of the frame just pushed. */
void gptl_meter_start(struct gptl_thread *t);
/*
 * Add to NODE, whose outermost call in frame K has ended, the increments since its start: until
 * END, or until now if END is NULL. The call represents CALLS calls.
 */
void gptl_meter_stop(struct gptl_thread *t, struct gptl_node *node, uint32_t k, const int64_t *end,
                     uint32_t calls);

/* Record VALUES, which may be NULL, as the values at the crossing of frame K. */
void gptl_meter_crossed(struct gptl_thread *t, uint32_t k, const int64_t *values);
/*
 * Save the values of frame K, which ends at its crossing, as missed call I, and return them;
 * gptl_meter_late adds the rest when the stop arrives after all.
 */
const int64_t *gptl_meter_missed(struct gptl_thread *t, uint32_t k, uint32_t i);
void gptl_meter_late(struct gptl_thread *t, uint32_t i);

#endif
