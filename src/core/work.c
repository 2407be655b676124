/*
 * work.c - the library's own work, whose time is charged to no region.
 *
 * The starts of the open frames move by the duration, as they do when measuring was disabled for
 * that long, and meters pause. So this feature costs a start or stop no time. Work may be nested in
 * other work: the inner duration is subtracted.
 */
#include "config.h"

#include "core/work.h"

#include "core/busy.h"
#include "core/clock.h"
#include "core/meter.h"
#include "core/roll.h"

#define load(p) atomic_load_explicit(p, memory_order_relaxed)
#define store(p, v) atomic_store_explicit(p, v, memory_order_relaxed)

/* Gate bits that require the lock: other threads may change the frames. */
enum { SHARED = GPTL_GATE_ORDERS | GPTL_GATE_DISABLED };

/* Return the total ticks by which the open frames have moved, including pending requests. */
static uint64_t moved(const struct gptl_thread *t)
{
    return t->moved + t->orders.shift;
}

/*
 * Pause the meters and report the innermost node to the observer at the beginning (ON); resume both
 * at the end.
 */
static void suspend(struct gptl_thread *t, bool on)
{
    uint32_t gate = load(&t->gate), busy = t->busy;
    gptl_follower *follower = gate & GPTL_GATE_FOLLOWED ? load(&gptl_g.follower) : NULL;
    if (!(gate & GPTL_GATE_METER) && !follower)
        return;
    gptl_busy_set(t, busy + 1, NULL);
    if (gate & GPTL_GATE_METER && on)
        gptl_meter_pause(t);
    else if (gate & GPTL_GATE_METER && !(gate & GPTL_GATE_DISABLED))
        gptl_meter_resume(t);
    if (follower && on)
        gptl_state_tell_follower(load(&load(&t->top)->node));
    else if (follower)
        follower(GPTL_FOLLOWED_WORK);
    gptl_busy_set(t, busy, NULL);
}

void gptl_work_begin(struct gptl_work *work)
{
    struct gptl_thread *t = gptl_thread_own();
    work->clock = NULL;
    if (!t || !gptl_is_on() || t->epoch != load(&gptl_g.epoch))
        return;
    bool shared = load(&t->gate) & SHARED;
    if (shared)
        gptl_lock();
    *work = (struct gptl_work){gptl_state_now(t->clock), moved(t), t->clock, t->epoch};
    if (shared)
        gptl_unlock();
    suspend(t, true);
}

void gptl_core_work_begin(struct gptl_work *work)
{
    const struct gptl_thread *t = gptl_thread_own();
    work->clock = NULL;
    if (t && t->busy == 0) /* otherwise a signal handler has interrupted the library */
        gptl_work_begin(work);
}

/* Return the ticks between the begin of WORK and NOW in which the frames did not move. */
static uint64_t ticks_of(const struct gptl_thread *t, const struct gptl_work *work, uint64_t now)
{
    uint64_t ticks = now - work->begin - (moved(t) - work->moved);
    return (int64_t)ticks > 0 ? ticks : 0;
}

/*
 * Move the open frames by TICKS. A frame restarted by a reset during the work would move too far:
 * it starts NOW.
 */
static void move(struct gptl_thread *t, uint64_t ticks, uint64_t now)
{
    gptl_roll_move(t, ticks);
    struct gptl_frame *top = load(&t->top);
    for (struct gptl_frame *f = load(&t->base) + 1; f <= top; f++)
        if (load(&f->start) > now && !gptl_frame_is_untimed(f))
            store(&f->start, now);
    store(&t->own_work, load(&t->own_work) + ticks);
}

/*
 * Move the frames after work that changed the thread's clock: the previous clock measures the
 * duration.
 */
static void move_by_previous(struct gptl_thread *t, const struct gptl_work *work)
{
    double tick = gptl_clock_lasting_seconds_per_tick(t->clock);
    if (load(&t->gate) & SHARED || !(tick > 0))
        return;
    uint64_t ticks = ticks_of(t, work, work->clock->read());
    double factor = gptl_clock_lasting_seconds_per_tick(work->clock) / tick;
    move(t, (uint64_t)((double)ticks * factor + 0.5), t->clock->read());
}

void gptl_core_work_end(const struct gptl_work *work)
{
    struct gptl_thread *t = gptl_thread_own();
    if (!work->clock || !t || t->epoch != work->epoch)
        return;
    suspend(t, false);
    if (t->clock != work->clock) {
        move_by_previous(t, work);
        return;
    }
    uint64_t now;
    if (!(load(&t->gate) & SHARED)) {
        now = gptl_state_now(t->clock);
        move(t, ticks_of(t, work, now), now);
        return;
    }
    gptl_lock();
    now = gptl_state_now(t->clock);
    uint64_t ticks = ticks_of(t, work, now);
    gptl_roll_obey(t); /* these requests came before the end */
    if (t->clock == work->clock)
        move(t, ticks, now);
    gptl_unlock();
}
