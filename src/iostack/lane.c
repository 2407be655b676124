/* lane.c - the chunks into which a thread writes. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "iostack/state.h"
#include "posix/apart.h"
#include "posix/raw.h"

enum { FIRST_CHUNK = 1 << 16, LARGEST_CHUNK = 1 << 20, GIVE_UP = 4096 };

/* Unmap a chunk. Spans open in it later end in separate records. */
static void unmap(struct gptl_iostack_thread *t, struct gptl_iostack_lane *lane)
{
    for (unsigned i = 0; i < t->depth; i++) {
        char *at = (char *)t->frames[i].record;
        if (at && at > (char *)lane->chunk && at < (char *)lane->chunk + lane->chunk->size)
            t->frames[i].record = NULL;
    }
    struct gptl_iostack_chunk *chunk = lane->chunk;
    lane->next = lane->limit = NULL;
    lane->chunk = NULL;
    atomic_signal_fence(memory_order_seq_cst); /* the thread may end after each step */
    if (!gptl_posix_is_sealed)
        gptl_raw_free(chunk, chunk->size);
}

struct growth {
    int layer;
    uint64_t size;
    void *memory;
};

static void grow(void *arg)
{
    struct growth *g = arg;
    g->memory = gptl_iostack_log_grow(g->layer, g->size);
}

/*
 * Allocate the next chunk. Chunks grow, so that small programs leave small files, and busy threads
 * rarely need another chunk.
 */
static bool next_chunk(struct gptl_iostack_thread *t, int layer)
{
    struct gptl_iostack_lane *lane = &t->lanes[layer];
    if (lane->refused > 0) {
        lane->refused--;
        return false;
    }
    uint64_t size = lane->size ? lane->size : FIRST_CHUNK;
    struct growth growth = {layer, size, NULL};
    if (gptl_posix_is_sealed)
        growth.memory = gptl_iostack_log_take(layer, size);
    else
        gptl_posix_apart(grow, &growth);
    struct gptl_iostack_chunk *chunk = growth.memory;
    if (!chunk) {
        lane->refused = GIVE_UP;
        return false;
    }
    if (lane->chunk)
        unmap(t, lane);
    *chunk =
        (struct gptl_iostack_chunk){.process = t->process, .size = size, .layer = (uint32_t)layer};
    __atomic_store_n(&chunk->magic, GPTL_IOSTACK_CHUNK_MAGIC, __ATOMIC_RELEASE);
    lane->chunk = chunk;
    atomic_signal_fence(memory_order_seq_cst);
    lane->next = (struct gptl_iostack_record *)(chunk + 1);
    lane->limit = lane->next + (size - sizeof *chunk) / sizeof *lane->next;
    lane->size = size < LARGEST_CHUNK ? size * 2 : size;
    return true;
}

struct gptl_iostack_record *gptl_iostack_take_slow(struct gptl_iostack_thread *t, int layer,
                                                   unsigned n)
{
    struct gptl_iostack_lane *lane = &t->lanes[layer];
    int error = errno;
    struct gptl_iostack_record *r = NULL;
    if ((size_t)(lane->limit - lane->next) >= n || next_chunk(t, layer)) {
        r = lane->next;
        lane->next += n;
    } else
        gptl_iostack_log_lost(layer, 1, 0);
    errno = error;
    return r;
}

void gptl_iostack_lanes_drop(struct gptl_iostack_thread *t)
{
    for (int i = 0; i < GPTL_IOSTACK_LAYERS; i++)
        if (t->lanes[i].chunk)
            unmap(t, &t->lanes[i]);
    memset(t->lanes, 0, sizeof t->lanes);
    memset(t->seen, 0, sizeof t->seen);
}
