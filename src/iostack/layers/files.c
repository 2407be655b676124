/* files.c - hash chains that only grow. */
#include "config.h"

#include "iostack/layers/files.h"

#include <stdlib.h>

#include "core/seldom.h"
#include "gptl_probe.h"

#pragma weak GPTLprobe_opened
#pragma weak GPTLprobe_opening

enum { CHAIN_BITS = 10 };

static _Atomic(struct gptl_layers_file *) chains[1 << CHAIN_BITS];

static inline _Atomic(struct gptl_layers_file *) *chain_of(int layer, uint64_t id)
{
    uint64_t hash = (id * 16 + (uint64_t)layer) * UINT64_C(0x9e3779b97f4a7c15);
    return &chains[hash >> (64 - CHAIN_BITS)];
}

static inline struct gptl_layers_file *find(struct gptl_layers_file *f, int layer, uint64_t id)
{
    while (f && (f->id != id || f->layer != layer))
        f = f->next;
    return f;
}

/*
 * Prepend a file to the chain that started with FIRST, unless another thread has added it in the
 * meantime.
 */
static GPTL_SELDOM struct gptl_layers_file *add(_Atomic(struct gptl_layers_file *) *chain,
                                                struct gptl_layers_file *first, int layer,
                                                uint64_t id)
{
    struct gptl_layers_file *found = NULL, *new = malloc(sizeof *new);
    if (!new)
        return NULL;
    *new = (struct gptl_layers_file){.next = first, .layer = layer, .id = id};
    while (!found && !atomic_compare_exchange_strong(chain, &new->next, new))
        found = find(new->next, layer, id);
    if (found)
        free(new);
    return found ? found : new;
}

struct gptl_layers_file *gptl_layers_file(int layer, uint64_t id)
{
    return find(atomic_load_explicit(chain_of(layer, id), memory_order_acquire), layer, id);
}

struct gptl_layers_file *gptl_layers_file_made(int layer, uint64_t id)
{
    _Atomic(struct gptl_layers_file *) *chain = chain_of(layer, id);
    struct gptl_layers_file *first = atomic_load_explicit(chain, memory_order_acquire);
    struct gptl_layers_file *found = find(first, layer, id);
    return found ? found : add(chain, first, layer, id);
}

void gptl_layers_file_opened(int layer, uint64_t id)
{
    uint64_t opening = GPTLprobe_opening();
    struct gptl_layers_file *file =
        opening ? gptl_layers_file_made(layer, id) : gptl_layers_file(layer, id);
    if (file) {
        atomic_store(&file->name, 0);
        atomic_store(&file->opening, opening);
        atomic_store(&file->collectives, opening != 0);
    }
    if (opening)
        GPTLprobe_opened(layer, opening);
}
