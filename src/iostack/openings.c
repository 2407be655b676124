/*
 * openings.c - files opened jointly by several processes. All of them make the same collective
 * calls on such a file in the same order, so the opening and a count of calls identify a collective
 * without communication. The opening is a hash of the file's name, the group, and the number of
 * times that this group has opened this file.
 */
#include "config.h"

#include "gptl_probe.h"

#include <pthread.h>
#include <stdlib.h>

#include "iostack/layers/files.h"
#include "iostack/state.h"

enum { NBUCKETS = 256 };

/* Number of times that a group has opened a file. */
struct opened {
    struct opened *next;
    uint64_t hash, times;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct opened *buckets[NBUCKETS];

uint64_t GPTLprobe_add_member(uint64_t members, int64_t rank)
{
    members = (members ^ (uint64_t)rank) * UINT64_C(0x9e3779b97f4a7c15);
    return members ^ members >> 29;
}

static uint64_t count_opening(uint64_t hash)
{
    pthread_mutex_lock(&mutex);
    struct opened **bucket = &buckets[hash % NBUCKETS], *o = *bucket;
    while (o && o->hash != hash)
        o = o->next;
    if (!o && (o = malloc(sizeof *o))) {
        *o = (struct opened){*bucket, hash, 0};
        *bucket = o;
    }
    uint64_t times = o ? ++o->times : 0;
    pthread_mutex_unlock(&mutex);
    return times;
}

uint64_t GPTLprobe_new_opening(const char *name, uint64_t members)
{
    uint64_t hash = members;
    for (const char *at = name; at && *at; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    uint64_t opening = GPTLprobe_add_member(hash, (int64_t)count_opening(hash));
    return opening ? opening : 1;
}

void GPTLprobe_open_file(int layer, const void *handle, const char *name, uint64_t members)
{
    struct gptl_layers_file *file = gptl_layers_file_made(layer, (uintptr_t)handle);
    if (!file)
        return;
    uint64_t opening = GPTLprobe_new_opening(name, members);
    atomic_store(&file->opening, opening);
    atomic_store(&file->collectives, 1);
    GPTLprobe_opened(layer, opening);
}

void GPTLprobe_count_collective(int layer, const void *handle)
{
    struct gptl_layers_file *file = gptl_layers_file(layer, (uintptr_t)handle);
    uint64_t opening, number;
    if (!file)
        return;
    number = gptl_layers_file_collective(file, &opening);
    gptl_iostack_set_collective(layer, opening, number);
}
