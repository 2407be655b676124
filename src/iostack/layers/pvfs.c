/*
 * pvfs.c - the layer of the PVFS client. Each call gets an additional hint with the id of its span
 * as text: servers with probes use it to find the cause of their requests, and others pass it on.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "iostack/layers/calls.h"
#include "iostack/layers/kept.h"

#define WEAK(name) extern __typeof__(name) name __attribute__((weak))
WEAK(GPTLprobe_open);
WEAK(GPTLprobe_close);
WEAK(GPTLprobe_current);
WEAK(GPTLprobe_name);
WEAK(GPTLprobe_id_text);

/* Name used by the probes in servers; see probes/. */
static const char hint_name[] = "gptl.call";

enum { IO_READ = 1, IO_WRITE = 2 };
/* Argument positions of PVFS_sys_io and PVFS_isys_io; an object occupies the first two words. */
enum { OFFSET = 3, MEMORY = 5, RESPONSE = 7, TYPE = 8, OPERATION = 9 };

static struct gptl_layers_function hint_add = {.name = "PVFS_hint_add"},
                                   hint_copy = {.name = "PVFS_hint_copy"},
                                   hint_free = {.name = "PVFS_hint_free"},
                                   request_size = {.name = "PVFS_Request_size"};

static bool ask(const struct gptl_layers_call *call, struct gptl_layers_function *function,
                gptl_word a, const void *b)
{
    return (int)gptl_layers_ask(function, call->caller, a, gptl_layers_pointer(b), 0) == 0;
}

/* ---- Hints ----------------------------------------------------------------------------------- */

/* Pass a copy of the list with an additional hint; the program's list stays unchanged. */
static void add_hint(struct gptl_layers_call *call, GPTLcallid id)
{
    char text[GPTL_CALLID_TEXT] = "";
    void *hints = NULL, *given = (void *)(uintptr_t)call->words[call->row->at];
    int (*add)(void **list, const char *name, int length, void *value) = NULL;
    *(void **)&add = gptl_layers_next(&hint_add, call->caller);
    call->hints = NULL;
    if (!add || id.process == 0 || !gptl_layers_next(&hint_free, call->caller) ||
        (given && !ask(call, &hint_copy, gptl_layers_pointer(given), &hints)))
        return;
    GPTLprobe_id_text(id, text);
    if (add(&hints, hint_name, sizeof text, text) == 0)
        call->words[call->row->at] = gptl_layers_pointer(hints);
    call->hints = hints;
}

static void free_hints(struct gptl_layers_call *call)
{
    if (call->hints)
        gptl_layers_ask(&hint_free, call->caller, gptl_layers_pointer(&call->hints), 0, 0);
    call->hints = NULL;
}

/* ---- Operations that outlast their call ------------------------------------------------------ */

static struct gptl_kept_key operation_key(uint64_t operation)
{
    return (struct gptl_kept_key){GPTL_KEPT_OPERATION, 0, operation};
}

static int64_t completed(const void *response)
{
    return response ? *(const int64_t *)response : -1;
}

static void end_operation(uint64_t operation, bool is_good)
{
    struct gptl_kept kept;
    if (gptl_kept_take(operation_key(operation), &kept) && GPTLprobe_close)
        GPTLprobe_close((GPTLcallid){kept.id[0], kept.id[1]},
                        is_good ? completed(kept.response) : -1);
}

static int io_operation(const struct gptl_layers_call *call)
{
    int type = (int)call->words[TYPE];
    return type == IO_READ ? GPTL_OP_READ : type == IO_WRITE ? GPTL_OP_WRITE : GPTL_OP_OTHER;
}

/* Open a separate span for the operation, below the call's span. */
static void open_operation(struct gptl_layers_call *call)
{
    if (GPTLprobe_open)
        call->id = GPTLprobe_open(GPTL_LAYER_CLIENT, io_operation(call), GPTLprobe_current(),
                                  call->asked, call->offset);
}

static void posted(struct gptl_layers_call *call, gptl_word result)
{
    const uint64_t *operation = (const uint64_t *)(uintptr_t)call->words[OPERATION];
    const void *response = (const void *)(uintptr_t)call->words[RESPONSE];
    struct gptl_kept kept = {.id = {call->id.process, call->id.number}, .response = response};
    bool is_good = (int)result == 0;
    if (call->id.process == 0 || !GPTLprobe_close)
        return;
    if (is_good && operation && *operation != UINT64_MAX)
        gptl_kept_add(operation_key(*operation), &kept);
    else /* already complete, or never started */
        GPTLprobe_close(call->id, is_good ? completed(response) : -1);
}

/* ---- Argument forms -------------------------------------------------------------------------- */

enum form { NOTHING, OBJECT, NAME, SECOND_NAME, IO, POST, WAIT, TEST };

static void name_object(struct gptl_layers_call *call)
{
    char name[64];
    snprintf(name, sizeof name, "handle %" PRIu64 " of file system %" PRId32, call->words[0],
             (int32_t)call->words[1]);
    call->name = GPTLprobe_name(GPTL_LAYER_CLIENT, name);
}

static void before_io(struct gptl_layers_call *call)
{
    name_object(call);
    if (call->row->form == IO)
        call->operation = io_operation(call);
    call->offset = (int64_t)call->words[OFFSET];
    call->asked = -1;
    if (!ask(call, &request_size, call->words[MEMORY], &call->asked))
        call->asked = -1;
}

static void before(struct gptl_layers_call *call)
{
    switch ((enum form)call->row->form) {
    case IO:
    case POST:
        before_io(call);
        return;
    case OBJECT:
        name_object(call);
        return;
    case NAME:
    case SECOND_NAME:
        call->name =
            GPTLprobe_name(GPTL_LAYER_CLIENT,
                           (const char *)(uintptr_t)call->words[call->row->form == SECOND_NAME]);
        return;
    default:
        return;
    }
}

static void is_open(struct gptl_layers_call *call)
{
    call->hints = NULL;
    if (call->row->form == POST)
        open_operation(call);
    if (call->row->at >= 0)
        add_hint(call, call->id);
}

static void after(struct gptl_layers_call *call, gptl_word result)
{
    const gptl_word *w = call->words;
    free_hints(call);
    if (call->row->form == IO && (int)result == 0)
        call->bytes = completed((const void *)(uintptr_t)w[RESPONSE]);
    else if (call->row->form == POST)
        posted(call, result);
    else if (call->row->form == WAIT)
        end_operation(w[0], (int)result == 0);
    else if (call->row->form == TEST && (int)result >= 0 && w[0] && w[1]) {
        const uint64_t *done = (const uint64_t *)(uintptr_t)w[0];
        const int *n = (const int *)(uintptr_t)w[1], *errors = (const int *)(uintptr_t)w[3];
        for (int i = 0; i < *n; i++)
            end_operation(done[i], !errors || errors[i] == 0);
    }
}

/* ---- Functions ------------------------------------------------------------------------------- */

static const struct gptl_layers_library pvfs = {GPTL_LAYER_CLIENT, before, is_open, after};

#define ROW(symbol, what, how, hints_at, wide)                                                     \
    GPTL_LAYERS_ROW(symbol, .operation = GPTL_OP_##what, .is_wide = wide, .form = how,             \
                    .at = hints_at)
#define PVFS(symbol, what, how, hints_at)                                                          \
    ROW(symbol, what, how, hints_at, false)                                                        \
    GPTL_LAYERS_WRAPPER(pvfs, symbol)
#define PVFS_WIDE(symbol, what, how, hints_at)                                                     \
    ROW(symbol, what, how, hints_at, true)                                                         \
    GPTL_LAYERS_WIDE_WRAPPER(pvfs, symbol)
#include "iostack/layers/pvfs.def"
