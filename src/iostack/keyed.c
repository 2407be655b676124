/*
 * keyed.c - spans that begin in one thread and end in another. The end does not search for the
 * begin: both are recorded with their common pointer or id, and the reader joins them. Therefore
 * neither a table nor a lock is needed.
 */
#include "config.h"

#include "gptl_probe.h"

#include <stddef.h>

#include "iostack/clock.h"
#include "iostack/state.h"

struct begin {
    int layer, operation, flags;
    uint64_t key;
    int64_t bytes, offset;
};

/* Begin a span. PARENT NULL: this thread's innermost open span. */
static GPTLcallid begin(const struct begin *b, const struct gptl_iostack_id *parent)
{
    GPTLcallid id = {0, 0};
    if (!gptl_iostack_is_layer(b->layer))
        return id;
    struct gptl_iostack_thread *t = gptl_iostack_enter();
    if (!t) {
        gptl_iostack_interrupts(b->layer);
        return id;
    }
    id.process = t->process;
    struct gptl_iostack_record *r = gptl_iostack_record(t, b->layer, b->operation, &id.number);
    if (r) {
        r->flags = (uint8_t)b->flags;
        r->key = b->key;
        r->bytes = b->bytes;
        r->offset = b->offset;
        if (parent)
            r->parent = *parent;
        r->begin = gptl_counter_read();
        gptl_iostack_show(r, GPTL_IOSTACK_SPAN);
    }
    gptl_iostack_leave(t);
    return id;
}

static void end(int layer, const struct gptl_iostack_record *end)
{
    uint64_t now = gptl_counter_read();
    if (!gptl_iostack_is_layer(layer))
        return;
    struct gptl_iostack_thread *t = gptl_iostack_enter();
    if (!t)
        return;
    struct gptl_iostack_record *r = gptl_iostack_take(t, layer);
    if (r) {
        *r = *end;
        r->layer = (uint8_t)layer;
        r->thread = t->thread;
        r->end = now;
        gptl_iostack_show(r, GPTL_IOSTACK_END);
    }
    gptl_iostack_leave(t);
}

void GPTLprobe_begin_key(int layer, int operation, const void *key, int64_t bytes, int64_t offset)
{
    struct begin b = {layer, operation, GPTL_IOSTACK_KEYED, (uintptr_t)key, bytes, offset};
    begin(&b, NULL);
}

void GPTLprobe_begin_key_from(int layer, int operation, const void *key, const char *text,
                              int64_t bytes, int64_t offset)
{
    struct begin b = {layer, operation, GPTL_IOSTACK_KEYED, (uintptr_t)key, bytes, offset};
    GPTLcallid id = GPTLprobe_id_of(text);
    struct gptl_iostack_id parent = {id.process, id.number};
    begin(&b, id.process ? &parent : NULL);
}

void GPTLprobe_begin_key_under(int layer, int operation, const void *key, int above,
                               const void *above_key, int64_t bytes, int64_t offset)
{
    struct begin b = {layer,          operation, GPTL_IOSTACK_KEYED | GPTL_IOSTACK_UNDER,
                      (uintptr_t)key, bytes,     offset};
    struct gptl_iostack_id parent = {(uint64_t)above, (uintptr_t)above_key};
    begin(&b, &parent);
}

void GPTLprobe_end_key_with(int layer, const void *key, int64_t bytes)
{
    struct gptl_iostack_record r = {
        .flags = GPTL_IOSTACK_KEYED, .key = (uintptr_t)key, .bytes = bytes, .offset = -1};
    end(layer, &r);
}

void GPTLprobe_end_key(int layer, const void *key)
{
    GPTLprobe_end_key_with(layer, key, -1);
}

GPTLcallid GPTLprobe_open(int layer, int operation, GPTLcallid parent, int64_t bytes,
                          int64_t offset)
{
    struct begin b = {layer, operation, 0, 0, bytes, offset};
    struct gptl_iostack_id id = {parent.process, parent.number};
    return begin(&b, &id);
}

void GPTLprobe_close(GPTLcallid id, int64_t bytes)
{
    struct gptl_iostack_record r = {.number = id.number, .bytes = bytes, .offset = -1};
    /* process of the span, because ids may come from elsewhere */
    r.parent = (struct gptl_iostack_id){id.process, 0};
    if (id.number >> GPTL_IOSTACK_LAYER_SHIFT == GPTL_LAYER_MPI)
        gptl_iostack_no_more_of(id.number);
    if (id.process)
        end((int)(id.number >> GPTL_IOSTACK_LAYER_SHIFT), &r);
}
