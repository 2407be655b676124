/*
 * whole.c - spans with all attributes known at once: for interposing libraries, which know the
 * arguments at the start of a call, or learn of a call at its end.
 */
#include "config.h"

#include "gptl_probe.h"

#include <stddef.h>

#include "iostack/clock.h"
#include "iostack/state.h"

uint64_t GPTLprobe_clock(void)
{
    return gptl_counter_read();
}

int GPTLprobe_is_on(void)
{
    return !gptl_iostack_process.off;
}

uint64_t GPTLprobe_name(int layer, const char *name)
{
    struct gptl_iostack_thread *t = gptl_iostack_is_layer(layer) ? gptl_iostack_enter() : NULL;
    if (!t)
        return 0;
    uint64_t number = gptl_iostack_name(t, layer, name);
    gptl_iostack_leave(t);
    return number;
}

GPTL_IOSTACK_OFTEN int GPTLprobe_has_name(int layer, uint64_t number)
{
    const struct gptl_iostack_thread *t = gptl_iostack_tls;
    return t && gptl_iostack_is_layer(layer) &&
           t->seen[layer][number % GPTL_IOSTACK_SEEN] == number;
}

/* Return a record of SPAN that is not visible yet; NULL: no space. */
static struct gptl_iostack_record *record_of(struct gptl_iostack_thread *t, const GPTLspan *span,
                                             uint64_t *number)
{
    struct gptl_iostack_record *r = gptl_iostack_record(t, span->layer, span->operation, number);
    if (r)
        gptl_iostack_fill(r, span);
    return r;
}

/* Tie R, which lacks an open cause in this thread, to the process's operation on its file. */
static void tie(const struct gptl_iostack_thread *t, struct gptl_iostack_record *r)
{
    struct gptl_iostack_operation operation;
    uint64_t layer = t->current.number >> GPTL_IOSTACK_LAYER_SHIFT;
    if ((t->current.process != 0 && layer >= GPTL_LAYER_MPI) || r->file == 0 ||
        r->layer <= GPTL_LAYER_MPI)
        return;
    unsigned many = gptl_iostack_find_under_way(r->file, &operation);
    if (many > 1)
        r->flags |= GPTL_IOSTACK_AMONG;
    if (many != 1)
        return;
    r->flags |= GPTL_IOSTACK_TIED;
    r->parent = (struct gptl_iostack_id){t->process, operation.number};
    r->key = operation.opening;
    r->collective = operation.collective;
}

GPTLcallid GPTLprobe_open_span(const GPTLspan *span)
{
    GPTLcallid id = {0, 0};
    if (!gptl_iostack_is_layer(span->layer))
        return id;
    struct gptl_iostack_thread *t = gptl_iostack_enter();
    if (!t) {
        gptl_iostack_interrupts(span->layer);
        return id;
    }
    id.process = t->process;
    struct gptl_iostack_record *r = record_of(t, span, &id.number);
    if (r) {
        tie(t, r);
        if (span->key) {
            r->flags |= GPTL_IOSTACK_KEYED;
            r->key = (uintptr_t)span->key;
        }
        r->begin = gptl_counter_read();
        gptl_iostack_show(r, GPTL_IOSTACK_SPAN);
    }
    if (span->layer == GPTL_LAYER_MPI && span->file)
        gptl_iostack_under_way(NULL, span, id.number);
    gptl_iostack_leave(t);
    return id;
}

GPTL_IOSTACK_OFTEN void GPTLprobe_tell(const GPTLspan *span)
{
    uint64_t now = gptl_counter_read(), number;
    if (!gptl_iostack_is_layer(span->layer))
        return;
    struct gptl_iostack_thread *t = gptl_iostack_enter();
    if (!t) {
        gptl_iostack_interrupts(span->layer);
        return;
    }
    struct gptl_iostack_record *r = record_of(t, span, &number);
    if (r) {
        tie(t, r);
        r->begin = span->begin;
        r->end = now;
        gptl_iostack_show(r, GPTL_IOSTACK_SPAN);
    }
    gptl_iostack_tick(t, now);
    gptl_iostack_leave(t);
}
