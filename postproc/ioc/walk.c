/*
 * walk.c - visits all calls of logs, process by process, or merged in order of time. A process is
 * opened when the time reaches its start.
 */
#include "config.h"

#include "postproc/ioc/walk.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/heap.h"
#include "postproc/ioc/memory.h"
#include "postproc/ioc/reader.h"
#include "postproc/read/progress.h"

/* ---- The selection ------------------------------------------------------------------------- */

static bool is_chosen(const struct log_process *process, const struct selection *selection)
{
    char number[32];
    const char *wanted = selection->process;
    if (selection->rank >= 0 && process->rank != selection->rank)
        return false;
    if (!wanted)
        return true;
    snprintf(number, sizeof number, "%lld", (long long)process->pid);
    const char *slash = strrchr(process->program, '/'), *colon = strrchr(wanted, ':');
    if (strcmp(wanted, number) == 0 || strcmp(wanted, process->label) == 0)
        return true;
    if (colon && strcmp(colon + 1, number) == 0)
        return strlen(process->host) == (size_t)(colon - wanted) &&
               strncmp(process->host, wanted, (size_t)(colon - wanted)) == 0;
    return fnmatch(wanted, process->program, 0) == 0 ||
           (slash && fnmatch(wanted, slash + 1, 0) == 0);
}

size_t walk_choose(const struct log *log, const struct selection *selection, bool *chosen)
{
    size_t n = 0;
    for (size_t i = 0; i < log->nprocesses; i++)
        n += chosen[i] = is_chosen(&log->processes[i], selection);
    return n;
}

static bool is_of_type(const struct call *call, const struct selection *selection)
{
    if (selection->types == 0 && selection->nnames == 0)
        return true;
    if (selection->types >> call->type & 1)
        return true;
    for (size_t i = 0; i < selection->nnames; i++)
        if (strcmp(selection->names[i], call->name) == 0)
            return true;
    return false;
}

/* Reduce a call between two files to its selected ends. Returns false if neither is selected. */
static bool keep_chosen_ends(struct call *call, const struct files *files)
{
    bool from = files->files[call->from.file].chosen;
    if (call->read == 0 && call->written == 0 && call->other && files->files[call->other].chosen)
        return true;
    if (!call->has_to || call_is_write(call))
        return from;
    bool to = files->files[call->to.file].chosen;
    if (!from && to) {
        call->read = 0;
        call->from = call->to;
        call->type = GPTL_IOC_WRITE;
    } else if (!to) {
        call->written = 0;
        call->has_to = false;
    }
    return from || to;
}

struct walking {
    struct log *log;
    const struct selection *selection;
    struct files *files;
    struct progress progress;
    uint64_t calls;
    call_visitor *visit;
    void *to;
};

static void offer(struct walking *walking, struct reader *reader)
{
    enum { OFTEN = 1 << 16 };
    const struct selection *selection = walking->selection;
    struct call *call = &reader->call;
    if (++walking->calls % OFTEN == 0)
        progress_at(&walking->progress, walking->log->done + reader->cursor.bytes);
    if (call->time < selection->from || call->time > selection->to || !is_of_type(call, selection))
        return;
    if (walking->files->glob && !keep_chosen_ends(call, walking->files))
        return;
    walking->visit(walking->to, call);
}

/* ---- Traversals ---------------------------------------------------------------------------- */

static void walk_processes(struct walking *walking, const bool *chosen)
{
    for (uint32_t i = 0; i < walking->log->nprocesses; i++) {
        struct reader reader;
        if (!chosen[i])
            continue;
        reader_begin(&reader, walking->log, walking->files, i);
        while (reader_next(&reader))
            offer(walking, &reader);
        reader_free(&reader);
    }
}

/* Advance the first reader past its call, or close it at its end. */
static void go_on(struct heap *heap)
{
    struct reader *reader = heap->items[0].what;
    if (reader_next(reader)) {
        heap_later(heap, reader->call.time);
    } else {
        reader_free(reader);
        free(reader);
        heap_pop(heap);
    }
}

static void walk_in_order(struct walking *walking, const bool *chosen)
{
    struct heap heap = {0};
    for (uint32_t i = 0; i < walking->log->nprocesses; i++)
        if (chosen[i])
            heap_push(&heap, (struct heap_item){reader_start(walking->log, i), i, NULL});
    while (heap.n > 0) {
        struct heap_item *first = &heap.items[0];
        if (!first->what) {
            struct reader *reader = memory_zeros(1, sizeof *reader);
            reader_begin(reader, walking->log, walking->files, (uint32_t)first->rank);
            first->what = reader;
        } else {
            offer(walking, first->what);
        }
        go_on(&heap);
    }
    free(heap.items);
}

void walk(struct log *log, const struct selection *selection, struct files *files, bool in_order,
          call_visitor *visit, void *to)
{
    struct walking walking = {log, selection, files, progress_begin("reading", log->whole),
                              0,   visit,     to};
    bool *chosen = memory_zeros(log->nprocesses, sizeof *chosen);
    walk_choose(log, selection, chosen);
    for (uint32_t i = 0; i < log->nprocesses && files->glob; i++)
        if (chosen[i])
            reader_learn(log, files, i);
    log->done = 0;
    for (size_t i = 0; i < files->n; i++)
        files->files[i].end = -1; /* may be set by an earlier traversal */
    if (in_order)
        walk_in_order(&walking, chosen);
    else
        walk_processes(&walking, chosen);
    progress_end(&walking.progress);
    free(chosen);
}

void walk_check(struct log *log)
{
    struct progress progress = progress_begin("checking", log->whole);
    uint64_t done = 0;
    for (size_t i = 0; i < log->nsections; i++) {
        struct log_section *from = &log->sections[i];
        const struct log_source *source = &log->sources[from->source];
        struct window window = {.fd = source->fd, .end = source->size};
        struct section section;
        section_load(&section, log, from, &window);
        section_free(&section);
        window_free(&window);
        progress_at(&progress, done += from->end - from->at);
    }
    progress_end(&progress);
}
