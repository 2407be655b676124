/*
 * about.c - attributes of an open span: bytes, file, node. Each thread writes a name to the log
 * once.
 */
#include "config.h"

#include "gptl_probe.h"

#include <string.h>

#include "iostack/state.h"

/*
 * Begin a change of the innermost open span of LAYER; return its record, or NULL if it cannot be
 * changed.
 */
static struct gptl_iostack_record *enter(int layer, struct gptl_iostack_thread **t)
{
    struct gptl_iostack_frame *f = NULL;
    *t = gptl_iostack_is_layer(layer) ? gptl_iostack_enter() : NULL;
    if (*t && (*t)->hidden == 0)
        f = gptl_iostack_frame_of(*t, layer);
    return f ? f->record : NULL;
}

static void leave(struct gptl_iostack_thread *t)
{
    if (t)
        gptl_iostack_leave(t);
}

void GPTLprobe_bytes(int layer, int64_t bytes)
{
    struct gptl_iostack_thread *t;
    struct gptl_iostack_record *r = enter(layer, &t);
    if (r)
        gptl_iostack_add_bytes(r, bytes);
    leave(t);
}

void GPTLprobe_offset(int layer, int64_t offset)
{
    struct gptl_iostack_thread *t;
    struct gptl_iostack_record *r = enter(layer, &t);
    if (r)
        r->offset = offset < 0 ? -1 : offset;
    leave(t);
}

void GPTLprobe_collective(int layer, uint64_t number)
{
    struct gptl_iostack_thread *t;
    struct gptl_iostack_record *r = enter(layer, &t);
    if (r)
        r->collective = number;
    leave(t);
}

void gptl_iostack_set_collective(int layer, uint64_t opening, uint64_t number)
{
    struct gptl_iostack_thread *t;
    struct gptl_iostack_record *r = enter(layer, &t);
    if (r) {
        r->key = opening;
        r->collective = number;
    }
    if (t && number == 1)
        t->opening = opening;
    leave(t);
}

void GPTLprobe_opened(int layer, uint64_t opening)
{
    gptl_iostack_set_collective(layer, opening, 1);
}

uint64_t GPTLprobe_opening(void)
{
    struct gptl_iostack_thread *t = gptl_iostack_enter();
    uint64_t opening = t ? t->opening : 0;
    if (t)
        t->opening = 0;
    leave(t);
    return opening;
}

/* Write a name and its pieces; it becomes visible when complete. */
static void write_name(struct gptl_iostack_thread *t, int layer, uint64_t hash, const char *name,
                       size_t size)
{
    const size_t piece = sizeof((struct gptl_iostack_text *)0)->text;
    unsigned n = (unsigned)((size + piece - 1) / piece);
    struct gptl_iostack_record *r = gptl_iostack_take_slow(t, layer, n + 1);
    if (!r)
        return;
    *r = (struct gptl_iostack_record){
        .layer = (uint8_t)layer, .thread = t->thread, .number = hash, .bytes = (int64_t)size};
    for (unsigned i = 0; i < n; i++) {
        struct gptl_iostack_text text = {.kind = GPTL_IOSTACK_TEXT};
        size_t left = size - i * piece;
        memcpy(text.text, name + i * piece, left < piece ? left : piece);
        memcpy(&r[i + 1], &text, sizeof text);
    }
    gptl_iostack_show(r, GPTL_IOSTACK_NAME);
}

uint64_t gptl_iostack_name(struct gptl_iostack_thread *t, int layer, const char *name)
{
    size_t size = name ? strnlen(name, GPTL_IOSTACK_MOST_NAME) : 0;
    if (size == 0)
        return 0;
    uint64_t hash = gptl_iostack_hash(name, size);
    uint64_t *seen = &t->seen[layer][hash % GPTL_IOSTACK_SEEN];
    if (*seen != hash) {
        write_name(t, layer, hash, name, size);
        *seen = hash;
    }
    return hash;
}

/*
 * Set a name. Writing it may start a new chunk and unmap the span's record, so the record is looked
 * up afterwards.
 */
static void set_name(int layer, const char *name, size_t member)
{
    struct gptl_iostack_thread *t;
    struct gptl_iostack_record *r = enter(layer, &t);
    if (r) {
        uint64_t hash = gptl_iostack_name(t, layer, name);
        r = gptl_iostack_frame_of(t, layer)->record;
        if (r)
            memcpy((char *)r + member, &hash, sizeof hash);
    }
    leave(t);
}

void GPTLprobe_file(int layer, const char *name)
{
    set_name(layer, name, offsetof(struct gptl_iostack_record, file));
}

void GPTLprobe_node(int layer, const char *name)
{
    set_name(layer, name, offsetof(struct gptl_iostack_record, node));
}
