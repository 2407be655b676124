/*
 * probe.c - spans that begin and end in one thread: the record is written at the begin, and its end
 * filled in later. bench/iostack shows what that costs.
 */
#include "config.h"

#include "gptl_probe.h"

#include "iostack/clock.h"
#include "iostack/state.h"

__thread struct gptl_iostack_thread *gptl_iostack_tls __attribute__((tls_model("initial-exec")));

struct gptl_iostack_record *gptl_iostack_record(struct gptl_iostack_thread *t, int layer,
                                                int operation, uint64_t *number)
{
    if (__builtin_expect(t->number == t->last_number, 0))
        gptl_iostack_more_numbers(t);
    uint64_t n = t->number++ | (uint64_t)layer << GPTL_IOSTACK_LAYER_SHIFT |
                 (uint64_t)(operation & 0xff) << GPTL_IOSTACK_OPERATION_SHIFT;
    *number = n;
    struct gptl_iostack_record *r = gptl_iostack_take(t, layer);
    if (__builtin_expect(!r, 0))
        return NULL;
    r->layer = (uint8_t)layer;
    r->operation = (uint8_t)operation;
    r->flags = 0;
    r->thread = t->thread;
    r->number = n;
    r->end = 0;
    r->bytes = r->offset = -1;
    r->node = r->file = r->key = r->collective = 0;
    return r;
}

/* What is known of the span F, and that it goes on, if others may work for it. */
static void say(struct gptl_iostack_thread *t, struct gptl_iostack_frame *f, const GPTLspan *about)
{
    if (f->record)
        gptl_iostack_fill(f->record, about);
    if (about->layer == GPTL_LAYER_MPI && about->file)
        f->under_way = gptl_iostack_under_way(t, about, f->number ? f->number : t->number - 1);
}

/* ABOUT NULL: nothing is known but LAYER and OPERATION. */
static inline __attribute__((always_inline)) void begin(int layer, int operation, const char *text,
                                                        const GPTLspan *about)
{
    uint64_t number;
    if (!gptl_iostack_is_layer(layer))
        return;
    struct gptl_iostack_thread *t = gptl_iostack_enter();
    if (!t) {
        gptl_iostack_interrupts(layer);
        return;
    }
    if (__builtin_expect(t->depth == GPTL_IOSTACK_DEPTH, 0)) {
        t->hidden++;
        gptl_iostack_log_lost(layer, 0, 1);
        gptl_iostack_leave(t);
        return;
    }
    struct gptl_iostack_frame *f = &t->frames[t->depth];
    GPTLcallid parent = text ? GPTLprobe_id_of(text) : t->current;
    if (text && parent.process == 0)
        parent = t->current;
    f->outer = t->current;
    f->layer = layer;
    f->record = gptl_iostack_record(t, layer, operation, &number);
    f->number = f->record ? number : 0;
    f->under_way = 0;
    if (about)
        say(t, f, about);
    t->depth++;
    t->current.process = t->process;
    t->current.number = number;
    if (__builtin_expect(f->record != NULL, 1)) {
        f->record->parent = (struct gptl_iostack_id){parent.process, parent.number};
        f->record->begin = gptl_iostack_ticks();
        gptl_iostack_show(f->record, GPTL_IOSTACK_SPAN);
    }
    gptl_iostack_leave(t);
}

void GPTLprobe_begin(int layer, int operation)
{
    begin(layer, operation, NULL, NULL);
}

void GPTLprobe_begin_from(int layer, int operation, const char *text)
{
    begin(layer, operation, text, NULL);
}

void GPTLprobe_begin_span(const GPTLspan *span)
{
    begin(span->layer, span->operation, NULL, span);
}

struct gptl_iostack_frame *gptl_iostack_frame_of(struct gptl_iostack_thread *t, int layer)
{
    unsigned i = t->depth;
    while (i > 0 && t->frames[i - 1].layer != layer)
        i--;
    return i > 0 ? &t->frames[i - 1] : NULL;
}

/* An end in a record of its own: the span's is not mapped any more, or there is no span. */
static void end_apart(struct gptl_iostack_thread *t, int layer, uint64_t number, int flags,
                      uint64_t now)
{
    struct gptl_iostack_record *r = gptl_iostack_take(t, layer);
    if (!r)
        return;
    *r = (struct gptl_iostack_record){.layer = (uint8_t)layer,
                                      .flags = (uint8_t)flags,
                                      .thread = t->thread,
                                      .number = number,
                                      .end = now,
                                      .bytes = -1,
                                      .offset = -1};
    gptl_iostack_show(r, GPTL_IOSTACK_END);
}

/* Of all that are open above the innermost span of LAYER none has ended. */
static void leave_above(struct gptl_iostack_thread *t, const struct gptl_iostack_frame *frame)
{
    for (struct gptl_iostack_frame *f = &t->frames[t->depth - 1]; f > frame; f--) {
        if (f->record)
            f->record->flags |= GPTL_IOSTACK_LEFT;
        gptl_iostack_no_more(t, f->under_way);
    }
}

void GPTLprobe_end(int layer)
{
    uint64_t now = gptl_iostack_ticks();
    if (!gptl_iostack_is_layer(layer))
        return;
    struct gptl_iostack_thread *t = gptl_iostack_enter();
    if (!t)
        return;
    if (__builtin_expect(t->hidden > 0, 0)) {
        t->hidden--;
        gptl_iostack_leave(t);
        return;
    }
    struct gptl_iostack_frame *f =
        t->depth && t->frames[t->depth - 1].layer == layer ? &t->frames[t->depth - 1] : NULL;
    if (__builtin_expect(!f, 0)) {
        f = gptl_iostack_frame_of(t, layer);
        if (f)
            leave_above(t, f);
    }
    if (__builtin_expect(f && f->record, 1))
        f->record->end = now;
    else if (!f && t->inherited > 0)
        t->inherited--;
    else if (!f || f->number != 0) /* of a lost one the end is not lost as well */
        end_apart(t, layer, f ? f->number : 0, f ? 0 : GPTL_IOSTACK_UNMATCHED, now);
    if (f) {
        if (__builtin_expect(f->under_way != 0, 0))
            gptl_iostack_no_more(t, f->under_way);
        t->current = f->outer;
        t->depth = (unsigned)(f - t->frames);
    }
    gptl_iostack_tick(t, now);
    gptl_iostack_leave(t);
}

void GPTLprobe_leave(const int *layer)
{
    GPTLprobe_end(*layer);
}
