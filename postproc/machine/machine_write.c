/* machine_write.c - writes machine.json. */
#include "config.h"

#include "postproc/machine/machine.h"

#include "report/json.h"
#include "report/name.h"

#define put_text_member(out, key, value)                                                           \
    do {                                                                                           \
        gptl_json_key(out, key);                                                                   \
        put_text(out, value);                                                                      \
    } while (0)

static void put_text(struct gptl_out *out, const char *text)
{
    if (text)
        gptl_name_json(out, text);
    else
        gptl_out_literal(out, "null");
}

/* Write a value; 0 means unknown. */
static void put_known(struct gptl_out *out, double value)
{
    if (value > 0)
        gptl_out_real(out, value);
    else
        gptl_out_literal(out, "null");
}

static void put_head(struct gptl_out *out, const struct machine *machine)
{
    gptl_out_literal(out, "{\"format\":\"gptl-machine\",\"version\":1,\n\"name\":");
    put_text(out, machine->name);
    put_text_member(out, "made_from", machine->made_from);
    gptl_json_key(out, "edits");
    gptl_out_char(out, '[');
    for (size_t i = 0; i < machine->nedits; i++) {
        if (i > 0)
            gptl_out_char(out, ',');
        gptl_name_json(out, machine->edits[i]);
    }
    gptl_out_literal(out, "],\n\"host\":");
    put_text(out, machine->host);
    put_text_member(out, "date", machine->date);
    put_text_member(out, "processor", machine->processor);
    gptl_out_format(out, ",\"cores\":%u,\"line_bytes\":%u", machine->cores, machine->line_bytes);
}

static void put_caches(struct gptl_out *out, const struct machine *machine)
{
    bool any = false;
    gptl_out_literal(out, ",\n\"caches\":[");
    for (size_t i = 0; i < machine->ncaches; i++) {
        const struct machine_cache *cache = &machine->caches[i];
        gptl_json_next_line(out, &any);
        gptl_out_format(out, "{\"level\":%u,\"bytes\":%llu,\"line_bytes\":%u,\"associativity\":",
                        cache->level, (unsigned long long)cache->bytes, cache->line_bytes);
        put_known(out, cache->associativity);
        gptl_out_format(out, ",\"shared_by_cores\":%u,\"source\":\"%s\"}", cache->shared_by_cores,
                        machine_sources[cache->source]);
    }
    gptl_out_char(out, ']');
}

static void put_curve(struct gptl_out *out, const struct machine_curve *curve)
{
    const struct machine_kind *kind = &curve->kind;
    gptl_out_format(out, "{\"operation\":\"%s\",\"access\":\"%s\",",
                    machine_operations[kind->operation], machine_accesses[kind->access]);
    if (kind->access == MACHINE_STRIDE)
        gptl_out_format(out, "\"stride_lines\":%u,", kind->stride_lines);
    gptl_out_format(out,
                    "\"width\":\"%s\",\"access_bytes\":%u,\"pages\":\"%s\",\"cores\":%u,"
                    "\"points\":[",
                    machine_widths[kind->width], kind->access_bytes,
                    machine_pages_names[kind->pages], kind->cores);
    for (size_t i = 0; i < curve->npoints; i++) {
        const struct machine_point *point = &curve->points[i];
        gptl_out_format(out, "%s{\"working_set_bytes\":%llu,\"accesses_per_second\":",
                        i > 0 ? ",\n  " : "\n  ", (unsigned long long)point->working_set_bytes);
        gptl_out_real(out, point->accesses_per_second);
        gptl_out_literal(out, ",\"spread\":");
        gptl_out_real(out, point->spread);
        gptl_out_char(out, '}');
    }
    gptl_out_literal(out, "]}");
}

static void put_units(struct gptl_out *out, const struct machine *machine)
{
    bool any = false;
    gptl_out_literal(out, ",\n\"arithmetic\":[");
    for (size_t i = 0; i < machine->nunits; i++) {
        const struct machine_unit *unit = &machine->units[i];
        gptl_json_next_line(out, &any);
        gptl_out_format(out,
                        "{\"operation\":\"%s\",\"width\":\"%s\",\"precision\":\"%s\",\"lanes\":%u,"
                        "\"flops_per_second\":",
                        machine_arithmetics[unit->operation], machine_widths[unit->width],
                        machine_precisions[unit->precision], unit->lanes);
        gptl_out_real(out, unit->flops_per_second);
        gptl_out_literal(out, ",\"latency_seconds\":");
        put_known(out, unit->latency_seconds);
        gptl_out_char(out, '}');
    }
    gptl_out_char(out, ']');
}

static void put_seconds(struct gptl_out *out, const char *key, double seconds)
{
    if (seconds <= 0)
        return;
    gptl_out_format(out, ",\"%s\":", key);
    gptl_out_real(out, seconds);
}

static void put_message(struct gptl_out *out, const struct machine_message *message)
{
    gptl_out_format(out, "{\"message_bytes\":%llu", (unsigned long long)message->bytes);
#define PART(name, kind) put_seconds(out, #name, message->name);
#include "postproc/machine/message.def"
#undef PART
    gptl_out_char(out, '}');
}

static void put_network(struct gptl_out *out, const struct machine_network *network)
{
    gptl_out_literal(out, ",\n\"network\":");
    if (!network) {
        gptl_out_literal(out, "null");
        return;
    }
    gptl_out_literal(out, "{\"latency_seconds\":");
    gptl_out_real(out, network->latency_seconds);
    gptl_out_literal(out, ",\"bytes_per_second\":");
    gptl_out_real(out, network->bytes_per_second);
    if (network->knows_eager)
        gptl_out_format(out, ",\"eager_bytes\":%llu", (unsigned long long)network->eager_bytes);
    gptl_out_format(out, ",\"missing_sizes\":%u", network->missing);
    gptl_out_literal(out, ",\"points\":[");
    for (size_t i = 0; i < network->nmessages; i++) {
        gptl_out_text(out, i > 0 ? ",\n  " : "\n  ");
        put_message(out, &network->messages[i]);
    }
    gptl_out_literal(out, "]}");
}

static void put_core(struct gptl_out *out, const struct machine_core *core)
{
    const char *before = ",\n\"core\":{";
#define TIME(name)                                                                                 \
    gptl_out_format(out, "%s\"" #name "\":", before);                                              \
    put_known(out, core->name);                                                                    \
    before = ",";
#include "postproc/machine/core.def"
#undef TIME
    gptl_out_char(out, '}');
}

static void put_measurement(struct gptl_out *out, const struct machine_measurement *measurement)
{
    if (measurement->seconds <= 0)
        return;
    gptl_out_literal(out, ",\n\"measurement\":{\"seconds\":");
    gptl_out_real(out, measurement->seconds);
    gptl_out_format(out, ",\"points\":%u,\"skipped_points\":%u,\"reduced\":%s,\"interrupted\":%s}",
                    measurement->points, measurement->skipped_points,
                    measurement->reduced ? "true" : "false",
                    measurement->interrupted ? "true" : "false");
}

void machine_write(const struct machine *machine, struct gptl_out *out)
{
    bool any = false;
    put_head(out, machine);
    put_caches(out, machine);
    gptl_out_literal(out, ",\n\"rates\":[");
    for (size_t i = 0; i < machine->ncurves; i++) {
        gptl_json_next_line(out, &any);
        put_curve(out, &machine->curves[i]);
    }
    gptl_out_char(out, ']');
    put_units(out, machine);
    gptl_out_literal(out, ",\n\"instructions_per_second\":");
    put_known(out, machine->instructions_per_second);
    put_core(out, &machine->core);
    gptl_out_literal(out, ",\n\"window_instructions\":");
    put_known(out, machine->window_instructions);
    gptl_out_literal(out, ",\n\"window_integers\":");
    put_known(out, machine->window_integers);
    gptl_out_literal(out, ",\n\"window_stores\":");
    put_known(out, machine->window_stores);
    gptl_out_literal(out, ",\n\"window_vectors\":");
    put_known(out, machine->window_vectors);
    gptl_out_literal(out, ",\n\"waiting_vectors\":");
    put_known(out, machine->waiting_vectors);
    gptl_out_literal(out, ",\n\"new_small_bytes_per_second\":");
    put_known(out, machine->new_bytes_per_second[MACHINE_SMALL]);
    gptl_out_literal(out, ",\n\"new_huge_bytes_per_second\":");
    put_known(out, machine->new_bytes_per_second[MACHINE_HUGE]);
    put_network(out, machine->network);
    put_measurement(out, &machine->measurement);
    gptl_out_literal(out, "}\n");
}
