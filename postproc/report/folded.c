/*
 * folded.c - folded stacks, one per line: "main;solve;dot 1234", with the exclusive time in
 * nanoseconds or an event count. flamegraph.pl, inferno and speedscope read the format. With
 * several lanes, a frame for the lane precedes the others.
 */
#include "config.h"

#include "postproc/report/outputs.h"

#include <stdlib.h>
#include <string.h>

#include "postproc/report/escape.h"

static const struct escape rules = {.instead = {[';'] = "\\x3b"}, .backslash = "\\"};

/* The encoded frames of the current path. */
struct stack {
    char *text;
    size_t length, room;
    size_t ends[DEEPEST_STACK + 1]; /* end of the frames of each depth */
    bool failed;
};

static void push_bytes(void *to, const char *bytes, size_t size)
{
    struct stack *stack = to;
    if (stack->room - stack->length < size) {
        size_t room = 2 * stack->room + size;
        char *text = realloc(stack->text, room);
        if (!text) {
            stack->failed = true;
            return;
        }
        stack->text = text;
        stack->room = room;
    }
    memcpy(stack->text + stack->length, bytes, size);
    stack->length += size;
}

/* Replace the frame at PATH's depth and drop deeper frames. */
static void push_frame(struct stack *stack, const struct path *path)
{
    stack->length = stack->ends[path->depth - 1];
    if (path->depth > 1)
        push_bytes(stack, ";", 1);
    if (*path->name)
        escape_pieces(&rules, path->name, push_bytes, stack);
    else
        push_bytes(stack, "(empty)", 7);
    stack->ends[path->depth] = stack->length;
}

static void put_line(struct gptl_out *out, const struct paths *paths, uint32_t lane,
                     const struct stack *stack, const char *more, uint64_t ns)
{
    if (ns == 0)
        return;
    if (paths->nlanes > 1) {
        gptl_out_text(out, paths->lanes[lane].label);
        gptl_out_char(out, ';');
    }
    gptl_out_bytes(out, stack->text, stack->length);
    gptl_out_text(out, more);
    gptl_out_char(out, ' ');
    gptl_out_uint(out, ns);
    gptl_out_char(out, '\n');
}

/* Write the weight below the depth limit, DEEPER for each lane, as a frame below the stack. */
static void put_deeper(struct gptl_out *out, const struct paths *paths, const struct stack *stack,
                       uint64_t *deeper)
{
    for (uint32_t lane = 0; lane < paths->nlanes; lane++) {
        put_line(out, paths, lane, stack, ";" DEEPER_FRAME, deeper[lane]);
        deeper[lane] = 0;
    }
}

/* Write all stacks. WEIGHT is the column of a counter, or -1 for time. */
static void put_stacks(struct gptl_out *out, const struct paths *paths, struct stack *stack,
                       uint64_t *deeper, long weight)
{
    bool any_deeper = false;
    for (uint32_t i = paths_next(paths, 0); i && !stack->failed; i = paths_next(paths, i)) {
        const struct path *path = &paths->paths[i];
        bool too_deep = path->depth > DEEPEST_STACK;
        if (any_deeper && !too_deep)
            put_deeper(out, paths, stack, deeper);
        any_deeper = too_deep;
        if (!too_deep)
            push_frame(stack, path);
        for (uint32_t p = path->parts; p; p = paths->parts[p].next) {
            const struct part *part = &paths->parts[p];
            uint64_t own = paths_weight(paths, p, weight);
            if (too_deep)
                deeper[part->lane] += own;
            else
                put_line(out, paths, part->lane, stack, "", own);
        }
    }
    if (any_deeper)
        put_deeper(out, paths, stack, deeper);
}

int folded_write(struct gptl_out *out, const struct paths *paths,
                 const struct output_options *options)
{
    struct stack *stack = calloc(1, sizeof *stack);
    uint64_t *deeper = calloc((size_t)paths->nlanes + 1, sizeof *deeper);
    bool failed = !stack || !deeper;
    if (!failed) {
        put_stacks(out, paths, stack, deeper, options->weight);
        failed = stack->failed;
        free(stack->text);
    }
    free(stack);
    free(deeper);
    return failed ? -1 : 0;
}
