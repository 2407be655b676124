/*
 * kept.c - hash chains under one lock. Every caller performs or requests I/O, so the lock's cost is
 * negligible.
 */
#include "config.h"

#include "iostack/layers/kept.h"

#include <pthread.h>
#include <stdlib.h>

enum { CHAINS = 1024 };

struct item {
    struct item *next;
    struct gptl_kept_key key;
    struct gptl_kept value;
};

static struct item *chains[CHAINS];
static unsigned how_many[GPTL_KEPT_KINDS]; /* skips the search for files without requests */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void before_fork(void)
{
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void setup(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

/* Return the link to the item of KEY, or to its insertion point. */
static struct item **place_of(struct gptl_kept_key key)
{
    uint64_t hash =
        (key.number * 31 + key.owner * 7 + (uint64_t)key.kind) * UINT64_C(0x9e3779b97f4a7c15);
    struct item **at = &chains[hash >> 32 & (CHAINS - 1)];
    while (*at && ((*at)->key.kind != key.kind || (*at)->key.owner != key.owner ||
                   (*at)->key.number != key.number))
        at = &(*at)->next;
    return at;
}

static struct item *item_of(struct gptl_kept_key key)
{
    struct item **at = place_of(key);
    if (!*at && (*at = calloc(1, sizeof **at))) {
        (*at)->key = key;
        how_many[key.kind]++;
    }
    return *at;
}

static void drop(struct item **at)
{
    struct item *item = *at;
    *at = item->next;
    how_many[item->key.kind]--;
    free(item);
}

void gptl_kept_add(struct gptl_kept_key key, const struct gptl_kept *value)
{
    pthread_mutex_lock(&lock);
    struct item *item = item_of(key);
    if (item) {
        struct gptl_kept before = item->value;
        item->value = *value;
        item->value.read += before.read;
        item->value.written += before.written;
    }
    pthread_mutex_unlock(&lock);
}

bool gptl_kept_take(struct gptl_kept_key key, struct gptl_kept *value)
{
    pthread_mutex_lock(&lock);
    struct item **at = place_of(key);
    bool is_there = *at != NULL;
    if (is_there) {
        *value = (*at)->value;
        drop(at);
    }
    pthread_mutex_unlock(&lock);
    return is_there;
}

void gptl_kept_take_all(enum gptl_kept_kind kind, uint64_t owner,
                        bool (*takes)(void *to, const struct gptl_kept *value), void *to)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < CHAINS && how_many[kind] > 0; i++)
        for (struct item **at = &chains[i]; *at;) {
            struct item *item = *at;
            if (item->key.kind == kind && item->key.owner == owner && takes(to, &item->value))
                drop(at);
            else
                at = &item->next;
        }
    pthread_mutex_unlock(&lock);
}
