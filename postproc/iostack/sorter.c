/* sorter.c - external merge sort: sorted runs in a temporary file, and their merge. */
#include "config.h"

#include "postproc/iostack/sorter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postproc/commands.h"
#include "postproc/ioc/memory.h"

enum { IN_MEMORY = 48 << 20, RUN_BUFFER = 256 << 10, FIRST_ROOM = 1024 };

struct sort_entry {
    struct sort_key key;
    size_t index;
};

static int compare(const void *x, const void *y)
{
    const struct sort_entry *a = x, *b = y;
    int order = sort_key_compare(&a->key, &b->key);
    return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

__attribute__((noreturn)) static void give_up(const char *what)
{
    fprintf(stderr,
            "gptl iostack: cannot %s a temporary file: %s; set TMPDIR to a folder that has room\n",
            what, strerror(errno));
    exit(GPTL_EXIT_USAGE);
}

static int open_temporary(void)
{
    const char *place = getenv("TMPDIR");
    size_t size = place ? strlen(place) + 32 : 64;
    char *path = memory_zeros(size, 1);
    snprintf(path, size, "%s/gptl-iostack.XXXXXX", place && *place ? place : "/tmp");
    int fd = mkostemp(path, 02000000 /* O_CLOEXEC */);
    if (fd < 0)
        give_up("make");
    unlink(path);
    free(path);
    return fd;
}

static void write_all(struct sorter *s, const char *bytes, size_t size)
{
    uint64_t at = s->written * s->size;
    for (size_t done = 0; done < size;) {
        ssize_t n = pwrite(s->fd, bytes + done, size - done, (off_t)(at + done));
        if (n < 0 && errno != EINTR)
            give_up("write");
        done += n > 0 ? (size_t)n : 0;
    }
    s->written += size / s->size;
}

void sorter_begin(struct sorter *sorter, size_t size, sort_key_of *key_of)
{
    *sorter = (struct sorter){.size = size, .key_of = key_of, .fd = -1};
}

/* Sort the items in memory; logs are usually in order already, which saves the sort. */
static void make_order(struct sorter *s)
{
    bool in_order = true;
    s->order = memory_zeros(s->n, sizeof *s->order);
    for (size_t i = 0; i < s->n; i++) {
        s->order[i].index = i;
        if (!s->key_of)
            continue;
        s->order[i].key = s->key_of(s->items + i * s->size);
        in_order = in_order && (i == 0 || compare(&s->order[i - 1], &s->order[i]) <= 0);
    }
    if (!in_order)
        qsort(s->order, s->n, sizeof *s->order, compare);
}

/* Write the items in memory as a run. */
static void write_run(struct sorter *s)
{
    if (s->fd < 0)
        s->fd = open_temporary();
    s->runs = memory_room(s->runs, &s->runs_room, s->nruns + 1, sizeof *s->runs);
    s->runs[s->nruns++] = (struct sort_run){.at = s->written, .left = s->n};
    if (!s->key_of)
        write_all(s, s->items, s->n * s->size);
    else {
        size_t per_buffer = RUN_BUFFER / s->size + 1, used = 0;
        char *buffer = memory_zeros(per_buffer, s->size);
        make_order(s);
        for (size_t i = 0; i < s->n; i++) {
            memcpy(buffer + used++ * s->size, s->items + s->order[i].index * s->size, s->size);
            if (used == per_buffer || i + 1 == s->n) {
                write_all(s, buffer, used * s->size);
                used = 0;
            }
        }
        free(buffer);
        free(s->order);
        s->order = NULL;
    }
    s->n = 0;
}

void sorter_add(struct sorter *sorter, const void *item)
{
    if (sorter->n == sorter->room) {
        size_t most = IN_MEMORY / sorter->size;
        if (sorter->room >= most)
            write_run(sorter);
        else {
            size_t room = sorter->room ? sorter->room * 2 : FIRST_ROOM;
            room = room < most ? room : most;
            sorter->items = memory_room(sorter->items, &sorter->room, room, sorter->size);
        }
    }
    memcpy(sorter->items + sorter->n++ * sorter->size, item, sorter->size);
    sorter->total++;
}

/* ---- Merging ------------------------------------------------------------------------------- */

/* Read the next items of a run. Returns false at its end. */
static bool fill(struct sorter *s, struct sort_run *run)
{
    size_t most = RUN_BUFFER / s->size + 1, n = run->left < most ? (size_t)run->left : most;
    if (n == 0)
        return false;
    if (!run->buffer)
        run->buffer = memory_zeros(most, s->size);
    for (size_t done = 0; done < n * s->size;) {
        ssize_t got =
            pread(s->fd, run->buffer + done, n * s->size - done, (off_t)(run->at * s->size + done));
        if (got == 0 || (got < 0 && errno != EINTR))
            give_up("read");
        done += got > 0 ? (size_t)got : 0;
    }
    run->at += n;
    run->left -= n;
    run->used = 0;
    run->filled = n;
    return true;
}

static const char *first_of(const struct sorter *s, const struct sort_run *run)
{
    return run->buffer + run->used * s->size;
}

static bool is_before(const struct sorter *s, size_t x, size_t y)
{
    int order = s->key_of ? sort_key_compare(&s->runs[x].key, &s->runs[y].key) : 0;
    return order < 0 || (order == 0 && x < y);
}

static void sink(struct sorter *s, size_t at)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= s->nheap)
            return;
        if (child + 1 < s->nheap && is_before(s, s->heap[child + 1], s->heap[child]))
            child++;
        if (!is_before(s, s->heap[child], s->heap[at]))
            return;
        size_t other = s->heap[at];
        s->heap[at] = s->heap[child];
        s->heap[child] = other;
        at = child;
    }
}

void sorter_sort(struct sorter *sorter)
{
    struct sorter *s = sorter;
    if (s->nruns == 0) {
        if (s->n > 0)
            make_order(s);
        return;
    }
    if (s->n > 0)
        write_run(s);
    free(s->items);
    s->items = NULL;
    s->room = 0;
    s->heap = memory_zeros(s->nruns, sizeof *s->heap);
    for (size_t i = 0; i < s->nruns; i++)
        if (fill(s, &s->runs[i])) {
            if (s->key_of)
                s->runs[i].key = s->key_of(first_of(s, &s->runs[i]));
            s->heap[s->nheap++] = i;
        }
    for (size_t i = s->nheap / 2; i-- > 0;)
        sink(s, i);
}

bool sorter_next(struct sorter *sorter, void *item)
{
    struct sorter *s = sorter;
    if (s->nruns == 0) {
        if (s->next >= s->n)
            return false;
        memcpy(item, s->items + s->order[s->next++].index * s->size, s->size);
        return true;
    }
    if (s->nheap == 0)
        return false;
    struct sort_run *run = &s->runs[s->heap[0]];
    memcpy(item, first_of(s, run), s->size);
    if (++run->used == run->filled && !fill(s, run)) {
        free(run->buffer);
        run->buffer = NULL;
        s->heap[0] = s->heap[--s->nheap];
    } else if (s->key_of)
        run->key = s->key_of(first_of(s, run));
    sink(s, 0);
    return true;
}

void sorter_free(struct sorter *sorter)
{
    for (size_t i = 0; i < sorter->nruns; i++)
        free(sorter->runs[i].buffer);
    free(sorter->runs);
    free(sorter->heap);
    free(sorter->order);
    free(sorter->items);
    if (sorter->fd >= 0)
        close(sorter->fd);
    *sorter = (struct sorter){.fd = -1};
}
