/* control.c - control of a running measurement by the program: disable, enable, reset, mark. */
#include "config.h"

#include "gptl.h"

#include "core/clock.h"
#include "core/meter.h"
#include "core/query.h"
#include "core/roll.h"
#include "core/salvage.h"
#include "core/slow.h"
#include "core/state.h"
#include "core/thread.h"

/* Return the calling thread if it has a tree in this measurement, or NULL. */
static struct gptl_thread *own_tree(void)
{
    struct gptl_thread *t = gptl_thread_own();
    return t && t->epoch == gptl_g.epoch ? t : NULL;
}

int GPTLdisable(void)
{
    if (!gptl_state_turn_on())
        return gptl_g.phase == GPTL_ASIDE ? 0 : -1;
    gptl_lock();
    if (!(gptl_g.gate & GPTL_GATE_DISABLED)) {
        gptl_g.disabled_at = gptl_clock_now()->read();
        gptl_state_gate(GPTL_GATE_DISABLED, 0);
        if (own_tree())
            gptl_meter_pause(own_tree());
    }
    gptl_unlock();
    return 0;
}

int GPTLenable(void)
{
    if (!gptl_state_turn_on())
        return gptl_g.phase == GPTL_ASIDE ? 0 : -1;
    gptl_lock();
    if (gptl_g.gate & GPTL_GATE_DISABLED) {
        gptl_roll_order_shift(gptl_clock_now()->read() - gptl_g.disabled_at);
        gptl_state_gate(0, GPTL_GATE_DISABLED);
        if (own_tree())
            gptl_meter_resume(own_tree());
    }
    gptl_unlock();
    return 0;
}

int GPTLreset(void)
{
    if (!gptl_is_on())
        return gptl_core_error("GPTLreset", "the library is not initialized");
    struct gptl_work work;
    gptl_core_work_begin(&work);
    gptl_lock();
    gptl_roll_order_reset(NULL);
    /* The report covers the time from now on. */
    gptl_state_set_started();
    gptl_salvage_started();
    gptl_unlock();
    gptl_core_work_end(&work);
    return 0;
}

int GPTLreset_timer(const char *name)
{
    if (!name)
        return gptl_core_error("GPTLreset_timer", "the name is NULL");
    if (!gptl_is_on())
        return gptl_core_error("GPTLreset_timer", "the library is not initialized");
    struct gptl_name kept = gptl_slow_name(name, GPTL_NUL_ENDED);
    gptl_lock();
    struct gptl_region *region = gptl_query_find(kept, NULL);
    bool known = region != NULL;
    bool ordered = known && gptl_roll_order_reset(region);
    gptl_unlock();
    if (known && !ordered)
        return gptl_core_error("GPTLreset_timer", "no memory for the order to all threads");
    return known ? 0 : gptl_core_error("GPTLreset_timer", "there is no region \"%s\"", name);
}

int GPTLmark(const char *label)
{
    if (!label)
        return gptl_core_error("GPTLmark", "the label is NULL");
    if (!gptl_is_on())
        return gptl_core_error("GPTLmark", "the library is not initialized");
    struct gptl_work work;
    gptl_core_work_begin(&work);
    gptl_lock();
    bool marked = gptl_roll_order_mark(label);
    gptl_unlock();
    gptl_core_work_end(&work);
    return marked ? 0 : gptl_core_error("GPTLmark", "no memory for intervals");
}
