/* text.c - a machine's profile as text: the rate that each level sustains, by kind of access. */
#include "config.h"

#include "postproc/maps/show.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "postproc/plot/plot.h"

#include "report/name.h"

void show_kind(const struct machine_kind *kind, char *text, size_t size)
{
    static const char *const operations[MACHINE_NOPERATIONS] = {"load", "store", "load+store",
                                                                "copy"};
    int n =
        snprintf(text, size, "%s, %s", operations[kind->operation], machine_accesses[kind->access]);
    if (kind->access == MACHINE_STRIDE)
        n += snprintf(text + n, size - (size_t)n, " %u line%s", kind->stride_lines,
                      kind->stride_lines == 1 ? "" : "s");
    if (kind->access_bytes != 8 || kind->width == MACHINE_VECTOR)
        snprintf(text + n, size - (size_t)n, ", %u bytes", kind->access_bytes);
}

static void put_size(struct gptl_out *out, double bytes)
{
    const char *unit;
    double divisor = plot_unit(bytes, &unit);
    gptl_out_format(out, "%.4g %s", bytes / divisor, unit);
}

static void put_head(const struct machine *machine, struct gptl_out *out)
{
    gptl_out_literal(out, "Machine ");
    gptl_name_text(out, machine->name, false);
    if (machine->made_from) {
        gptl_out_literal(out, ", made from ");
        gptl_name_text(out, machine->made_from, false);
        gptl_out_literal(out, " by");
        for (size_t i = 0; i < machine->nedits; i++) {
            gptl_out_char(out, ' ');
            gptl_name_text(out, machine->edits[i], false);
        }
    }
    gptl_out_literal(out, "\nmeasured on ");
    gptl_name_text(out, machine->host, false);
    gptl_out_literal(out, ", ");
    gptl_name_text(out, machine->date, false);
    gptl_out_literal(out, "\n");
    gptl_name_text(out, machine->processor, false);
    gptl_out_format(out, ", %u core%s, lines of %u bytes\n", machine->cores,
                    machine->cores == 1 ? "" : "s", machine->line_bytes);
}

/* Warn that the rates may be lower than the machine's if samples vary. */
static void put_note(const struct machine *machine, struct gptl_out *out)
{
    const double much = 0.1;
    size_t apart = 0, all = 0;
    for (size_t i = 0; i < machine->ncurves; i++)
        for (size_t j = 0; j < machine->curves[i].npoints; j++, all++)
            apart += machine->curves[i].points[j].spread > much;
    if (apart > all / 20)
        gptl_out_format(out,
                        "Note: at %zu of %zu points samples differ by more than 10 %%: other "
                        "programs used the machine.\n",
                        apart, all);
}

static void put_caches(const struct machine *machine, struct gptl_out *out)
{
    static const char *const sources[MACHINE_NSOURCES] = {"", ", measured", ", edited"};
    for (size_t i = 0; i < machine->ncaches; i++) {
        const struct machine_cache *cache = &machine->caches[i];
        gptl_out_format(out, "L%u: ", cache->level);
        put_size(out, (double)cache->bytes);
        if (cache->associativity)
            gptl_out_format(out, ", %u lines a set", cache->associativity);
        if (cache->shared_by_cores > 1)
            gptl_out_format(out, ", of %u cores", cache->shared_by_cores);
        gptl_out_format(out, "%s\n", sources[cache->source]);
    }
}

/* ---- Rates --------------------------------------------------------------------------------- */

enum { NAME = 30, CELL = 10 };

/* Write a number with its significant digits, at most four. */
static void put_number(struct gptl_out *out, double value)
{
    gptl_out_format(out, "%*.*f", CELL, value < 10 ? 2 : value < 100 ? 1 : 0, value);
}

static void put_levels(const struct machine *machine, struct gptl_out *out, const char *left)
{
    char level[32];
    gptl_out_format(out, "  %-*s", NAME, left);
    for (size_t i = 0; i < machine->ncaches; i++) {
        snprintf(level, sizeof level, "L%u", machine->caches[i].level);
        gptl_out_format(out, "%*s", CELL, level);
    }
    gptl_out_format(out, "%*s\n", CELL, "memory");
}

/* Write the rates of a curve; levels beyond its end stay empty. */
static void put_rates(const struct machine *machine, struct gptl_out *out,
                      const struct machine_curve *curve)
{
    double most = (double)curve->points[curve->npoints - 1].working_set_bytes;
    char text[128];
    show_kind(&curve->kind, text, sizeof text);
    gptl_out_format(out, "  %-*s", NAME, text);
    for (size_t i = 0; i <= machine->ncaches; i++) {
        double least, end, rate = machine_level_rate(machine, &curve->kind, i);
        machine_level_span(machine, i, curve->kind.cores, &least, &end);
        if (most <= least)
            gptl_out_format(out, "%*s", CELL, "-");
        else
            put_number(out, curve->kind.access == MACHINE_DEPENDENT ? 1e9 / rate : rate / 1e6);
    }
    gptl_out_literal(out, "\n");
}

static bool is_alike(const struct machine_curve *a, const struct machine_curve *b)
{
    return a->kind.pages == b->kind.pages && a->kind.cores == b->kind.cores;
}

/* Write all curves with the cores and pages of FIRST. */
static void put_group(const struct machine *machine, struct gptl_out *out,
                      const struct machine_curve *first)
{
    bool dependent = false;
    gptl_out_format(out, "\n%u core%s, %s pages: millions of accesses per second of a core\n",
                    first->kind.cores, first->kind.cores == 1 ? "" : "s at work",
                    machine_pages_names[first->kind.pages]);
    put_levels(machine, out, "");
    for (size_t i = 0; i < machine->ncurves; i++) {
        if (!is_alike(&machine->curves[i], first))
            continue;
        if (machine->curves[i].kind.access == MACHINE_DEPENDENT)
            dependent = true;
        else
            put_rates(machine, out, &machine->curves[i]);
    }
    if (dependent)
        gptl_out_format(out, "  %-*s\n", NAME, "nanoseconds of a load");
    for (size_t i = 0; dependent && i < machine->ncurves; i++)
        if (is_alike(&machine->curves[i], first) &&
            machine->curves[i].kind.access == MACHINE_DEPENDENT)
            put_rates(machine, out, &machine->curves[i]);
}

static void put_groups(const struct machine *machine, struct gptl_out *out)
{
    for (size_t i = 0; i < machine->ncurves; i++) {
        bool is_first = true;
        for (size_t j = 0; j < i; j++)
            is_first &= !is_alike(&machine->curves[i], &machine->curves[j]);
        if (is_first)
            put_group(machine, out, &machine->curves[i]);
    }
}

/* ---- Other parts --------------------------------------------------------------------------- */

static void put_core(const struct machine *machine, struct gptl_out *out)
{
    const struct machine_core *core = &machine->core;
    const struct {
        const char *what;
        double seconds;
    } rows[] = {{"addition", core->cycle_seconds},
                {"multiplication", core->multiply_integer_seconds},
                {"division", core->divide_integer_seconds},
                {"to floating point, or from it", core->convert_seconds},
                {"numbers of a vector moved", core->vector_seconds},
                {"load", core->load_seconds},
                {"load, floating point", core->load_float_seconds},
                {"load of what was just stored", core->forward_seconds},
                {"after a branch guessed wrong", core->refill_seconds},
                {"jump", core->jump_seconds},
                {"call, or return", core->call_seconds}};
    gptl_out_format(out, "\nWhole numbers of a core, one after the other\n  %-*s%*s\n", NAME, "",
                    CELL, "ns");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].seconds > 0) {
            gptl_out_format(out, "  %-*s", NAME, rows[i].what);
            put_number(out, rows[i].seconds * 1e9);
            gptl_out_literal(out, "\n");
        }
}

static void put_units(const struct machine *machine, struct gptl_out *out)
{
    if (machine->nunits > 0)
        gptl_out_format(out, "\nArithmetic of a core\n  %-*s%*s%*s\n", NAME, "", CELL, "Gflop/s",
                        CELL, "ns");
    for (size_t i = 0; i < machine->nunits; i++) {
        const struct machine_unit *unit = &machine->units[i];
        char text[128];
        snprintf(text, sizeof text, "%s, %s", machine_arithmetics[unit->operation],
                 machine_precisions[unit->precision]);
        if (unit->lanes > 1)
            snprintf(text + strlen(text), sizeof text - strlen(text), " x %u", unit->lanes);
        gptl_out_format(out, "  %-*s", NAME, text);
        put_number(out, unit->flops_per_second / 1e9);
        if (unit->latency_seconds > 0)
            put_number(out, unit->latency_seconds * 1e9);
        else
            gptl_out_format(out, "%*s", CELL, "-");
        gptl_out_literal(out, "\n");
    }
    if (machine->core.cycle_seconds > 0)
        put_core(machine, out);
    if (machine->instructions_per_second > 0)
        gptl_out_format(out, "  whole numbers and branches: %.3g billion instructions per second\n",
                        machine->instructions_per_second / 1e9);
    if (machine->window_instructions > 0 && machine->window_integers > 0)
        gptl_out_format(out,
                        "  begun while one waits: %.3g instructions, %.3g of whole numbers, "
                        "%.3g of vectors, %.3g stores\n",
                        machine->window_instructions, machine->window_integers,
                        machine->window_vectors, machine->window_stores);
    for (int i = 0; i < MACHINE_NPAGES; i++)
        if (machine->new_bytes_per_second[i] > 0)
            gptl_out_format(out, "  new memory, in %s pages: %.3g GB/s\n", machine_pages_names[i],
                            machine->new_bytes_per_second[i] / 1e9);
    if (machine->waiting_vectors > 0)
        gptl_out_format(out, "  in front of vector units: %.3g instructions that wait\n",
                        machine->waiting_vectors);
}

static void put_network(const struct machine *machine, struct gptl_out *out)
{
    const struct machine_network *network = machine->network;
    if (!network)
        return;
    gptl_out_format(out, "\nNetwork: %.4g us + bytes / %.4g GB/s\n", network->latency_seconds * 1e6,
                    network->bytes_per_second / 1e9);
    if (network->knows_eager)
        gptl_out_format(out, "  Above %llu bytes, senders wait for their receivers.\n",
                        (unsigned long long)network->eager_bytes);
    if (network->nmessages > 0)
        gptl_out_format(out, "  %-*s%*s%*s%*s%*s%*s%*s%*s%*s%*s\n", NAME - CELL,
                        "bytes of a message", CELL, "us", CELL, "fit", CELL, "GB/s", CELL, "sender",
                        CELL, "receiver", CELL, "exchange", CELL, "stream", CELL, "own part", CELL,
                        "sum");
    for (size_t i = 0; i < network->nmessages; i++) {
        const struct machine_message *message = &network->messages[i];
        gptl_out_format(out, "  %-*llu", NAME - CELL, (unsigned long long)message->bytes);
        put_number(out, message->seconds * 1e6);
        put_number(out, 1e6 * (network->latency_seconds +
                               (double)message->bytes / network->bytes_per_second));
        put_number(out, (double)message->bytes / message->seconds / 1e9);
        put_number(out, message->send_seconds * 1e6);
        put_number(out, message->receive_seconds * 1e6);
        put_number(out, message->exchange_seconds * 1e6);
        put_number(out, message->stream_seconds * 1e6);
        put_number(out, message->own_seconds * 1e6);
        put_number(out, message->reduction_seconds * 1e6);
        gptl_out_literal(out, "\n");
    }
}

void show_text(const struct machine *machine, struct gptl_out *out)
{
    put_head(machine, out);
    put_note(machine, out);
    put_caches(machine, out);
    put_groups(machine, out);
    put_units(machine, out);
    put_network(machine, out);
}
