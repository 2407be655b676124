/*
 * skipped.c - untimed starts, and their stops.
 *
 * While any skipped start is open, all further starts are skipped, too. So the library must not
 * wait for a stop that never comes: the skipped starts are identified by the hashes of their names,
 * and given up when a region around them is stopped. Beyond GPTL_NSKIPPED levels they are only
 * counted.
 */
#include "config.h"

#include "core/skipped.h"

#include <string.h>

static uint32_t short_hash(struct gptl_name name)
{
    return (uint32_t)gptl_name_hash(name);
}

void gptl_skipped_start(struct gptl_thread *t, struct gptl_name name)
{
    if (t->skipped < GPTL_NSKIPPED)
        t->skipped_hash[t->skipped] = short_hash(name);
    if (t->skipped++ == 0)
        t->skipped_stack = 0;
    gptl_thread_gate_set(t, GPTL_GATE_SKIPPING);
}

bool gptl_skipped_stop(struct gptl_thread *t, struct gptl_name name)
{
    uint32_t i = t->skipped, hash = short_hash(name);
    if (i > GPTL_NSKIPPED) {
        t->skipped--;
        return true;
    }
    while (i > 0 && t->skipped_hash[i - 1] != hash)
        i--;
    if (i == 0)
        return false;
    t->skipped--;
    memmove(&t->skipped_hash[i - 1], &t->skipped_hash[i],
            (t->skipped - (i - 1)) * sizeof *t->skipped_hash);
    if (t->skipped == 0)
        gptl_thread_gate_clear(t, GPTL_GATE_SKIPPING);
    return true;
}

void gptl_skipped_gone(struct gptl_thread *t)
{
    t->skipped = 0;
    gptl_thread_gate_clear(t, GPTL_GATE_SKIPPING);
}

void gptl_skipped_forget(struct gptl_thread *t)
{
    for (uint32_t i = 0; i < t->skipped && i < GPTL_NSKIPPED; i++)
        t->late_hash[t->nlate++ % GPTL_NMISSED] = t->skipped_hash[i];
    gptl_skipped_gone(t);
}

bool gptl_skipped_late(struct gptl_thread *t, struct gptl_name name)
{
    uint32_t hash = short_hash(name);
    for (uint32_t i = 0; i < GPTL_NMISSED && i < t->nlate; i++)
        if (t->late_hash[i] == hash) {
            t->late_hash[i] = ~hash;
            return true;
        }
    return false;
}
