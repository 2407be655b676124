/*
 * probe.c - spans that begin and end in one thread: the record is written at the begin, and its end
 * is filled in later. bench/iostack measures the cost.
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
    r->parent = (struct gptl_iostack_id){t->current.process, t->current.number};
    r->end = 0;
    r->bytes = r->offset = -1;
    r->node = r->file = r->key = r->collective = 0;
    return r;
}

/*
 * Fill in the known properties of span F, and register it as under way if other threads may work
 * for it.
 */
static void say(struct gptl_iostack_thread *t, struct gptl_iostack_frame *f, const GPTLspan *about)
{
    if (f->record)
        gptl_iostack_fill(f->record, about);
    if (about->layer == GPTL_LAYER_MPI && about->file)
        f->under_way = gptl_iostack_under_way(t, about, f->number ? f->number : t->number - 1);
}

/* Count a span that exceeds the stack of open spans. */
GPTL_SELDOM static void hide(struct gptl_iostack_thread *t, int layer)
{
    t->hidden++;
    gptl_iostack_log_lost(layer, 0, 1);
    gptl_iostack_leave(t);
}

/*
 * Begin a span. PARENT NULL or none: the innermost one. ABOUT NULL: only LAYER and OPERATION are
 * known.
 */
GPTL_IOSTACK_OFTEN __attribute__((noinline)) static void begin(int layer, int operation,
                                                               const GPTLcallid *parent,
                                                               const GPTLspan *about)
{
    uint64_t number;
    if (__builtin_expect(!gptl_iostack_is_layer(layer), 0))
        return;
    struct gptl_iostack_thread *t = gptl_iostack_enter();
    if (__builtin_expect(!t, 0)) {
        gptl_iostack_interrupts(layer);
        return;
    }
    if (__builtin_expect(t->depth == GPTL_IOSTACK_DEPTH, 0)) {
        hide(t, layer);
        return;
    }
    struct gptl_iostack_frame *f = &t->frames[t->depth];
    f->outer = t->current;
    f->layer = layer;
    f->under_way = 0;
    struct gptl_iostack_record *r = gptl_iostack_record(t, layer, operation, &number);
    f->record = r;
    f->number = r ? number : 0;
    if (__builtin_expect(r && parent && parent->process, 0))
        r->parent = (struct gptl_iostack_id){parent->process, parent->number};
    if (about)
        say(t, f, about);
    t->depth++;
    t->current.process = t->process;
    t->current.number = number;
    if (__builtin_expect(r != NULL, 1)) {
        r->begin = gptl_counter_read();
        gptl_iostack_show(r, GPTL_IOSTACK_SPAN);
    }
    gptl_iostack_leave(t);
}

GPTL_IOSTACK_OFTEN void GPTLprobe_begin(int layer, int operation)
{
    begin(layer, operation, NULL, NULL);
}

void GPTLprobe_begin_from(int layer, int operation, const char *text)
{
    GPTLcallid parent = GPTLprobe_id_of(text);
    begin(layer, operation, &parent, NULL);
}

GPTL_IOSTACK_OFTEN void GPTLprobe_begin_span(const GPTLspan *span)
{
    begin(span->layer, span->operation, NULL, span);
}

GPTL_IOSTACK_OFTEN int GPTLprobe_begin_below(int above, int or_above, int layer, int operation)
{
    const struct gptl_iostack_thread *t = gptl_iostack_tls;
    int open = t ? (int)(t->current.number >> GPTL_IOSTACK_LAYER_SHIFT) : 0;
    if (open == 0 || (open != above && open != or_above))
        return 0;
    begin(layer, operation, NULL, NULL);
    return 1;
}

struct gptl_iostack_frame *gptl_iostack_frame_of(struct gptl_iostack_thread *t, int layer)
{
    unsigned i = t->depth;
    while (i > 0 && t->frames[i - 1].layer != layer)
        i--;
    return i > 0 ? &t->frames[i - 1] : NULL;
}

/* Record an end separately: the span's record has been unmapped, or the span does not exist. */
GPTL_SELDOM static void end_apart(struct gptl_iostack_thread *t, int layer, uint64_t number,
                                  int flags, uint64_t now)
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

/* Mark the spans above the innermost span of LAYER as left, since their ends are missing. */
static void leave_above(struct gptl_iostack_thread *t, const struct gptl_iostack_frame *frame)
{
    for (struct gptl_iostack_frame *f = &t->frames[t->depth - 1]; f > frame; f--) {
        if (f->record)
            f->record->flags |= GPTL_IOSTACK_LEFT;
        gptl_iostack_no_more(t, f->under_way);
    }
}

static inline void end_record(struct gptl_iostack_record *r, int64_t bytes, uint64_t now)
{
    gptl_iostack_add_bytes(r, bytes);
    r->end = now;
}

/* Remove FRAME and all frames above it; DEPTH spans stay open. */
static inline void pop(struct gptl_iostack_thread *t, const struct gptl_iostack_frame *frame,
                       unsigned depth)
{
    t->current = frame->outer;
    t->depth = depth;
    if (frame->under_way != 0)
        gptl_iostack_no_more(t, frame->under_way);
}

/* End a span that is not the innermost one, or lacks a record. */
GPTL_SELDOM static void end_otherwise(struct gptl_iostack_thread *t, int layer, int64_t bytes,
                                      uint64_t now)
{
    struct gptl_iostack_frame *f = t->hidden > 0 ? NULL : gptl_iostack_frame_of(t, layer);
    if (t->hidden > 0) {
        t->hidden--;
        return;
    }
    if (f)
        leave_above(t, f);
    if (f && f->record)
        end_record(f->record, bytes, now);
    else if (!f && t->inherited > 0)
        t->inherited--;
    else if (!f || f->number != 0) /* omit the end of a lost span */
        end_apart(t, layer, f ? f->number : 0, f ? 0 : GPTL_IOSTACK_UNMATCHED, now);
    if (f)
        pop(t, f, (unsigned)(f - t->frames));
}

GPTL_IOSTACK_OFTEN __attribute__((noinline)) static void end(int layer, int64_t bytes)
{
    uint64_t now = gptl_counter_read();
    if (__builtin_expect(!gptl_iostack_is_layer(layer), 0))
        return;
    struct gptl_iostack_thread *t = gptl_iostack_enter();
    if (__builtin_expect(!t, 0))
        return;
    unsigned depth = t->depth - 1;
    struct gptl_iostack_frame *f = t->depth > 0 ? &t->frames[depth] : NULL;
    if (__builtin_expect(f && t->hidden == 0 && f->layer == layer && f->record, 1)) {
        end_record(f->record, bytes, now);
        pop(t, f, depth);
    } else {
        end_otherwise(t, layer, bytes, now);
    }
    gptl_iostack_tick(t, now);
    gptl_iostack_leave(t);
}

GPTL_IOSTACK_OFTEN void GPTLprobe_end(int layer)
{
    end(layer, -1);
}

GPTL_IOSTACK_OFTEN void GPTLprobe_end_with(int layer, int64_t bytes)
{
    end(layer, bytes);
}

void GPTLprobe_leave(const int *layer)
{
    end(*layer, -1);
}
