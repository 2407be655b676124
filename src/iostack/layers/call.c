/*
 * call.c - a wrapped call: a region of libgptl, if the process contains it and it is on, and a
 * span, if libgptl_probe is present and on. Both are referenced weakly; without them a call only
 * passes through.
 *
 * Rare operations are separate functions: between two calls the program evicts this code from the
 * first-level cache, and reloading one line takes as long as the rest of a span.
 */
#include "config.h"

#include <errno.h>
#include <stddef.h>

#include "core/core.h"
#include "gptl_probe.h"
#include "iostack/layers/calls.h"
#include "iostack/on.h"

#define WEAK(name) extern __typeof__(name) name __attribute__((weak))
WEAK(GPTLprobe_begin_span);
WEAK(GPTLprobe_end_with);
WEAK(GPTLprobe_current);
WEAK(gptl_core_begin);
WEAK(gptl_core_end);

/*
 * The current call of each layer in this thread, identified by an address in its caller's frame.
 * Calls that the library makes from there, to its own functions or to the program's callbacks,
 * belong to this call. A call from higher up the stack proves that a callback left it by longjmp.
 */
static __thread struct within {
    const char *frame;
    const char *region;
    bool has_span;
} within[GPTL_LAYER_DISK] __attribute__((tls_model("initial-exec")));

/* End the region and the span. BYTES -1: unknown. */
static inline void leave(struct within *w, int layer, int64_t bytes)
{
    if (w->has_span)
        GPTLprobe_end_with(layer, bytes);
    if (w->region)
        gptl_core_end(w->region, GPTL_KIND_IO);
    *w = (struct within){NULL, NULL, false};
}

/* ---- Forwarding ------------------------------------------------------------------------------ */

#define EACH12(w, n)                                                                               \
    w[n], w[n + 1], w[n + 2], w[n + 3], w[n + 4], w[n + 5], w[n + 6], w[n + 7], w[n + 8],          \
        w[n + 9], w[n + 10], w[n + 11]

static GPTL_SELDOM gptl_word pass_wide(void *next, const gptl_word *w)
{
    gptl_word (*wide)(GPTL_LAYERS_WORDS(gptl_word), GPTL_LAYERS_MORE_WORDS(gptl_word)) = NULL;
    *(void **)&wide = next;
    return wide(EACH12(w, 0), EACH12(w, 12), w[24], w[25], w[26], w[27], w[28], w[29], w[30],
                w[31]);
}

static inline gptl_word pass(const struct gptl_layers_row *row, void *next, const gptl_word *w)
{
    gptl_word (*narrow)(GPTL_LAYERS_WORDS(gptl_word)) = NULL;
    if (row->is_wide)
        return pass_wide(next, w);
    *(void **)&narrow = next;
    return narrow(EACH12(w, 0));
}

/* ---- Region and span ------------------------------------------------------------------------- */

static inline void begin_region(struct within *w, const struct gptl_layers_row *row)
{
    if (!gptl_core_begin || !gptl_core_end)
        return;
    if (gptl_core_begin(row->name, GPTL_KIND_IO))
        w->region = row->name;
}

static inline void begin_span(struct within *w, struct gptl_layers_call *call,
                              const struct gptl_layers_library *library)
{
    int layer = library->layer;
    GPTLspan span = {.layer = layer,
                     .operation = call->operation,
                     .bytes = -1,
                     .offset = call->offset < 0 ? -1 : call->offset,
                     .file = call->name,
                     .opening = call->opening,
                     .collective = call->collective};
    GPTLprobe_begin_span(&span);
    w->has_span = true;
    call->id = GPTLprobe_current();
    if (library->open)
        library->open(call);
}

/*
 * Trace a call. Its attributes are determined before its span begins, so that the span excludes
 * this time.
 */
static inline gptl_word traced(const struct gptl_layers_library *library,
                               const struct gptl_layers_row *row, void *next, gptl_word *words,
                               const void *caller, struct within *w)
{
    struct gptl_layers_call call;
    call.row = row;
    call.words = words;
    call.caller = caller;
    call.operation = row->operation;
    call.bytes = call.offset = -1;
    call.collective = call.opening = 0;
    call.id = (GPTLcallid){0, 0};
    call.name = 0;
    int error = errno;
    library->before(&call);
    begin_region(w, row);
    begin_span(w, &call, library);
    errno = error;
    gptl_word result = pass(row, next, words);
    error = errno;
    library->after(&call, result);
    leave(w, library->layer, call.bytes);
    errno = error;
    return result;
}

/* Time a call for the report only, without determining attributes. */
static GPTL_SELDOM gptl_word timed(int layer, const struct gptl_layers_row *row, void *next,
                                   gptl_word *words, struct within *w)
{
    begin_region(w, row);
    gptl_word result = pass(row, next, words);
    int error = errno;
    leave(w, layer, -1);
    errno = error;
    return result;
}

static GPTL_SELDOM gptl_word watched(const struct gptl_layers_library *library,
                                     const struct gptl_layers_row *row, void *next,
                                     gptl_word *words)
{
    struct gptl_layers_call call;
    gptl_word result = pass(row, next, words);
    call.row = row;
    call.words = words;
    library->after(&call, result);
    return result;
}

/*
 * Return an error for a function without a next definition: its name exists only because this
 * library defines it. -1 is an error for all of these functions.
 */
static GPTL_SELDOM gptl_word missing(void)
{
    errno = ENOSYS;
    return (gptl_word)-1;
}

/* Forward a call made by the library itself. */
static GPTL_SELDOM gptl_word pass_within(const struct gptl_layers_row *row, void *next,
                                         const gptl_word *words)
{
    return pass(row, next, words);
}

static GPTL_SELDOM void leave_left(struct within *w, int layer)
{
    leave(w, layer, -1);
}

gptl_word gptl_layers_call(const struct gptl_layers_library *library,
                           const struct gptl_layers_row *row, struct gptl_layers_found *found,
                           gptl_word *words, const void *caller)
{
    void *next = gptl_layers_known(found);
    struct within *w = &within[library->layer];
    const char *frame = __builtin_frame_address(0);
    if (__builtin_expect(!next, 0) && !(next = gptl_layers_find(row->name, false, found, caller)))
        return missing();
    if (row->is_watched)
        return watched(library, row, next, words);
    if (__builtin_expect(w->frame != NULL, 0)) {
        if (frame < w->frame)
            return pass_within(row, next, words);
        leave_left(w, library->layer);
    }
    w->frame = frame;
    if (__builtin_expect(gptl_iostack_is_on(), 1))
        return traced(library, row, next, words, caller, w);
    return timed(library->layer, row, next, words, w);
}
