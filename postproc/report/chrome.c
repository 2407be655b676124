/*
 * chrome.c - the Trace Event Format of chrome://tracing and Perfetto: a complete event for each
 * path in each lane. The profile contains sums, so the children of a path are placed one after the
 * other from its start: durations are true, timestamps are not. If crossed stops gave children more
 * time than their parent, the parent's event is extended to contain them; its arguments hold the
 * true time.
 */
#include "config.h"

#include "postproc/report/outputs.h"

#include <stdlib.h>
#include <string.h>

#include "postproc/paths/lane_tree.h"

#include "report/name.h"

struct chrome {
    struct gptl_out *out;
    const struct paths *paths;
    struct lane_tree tree;
    uint64_t *length; /* by part of the lane: duration of its event */
    uint64_t *next;   /* by part: start of its next child; 0 before the first */
    bool any;         /* an event has been written */
};

static void put_key(struct gptl_out *out, const char *key)
{
    gptl_out_literal(out, ",\"");
    gptl_out_text(out, key);
    gptl_out_literal(out, "\":");
}

static void put_microseconds(struct gptl_out *out, const char *key, uint64_t ns)
{
    put_key(out, key);
    gptl_out_uint(out, ns / 1000);
    if (ns % 1000)
        gptl_out_format(out, ".%03u", (unsigned)(ns % 1000));
}

static void put_place(struct chrome *c, const struct lane *lane)
{
    put_key(c->out, "pid");
    gptl_out_uint(c->out, lane->process > 0 ? (uint64_t)lane->process : 0);
    put_key(c->out, "tid");
    gptl_out_uint(c->out, (uint64_t)lane->thread);
}

static void begin_event(struct chrome *c, const char *name)
{
    gptl_out_text(c->out, c->any ? ",\n{\"name\":" : "\n{\"name\":");
    gptl_name_json(c->out, name);
    c->any = true;
}

/* Write a metadata event: a name, or a sort index. */
static void put_metadata(struct chrome *c, const struct lane *lane, const char *what,
                         const char *key, const char *text, uint64_t number)
{
    begin_event(c, what);
    gptl_out_literal(c->out, ",\"ph\":\"M\"");
    put_place(c, lane);
    gptl_out_literal(c->out, ",\"args\":{\"");
    gptl_out_text(c->out, key);
    gptl_out_literal(c->out, "\":");
    if (text)
        gptl_name_json(c->out, text);
    else
        gptl_out_uint(c->out, number);
    gptl_out_literal(c->out, "}}");
}

static void put_names(struct chrome *c, const struct lane *lane, bool first_of_process)
{
    char text[300];
    if (first_of_process) {
        size_t n = strnlen(lane->process_label, sizeof lane->process_label);
        memcpy(text, lane->process_label, n);
        text[n] = '\0';
        put_metadata(c, lane, "process_name", "name",
                     lane->process < 0 ? outputs_program(c->paths) : text, 0);
        put_metadata(c, lane, "process_sort_index", "sort_index", NULL,
                     (uint64_t)(lane - c->paths->lanes));
    }
    put_metadata(c, lane, "thread_name", "name", lane->label, 0);
    put_metadata(c, lane, "thread_sort_index", "sort_index", NULL, (uint64_t)lane->thread);
}

/* Compute the durations in one pass from the end, because parents precede children. */
static void make_lengths(struct chrome *c, const struct lane *lane)
{
    const struct part *parts = &c->paths->parts[lane->first_part];
    memset(c->next, 0, lane->nparts * sizeof *c->next);
    for (uint32_t i = lane->nparts; i-- > 0;) {
        uint64_t inside = c->next[i];
        c->length[i] = parts[i].figures.total > inside ? parts[i].figures.total : inside;
        if (i > 0)
            c->next[c->tree.parent[i] - lane->first_part] += c->length[i];
    }
    c->next[0] = 0;
}

static void put_event(struct chrome *c, const struct lane *lane, uint32_t at, uint64_t start)
{
    const struct figures *figures = &c->paths->parts[at].figures;
    begin_event(c, c->paths->paths[c->paths->parts[at].path].name);
    gptl_out_literal(c->out, ",\"cat\":\"gptl\",\"ph\":\"X\"");
    put_microseconds(c->out, "ts", start);
    put_microseconds(c->out, "dur", c->length[at - lane->first_part]);
    put_place(c, lane);
    gptl_out_literal(c->out, ",\"args\":{\"calls\":");
    gptl_out_uint(c->out, figures->calls);
    put_key(c->out, "seconds");
    gptl_out_seconds(c->out, figures->total);
    put_key(c->out, "self_seconds");
    gptl_out_seconds(c->out, figures->self);
    if (figures->min != UINT64_MAX) {
        put_key(c->out, "max_seconds");
        gptl_out_seconds(c->out, figures->max);
        put_key(c->out, "min_seconds");
        gptl_out_seconds(c->out, figures->min);
    }
    gptl_out_literal(c->out, "}}");
}

static void put_lane(struct chrome *c, const struct lane *lane)
{
    uint32_t first = lane->first_part;
    lane_tree_make(&c->tree, lane);
    make_lengths(c, lane);
    for (uint32_t at = lane_tree_next(&c->tree, first); at; at = lane_tree_next(&c->tree, at)) {
        uint64_t *place = &c->next[c->tree.parent[at - first] - first], start = *place;
        *place += c->length[at - first];
        c->next[at - first] = start;
        put_event(c, lane, at, start);
    }
}

static void put_document(struct chrome *c)
{
    const struct lane *lanes = c->paths->lanes;
    char title[300];
    outputs_title(c->paths, title, sizeof title);
    gptl_out_literal(c->out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"title\":");
    gptl_name_json(c->out, title);
    gptl_out_literal(c->out, ",\"note\":\"sums of all calls, laid side by side: lengths are true, "
                             "moments are not\",\"exporter\":\"gptl " PACKAGE_VERSION "\"},\n"
                             "\"traceEvents\":[");
    for (uint32_t i = 0; i < c->paths->nlanes; i++)
        put_names(c, &lanes[i], i == 0 || lanes[i].process != lanes[i - 1].process);
    for (uint32_t i = 0; i < c->paths->nlanes; i++)
        put_lane(c, &lanes[i]);
    gptl_out_literal(c->out, "]}\n");
}

int chrome_write(struct gptl_out *out, const struct paths *paths,
                 const struct output_options *options)
{
    uint32_t most = 1;
    (void)options;
    for (uint32_t i = 0; i < paths->nlanes; i++)
        most = paths->lanes[i].nparts > most ? paths->lanes[i].nparts : most;
    struct chrome c = {.out = out,
                       .paths = paths,
                       .length = malloc(most * sizeof *c.length),
                       .next = malloc(most * sizeof *c.next)};
    bool made = c.length && c.next && lane_tree_init(&c.tree, paths) == 0;
    if (made)
        put_document(&c);
    free(c.length);
    free(c.next);
    lane_tree_free(&c.tree);
    return made ? 0 : -1;
}
