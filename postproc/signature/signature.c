/* signature.c - frees and writes an application signature. */
#include "config.h"

#include "postproc/signature/signature.h"

#include <stdlib.h>

#include "report/name.h"

void signature_free(struct signature *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->ncommand; i++)
        free(s->command[i]);
    for (uint32_t i = 0; i < s->nnotes; i++)
        free(s->notes[i]);
    for (uint32_t i = 0; i < s->nmachines; i++)
        free(s->machines[i].name);
    for (uint32_t i = 0; i < s->nregions; i++)
        free(s->regions[i].name);
    for (uint32_t i = 0; i < s->nfunctions; i++) {
        free(s->functions[i].name);
        free(s->functions[i].file);
        free(s->functions[i].module);
    }
    free(s->command);
    free(s->notes);
    free(s->program);
    free(s->host);
    free(s->regions);
    free(s->functions);
    free(s->blocks);
    free(s->strides);
    free(s->found);
    free(s->cores);
    free(s);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void put_texts(struct gptl_out *out, char *const *texts, uint32_t n)
{
    gptl_out_char(out, '[');
    for (uint32_t i = 0; i < n; i++) {
        gptl_out_text(out, i > 0 ? "," : "");
        gptl_name_json(out, texts[i]);
    }
    gptl_out_char(out, ']');
}

static void put_uints(struct gptl_out *out, const uint64_t *numbers, uint32_t n)
{
    gptl_out_char(out, '[');
    for (uint32_t i = 0; i < n; i++) {
        gptl_out_text(out, i > 0 ? "," : "");
        gptl_out_uint(out, numbers[i]);
    }
    gptl_out_char(out, ']');
}

static void put_head(struct gptl_out *out, const struct signature *s)
{
    gptl_out_format(
        out, "{\"format\":\"gptl-signature\",\"version\":%d,\n\"program\":", SIGNATURE_VERSION);
    gptl_name_json(out, s->program);
    gptl_out_literal(out, ",\"command\":");
    put_texts(out, s->command, s->ncommand);
    gptl_out_literal(out, ",\"host\":");
    gptl_name_json(out, s->host);
    gptl_out_literal(out, ",\"rank\":");
    if (s->rank < 0)
        gptl_out_literal(out, "null");
    else
        gptl_out_uint(out, (uint64_t)s->rank);
    gptl_out_format(
        out,
        ",\"ranks\":%u,\"threads\":%u,\"complete\":%s,\"only_caches\":%s,\n\"notes\":", s->nranks,
        s->nthreads, s->complete ? "true" : "false", s->only_caches ? "true" : "false");
    put_texts(out, s->notes, s->nnotes);
    gptl_out_literal(out, ",\n\"calls_beyond_paths\":");
    gptl_out_uint(out, s->calls_beyond_paths);
    gptl_out_literal(out, ",\"sampling\":");
    if (!s->sampling.on) {
        gptl_out_literal(out, "null");
        return;
    }
    gptl_out_literal(out, "{\"fraction\":");
    gptl_out_real(out, s->sampling.fraction);
    gptl_out_literal(out, ",\"burst_blocks\":");
    gptl_out_uint(out, s->sampling.burst_blocks);
    gptl_out_literal(out, ",\"error\":");
    if (s->sampling.error >= 0)
        gptl_out_real(out, s->sampling.error);
    else
        gptl_out_literal(out, "null");
    gptl_out_char(out, '}');
}

static void put_machines(struct gptl_out *out, const struct signature *s)
{
    gptl_out_literal(out, ",\n\"machines\":[");
    for (uint32_t m = 0; m < s->nmachines; m++) {
        const struct signature_machine *machine = &s->machines[m];
        gptl_out_format(out, "%s\n{\"name\":", m > 0 ? "," : "");
        gptl_name_json(out, machine->name);
        gptl_out_format(out, ",\"line_bytes\":%u,\"caches\":[", machine->line_bytes);
        for (uint32_t i = 0; i < machine->ncaches; i++)
            gptl_out_format(out,
                            "%s{\"level\":%u,\"bytes\":%llu,\"line_bytes\":%u,"
                            "\"associativity\":%u}",
                            i > 0 ? "," : "", machine->caches[i].level,
                            (unsigned long long)machine->caches[i].bytes,
                            machine->caches[i].line_bytes, machine->caches[i].associativity);
        gptl_out_literal(out, "]}");
    }
    gptl_out_char(out, ']');
}

static void put_names(struct gptl_out *out, const struct signature *s)
{
    gptl_out_literal(out, ",\n\"regions\":[");
    for (uint32_t i = 0; i < s->nregions; i++) {
        gptl_out_format(out, "%s\n{\"id\":%u,\"parent\":", i > 0 ? "," : "", i);
        if (i > 0)
            gptl_out_uint(out, s->regions[i].parent);
        else
            gptl_out_literal(out, "null");
        gptl_out_literal(out, ",\"name\":");
        gptl_name_json(out, s->regions[i].name);
        gptl_out_literal(out, ",\"calls\":");
        gptl_out_uint(out, s->regions[i].calls);
        gptl_out_char(out, '}');
    }
    gptl_out_literal(out, "],\n\"functions\":[");
    for (uint32_t i = 0; i < s->nfunctions; i++) {
        gptl_out_text(out, i > 0 ? ",\n{\"name\":" : "\n{\"name\":");
        gptl_name_json(out, s->functions[i].name);
        gptl_out_literal(out, ",\"file\":");
        gptl_name_json(out, s->functions[i].file);
        gptl_out_literal(out, ",\"module\":");
        gptl_name_json(out, s->functions[i].module);
        gptl_out_char(out, '}');
    }
    gptl_out_char(out, ']');
}

/* Write the hits by kind and level; absent kinds are empty arrays. */
static void put_found(struct gptl_out *out, const struct signature *s, uint32_t block,
                      uint32_t machine)
{
    uint32_t levels = s->machines[machine].ncaches + 1;
    for (int i = 0; i < SIGNATURE_KINDS; i++) {
        const uint64_t *found = signature_found(s, block, machine, (enum signature_kind)i);
        bool any = false;
        for (uint32_t level = 0; level < levels; level++)
            any = any || found[level] > 0;
        gptl_out_char(out, i > 0 ? ',' : '[');
        put_uints(out, found, any ? levels : 0);
    }
    gptl_out_char(out, ']');
}

static void put_block(struct gptl_out *out, const struct signature *s, uint32_t number)
{
    const struct signature_block *block = &s->blocks[number];
    gptl_out_text(out, number > 0 ? ",\n[" : "\n[");
#define COLUMN(name, merge)                                                                        \
    gptl_out_uint(out, block->name);                                                               \
    gptl_out_char(out, ',');
#include "memsig/columns.def"
#undef COLUMN
    put_uints(out, signature_strides(s, number), s->nends + 1);
    gptl_out_literal(out, ",[");
    for (uint32_t m = 0; m < s->nmachines; m++) {
        gptl_out_text(out, m > 0 ? "," : "");
        put_found(out, s, number, m);
    }
    gptl_out_literal(out, "],[");
    for (uint32_t m = 0; m < s->nmachines; m++) {
        const uint64_t *core = signature_core(s, number, m);
        gptl_out_text(out, m > 0 ? "," : "");
        put_uints(out, core, core ? s->machines[m].ncaches + 1 : 0);
    }
    gptl_out_literal(out, "]]");
}

void signature_write(struct gptl_out *out, const struct signature *s)
{
    put_head(out, s);
    put_machines(out, s);
    put_names(out, s);
    gptl_out_literal(out, ",\n\"stride_bins_bytes\":");
    put_uints(out, s->ends, s->nends);
    gptl_out_literal(out, ",\n\"columns\":[");
#define COLUMN(name, merge) gptl_out_literal(out, "\"" #name "\",");
#include "memsig/columns.def"
#undef COLUMN
    gptl_out_literal(out, "\"strides\",\"found\",\"core\"],\n\"blocks\":[");
    for (uint32_t i = 0; i < s->nblocks; i++)
        put_block(out, s, i);
    gptl_out_literal(out, "]}\n");
}
