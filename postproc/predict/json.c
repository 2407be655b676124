/* json.c - a prediction as JSON, see doc/prediction.schema.json. */
#include "config.h"

#include "postproc/predict/prediction.h"

#include <math.h>
#include <stdlib.h>

#include "report/json.h"
#include "report/name.h"

static void put_real(struct gptl_out *out, double value)
{
    if (isfinite(value))
        gptl_out_real(out, value);
    else
        gptl_out_literal(out, "null");
}

static void put_cost(struct gptl_out *out, const struct cost *cost)
{
    gptl_out_literal(out, "\"seconds\":");
    gptl_out_real(out, cost->total);
    gptl_json_key(out, "memory_seconds");
    gptl_out_real(out, cost->memory);
    gptl_json_key(out, "first_cache_seconds");
    gptl_out_real(out, cost->first);
    gptl_json_key(out, "lines_seconds");
    gptl_out_real(out, cost->lines);
    gptl_json_key(out, "scattered_seconds");
    gptl_out_real(out, cost->scattered);
    gptl_json_key(out, "arithmetic_seconds");
    gptl_out_real(out, cost->arithmetic);
    gptl_json_key(out, "issue_seconds");
    gptl_out_real(out, cost->issue);
    gptl_json_key(out, "core_seconds");
    gptl_out_real(out, cost->core);
    gptl_json_key(out, "pages_seconds");
    gptl_out_real(out, cost->pages);
}

static void put_sampling(struct gptl_out *out, const struct prediction *prediction)
{
    const struct signature *signature = prediction->signature;
    gptl_out_literal(out, "\"sampling\":");
    if (!signature->sampling.on) {
        gptl_out_literal(out, "null,\n");
        return;
    }
    gptl_out_literal(out, "{\"fraction\":");
    gptl_out_real(out, signature->sampling.fraction);
    gptl_json_key(out, "error");
    put_real(out, signature->sampling.error >= 0 ? signature->sampling.error : (double)NAN);
    gptl_out_format(out, ",\"doubtful\":%s},\n",
                    prediction_is_doubtful(prediction) ? "true" : "false");
}

static void put_sharing(struct gptl_out *out, const struct prediction_sharing *sharing)
{
    gptl_out_literal(out, "\"sharing\":");
    if (!sharing->host && !(sharing->preemptions > 0)) {
        gptl_out_literal(out, "null,\n");
        return;
    }
    gptl_out_literal(out, "{\"host\":");
    if (sharing->host)
        gptl_name_json(out, sharing->host);
    else
        gptl_out_literal(out, "null");
    gptl_out_format(out, ",\"ranks\":%u,\"cores\":%u,\"preemptions_per_second\":", sharing->ranks,
                    sharing->cores);
    gptl_out_real(out, sharing->preemptions);
    gptl_out_literal(out, "},\n");
}

static void put_head(struct gptl_out *out, const struct prediction *prediction)
{
    const struct prices *prices = prediction->prices;
    const struct prediction *base = prediction->base;
    gptl_out_literal(out, "{\"format\":\"gptl-prediction\",\"version\":1,\n\"signature\":");
    gptl_name_json(out, prediction->signature_path);
    gptl_json_key(out, "program");
    gptl_name_json(out, prediction->signature->program);
    gptl_json_key(out, "machine");
    gptl_name_json(out, prices->machine->name);
    gptl_out_format(out, ",\n\"model\":{\"pages\":\"%s\",\"cores\":%u,\"levels_by\":\"%s\"},\n",
                    machine_pages_names[prices->pages], prices->cores,
                    prediction->by_working_set ? "working_set" : "simulation");
    put_sampling(out, prediction);
    put_sharing(out, &prediction->sharing);
    put_cost(out, &prediction->regions[0]);
    gptl_out_literal(out, ",\n\"equation_1_accesses_per_second\":");
    gptl_out_real(out, prediction->equation_1);
    gptl_json_key(out, "ratio");
    if (!base) {
        gptl_out_literal(out, "null");
        return;
    }
    gptl_out_literal(out, "{\"to\":");
    gptl_name_json(out, base->prices->machine->name);
    gptl_json_key(out, "value");
    put_real(out, base->regions[0].total / prediction->regions[0].total);
    gptl_json_key(out, "by_equation_1");
    put_real(out, prediction->equation_1 / base->equation_1);
    gptl_out_char(out, '}');
}

static void put_region(struct gptl_out *out, const struct prediction *prediction, uint32_t number)
{
    const struct signature_region *region = &prediction->signature->regions[number];
    gptl_out_format(out, "%s{\"id\":%u,\"parent\":", number ? ",\n" : "\n", number);
    if (number)
        gptl_out_uint(out, region->parent);
    else
        gptl_out_literal(out, "null");
    gptl_json_key(out, "name");
    gptl_name_json(out, region->name);
    gptl_json_key(out, "calls");
    gptl_out_uint(out, region->calls);
    gptl_out_char(out, ',');
    put_cost(out, &prediction->regions[number]);
    gptl_json_key(out, "self_seconds");
    gptl_out_real(out, prediction->own[number].total);
    gptl_json_key(out, "base_seconds");
    put_real(out, prediction->base ? prediction->base->regions[number].total : (double)NAN);
    gptl_json_key(out, "measured_seconds");
    bool known = prediction->measured && prediction->measured[number].known;
    put_real(out, known ? prediction->measured[number].seconds : (double)NAN);
    gptl_json_key(out, "error");
    put_real(out, prediction_error(prediction, number));
    gptl_out_char(out, '}');
}

static void put_function(struct gptl_out *out, const struct prediction *prediction, uint32_t number)
{
    const struct signature_function *function = &prediction->signature->functions[number];
    gptl_out_literal(out, "{\"name\":");
    gptl_name_json(out, function->name);
    gptl_json_key(out, "file");
    gptl_name_json(out, function->file);
    gptl_json_key(out, "module");
    gptl_name_json(out, function->module);
    gptl_out_char(out, ',');
    put_cost(out, &prediction->functions[number]);
    gptl_out_char(out, '}');
}

static void put_block(struct gptl_out *out, const struct prediction *prediction, uint32_t number)
{
    const struct signature *signature = prediction->signature;
    const struct signature_block *block = &signature->blocks[number];
    gptl_out_literal(out, "{\"region\":");
    gptl_out_uint(out, block->region);
    gptl_json_key(out, "function");
    gptl_name_json(out, signature->functions[block->function].name);
    gptl_json_key(out, "line");
    gptl_out_uint(out, block->line);
    gptl_json_key(out, "address");
    gptl_out_uint(out, block->address);
    gptl_json_key(out, "executions");
    gptl_out_uint(out, block->executions);
    gptl_json_key(out, "accesses");
    gptl_out_uint(out, signature_accesses(block));
    gptl_json_key(out, "accesses_per_second");
    gptl_out_real(out, prediction->rates[number]);
    gptl_out_char(out, ',');
    put_cost(out, &prediction->blocks[number]);
    gptl_out_char(out, '}');
}

typedef void item_writer(struct gptl_out *out, const struct prediction *prediction,
                         uint32_t number);

/* Write the TOP items with the longest time. */
static int put_items(struct gptl_out *out, const struct prediction *prediction,
                     const struct cost *costs, uint32_t count, uint32_t top, item_writer *put)
{
    uint32_t *items, n;
    bool any = false;
    if (prediction_longest(costs, count, top, &items, &n))
        return -1;
    for (uint32_t i = 0; i < n; i++) {
        gptl_json_next_line(out, &any);
        put(out, prediction, items[i]);
    }
    free(items);
    return 0;
}

int prediction_json(struct gptl_out *out, const struct prediction *prediction, uint32_t top)
{
    const struct signature *signature = prediction->signature;
    put_head(out, prediction);
    gptl_out_literal(out, ",\n\"regions\":[");
    for (uint32_t i = 0; i < signature->nregions; i++)
        put_region(out, prediction, i);
    gptl_out_literal(out, "],\n\"functions\":[");
    if (put_items(out, prediction, prediction->functions, signature->nfunctions, top, put_function))
        return -1;
    gptl_out_literal(out, "],\n\"blocks\":[");
    if (put_items(out, prediction, prediction->blocks, signature->nblocks, top, put_block))
        return -1;
    gptl_out_literal(out, "]}\n");
    return 0;
}
