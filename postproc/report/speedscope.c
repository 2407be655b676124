/*
 * speedscope.c - a profile for https://www.speedscope.app, in its file-format-schema.json: frames
 * shared by all profiles, and for each lane a profile of stacks weighted by exclusive nanoseconds.
 * Another profile follows for each counted event.
 */
#include "config.h"

#include "postproc/report/outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/paths/lane_tree.h"

#include "report/name.h"

struct speedscope {
    struct gptl_out *out;
    const struct paths *paths;
    struct lane_tree tree;
    uint32_t *frame;   /* by path */
    uint32_t *of;      /* by region: its frame + 1 */
    uint32_t nframes;  /* the last one is DEEPER_FRAME */
    long weight;       /* column of the counter; -1: time */
    uint64_t sum;      /* sum of the lane's weights */
    uint64_t *weights; /* weights of the lane's stacks; written after all stacks */
    uint32_t nweights;
    uint32_t stack[DEEPEST_STACK + 1];
};

static void put_frame(struct speedscope *s, const struct path *path)
{
    const struct gptl_function *function = path->function;
    gptl_out_text(s->out, s->nframes++ ? ",\n{\"name\":" : "\n{\"name\":");
    gptl_name_json(s->out, path->name);
    if (function && function->file) {
        gptl_out_literal(s->out, ",\"file\":");
        gptl_name_json(s->out, function->file);
    }
    if (function && function->line > 0)
        gptl_out_format(s->out, ",\"line\":%d", function->line);
    gptl_out_char(s->out, '}');
}

/* Write a frame for each region, and for each path that represents omitted paths. */
static void put_frames(struct speedscope *s)
{
    for (uint32_t i = 1; i < s->paths->npaths; i++) {
        const struct path *path = &s->paths->paths[i];
        if (path->region && s->of[path->region]) {
            s->frame[i] = s->of[path->region] - 1;
            continue;
        }
        s->frame[i] = s->nframes;
        s->of[path->region] = s->nframes + 1;
        put_frame(s, path);
    }
    put_frame(s, &(struct path){.name = DEEPER_FRAME});
}

static void put_stack(struct speedscope *s, uint32_t depth, uint64_t weight)
{
    gptl_out_text(s->out, s->nweights ? ",\n[" : "\n[");
    for (uint32_t d = 1; d <= depth; d++) {
        if (d > 1)
            gptl_out_char(s->out, ',');
        gptl_out_uint(s->out, d > DEEPEST_STACK ? s->nframes - 1 : s->stack[d]);
    }
    gptl_out_char(s->out, ']');
    s->weights[s->nweights++] = weight;
    s->sum += weight;
}

static void put_stacks(struct speedscope *s, const struct lane *lane)
{
    uint64_t deeper = 0;
    s->sum = s->nweights = 0;
    lane_tree_make(&s->tree, lane);
    for (uint32_t at = lane_tree_next(&s->tree, lane->first_part); at;
         at = lane_tree_next(&s->tree, at)) {
        const struct part *part = &s->paths->parts[at];
        uint32_t depth = s->paths->paths[part->path].depth;
        uint64_t own = paths_weight(s->paths, at, s->weight);
        if (depth > DEEPEST_STACK) {
            deeper += own;
            continue;
        }
        if (deeper)
            put_stack(s, DEEPEST_STACK + 1, deeper);
        deeper = 0;
        s->stack[depth] = s->frame[part->path];
        if (own)
            put_stack(s, depth, own);
    }
    if (deeper)
        put_stack(s, DEEPEST_STACK + 1, deeper);
}

static void put_profile_name(struct speedscope *s, const struct lane *lane)
{
    if (s->weight < 0) {
        gptl_name_json(s->out, lane->label);
        return;
    }
    char name[200];
    snprintf(name, sizeof name, "%s: %s", lane->label, s->paths->counts->columns[s->weight].name);
    gptl_name_json(s->out, name);
}

static void put_profile(struct speedscope *s, const struct lane *lane)
{
    gptl_out_literal(s->out, "{\"type\":\"sampled\",\"name\":");
    put_profile_name(s, lane);
    gptl_out_text(s->out, s->weight < 0 ? ",\"unit\":\"nanoseconds\",\"samples\":["
                                        : ",\"unit\":\"none\",\"samples\":[");
    put_stacks(s, lane);
    gptl_out_literal(s->out, "],\n\"weights\":[");
    for (uint32_t i = 0; i < s->nweights; i++) {
        if (i > 0)
            gptl_out_char(s->out, ',');
        gptl_out_uint(s->out, s->weights[i]);
    }
    gptl_out_literal(s->out, "],\n\"startValue\":0,\"endValue\":");
    gptl_out_uint(s->out, s->sum);
    gptl_out_char(s->out, '}');
}

static void put_profiles(struct speedscope *s, const char *before)
{
    for (uint32_t i = 0; i < s->paths->nlanes; i++, before = ",\n") {
        gptl_out_text(s->out, before);
        put_profile(s, &s->paths->lanes[i]);
    }
}

static void put_document(struct speedscope *s, const struct output_options *options)
{
    char title[300];
    outputs_title(s->paths, title, sizeof title);
    gptl_out_literal(s->out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                             "\n\"exporter\":\"gptl " PACKAGE_VERSION "\",\"name\":");
    gptl_name_json(s->out, title);
    gptl_out_literal(s->out, ",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[");
    put_frames(s);
    gptl_out_literal(s->out, "]},\n\"profiles\":[");
    s->weight = options->weight;
    put_profiles(s, "\n");
    for (uint32_t i = 0; i < options->ncolumns && options->weight < 0; i++) {
        s->weight = options->columns[i];
        if (!s->paths->counts->columns[s->weight].expression)
            put_profiles(s, ",\n");
    }
    gptl_out_literal(s->out, "]}\n");
}

static uint32_t most_parts(const struct paths *paths)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < paths->nlanes; i++)
        most = paths->lanes[i].nparts > most ? paths->lanes[i].nparts : most;
    return most;
}

int speedscope_write(struct gptl_out *out, const struct paths *paths,
                     const struct output_options *options)
{
    struct speedscope s = {.out = out,
                           .paths = paths,
                           .frame = calloc(paths->npaths, sizeof *s.frame),
                           .of = calloc((size_t)paths->nregions + 1, sizeof *s.of),
                           .weights = malloc(most_parts(paths) * sizeof *s.weights)};
    bool made = s.frame && s.of && s.weights && lane_tree_init(&s.tree, paths) == 0;
    if (made)
        put_document(&s, options);
    free(s.frame);
    free(s.of);
    free(s.weights);
    lane_tree_free(&s.tree);
    return made ? 0 : -1;
}
