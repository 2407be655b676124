/* descriptors.c - the open descriptors of a process. */
#include "config.h"

#include "postproc/ioc/descriptors.h"

#include <stdlib.h>

#include "postproc/ioc/memory.h"

static void nothing_is_known(struct descriptors *d)
{
    d->descriptions[0] = (struct description){.position = -1, .users = 1};
}

void descriptors_begin(struct descriptors *d)
{
    *d = (struct descriptors){.last = -1};
    d->descriptions = memory_room(NULL, &d->room, 1, sizeof *d->descriptions);
    d->n = 1;
    nothing_is_known(d);
}

void descriptors_free(struct descriptors *d)
{
    free(d->descriptions);
    free(d->free);
    map_free(&d->open);
    *d = (struct descriptors){0};
}

static uint32_t number_of(struct descriptors *d, int32_t fd)
{
    if (fd == d->last)
        return d->last_number;
    uint64_t *known = map_find(&d->open, (uint32_t)fd);
    d->last = fd;
    d->last_number = known ? (uint32_t)*known : 0;
    return d->last_number;
}

struct description *descriptors_of(struct descriptors *d, int32_t fd)
{
    uint32_t number = number_of(d, fd);
    if (number == 0)
        nothing_is_known(d);
    return &d->descriptions[number];
}

static void close_one(struct descriptors *d, uint64_t *open)
{
    struct description *description = &d->descriptions[*open];
    if (*open != 0 && --description->users == 0) {
        d->free = memory_room(d->free, &d->free_room, d->nfree + 1, sizeof *d->free);
        d->free[d->nfree++] = (uint32_t)*open;
    }
    *open = 0;
    d->last = -1;
    d->last_number = 0;
}

static void set(struct descriptors *d, int32_t fd, uint32_t number)
{
    uint64_t *open = map_put(&d->open, (uint32_t)fd);
    if (number)
        d->descriptions[number].users++;
    close_one(d, open);
    *open = number;
}

void descriptors_open(struct descriptors *d, int32_t fd, uint32_t file, uint32_t flags,
                      int64_t position)
{
    uint32_t number;
    if (d->nfree > 0) {
        number = d->free[--d->nfree];
    } else {
        number = (uint32_t)d->n;
        d->descriptions = memory_room(d->descriptions, &d->room, d->n + 1, sizeof *d->descriptions);
        d->n++;
    }
    d->descriptions[number] =
        (struct description){.file = file, .flags = flags, .position = position};
    set(d, fd, number);
}

void descriptors_duplicate(struct descriptors *d, int32_t from, int32_t to)
{
    set(d, to, number_of(d, from));
}

void descriptors_close(struct descriptors *d, int32_t first, int64_t last)
{
    if (last - first < 64) {
        for (int64_t fd = first; fd <= last; fd++) {
            uint64_t *open = map_find(&d->open, (uint32_t)fd);
            if (open)
                close_one(d, open);
        }
        return;
    }
    for (size_t i = 0; i < d->open.size; i++) {
        struct map_entry *entry = &d->open.entries[i];
        int32_t fd = (int32_t)(uint32_t)entry->key;
        if (entry->used && fd >= first && fd <= last)
            close_one(d, &entry->value);
    }
}
