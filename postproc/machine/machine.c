/* machine.c - names used in a machine's profile, its destruction, and scaling of messages. */
#include "config.h"

#include "postproc/machine/machine.h"

#include <stdlib.h>

const char *const machine_operations[MACHINE_NOPERATIONS] = {"load", "store", "load_store", "copy"};
const char *const machine_accesses[MACHINE_NACCESSES] = {
    "sequential", "stride", "random", "dependent", "conflict", "split", "beside"};
const char *const machine_widths[MACHINE_NWIDTHS] = {"scalar", "vector"};
const char *const machine_pages_names[MACHINE_NPAGES] = {"small", "huge"};
const char *const machine_arithmetics[MACHINE_NARITHMETIC] = {"add", "multiply", "multiply_add",
                                                              "divide", "sqrt"};
const char *const machine_precisions[MACHINE_NPRECISIONS] = {"double", "single"};
const char *const machine_sources[MACHINE_NSOURCES] = {"kernel", "measured", "edited"};

void machine_free(struct machine *machine)
{
    for (size_t i = 0; i < machine->nedits; i++)
        free(machine->edits[i]);
    for (size_t i = 0; i < machine->ncurves; i++)
        free(machine->curves[i].points);
    if (machine->network)
        free(machine->network->messages);
    free(machine->network);
    free(machine->edits);
    free(machine->curves);
    free(machine->caches);
    free(machine->units);
    free(machine->name);
    free(machine->made_from);
    free(machine->host);
    free(machine->date);
    free(machine->processor);
    *machine = (struct machine){0};
}

/*
 * A rank's own part of a collective is not scaled; the arithmetic of a reduction is small compared
 * with its messages. The additional time of a noncontiguous message over a contiguous one is
 * packing, which is not scaled either.
 */
void machine_scale_message(struct machine_message *message, double scale)
{
    double own = message->own_seconds, whole = message->seconds;
#define NETWORK(name) message->name *= scale;
#define OWN(name)
#define COLLECTIVE(name)                                                                           \
    message->name = message->name > own ? own + (message->name - own) * scale : message->name;
#define PIECES(name)                                                                               \
    message->name =                                                                                \
        message->name > whole ? message->name + whole * (scale - 1) : message->name * scale;
#define PART(name, kind) kind(name)
#include "postproc/machine/message.def"
#undef PART
}
