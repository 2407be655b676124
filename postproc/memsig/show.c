/*
 * show.c - gptl memsig show: the blocks, functions and regions with the most accesses, in the form
 * of table 1 of the paper: shares, arithmetic per access, randomness, hit rates.
 */
#include "config.h"

#include "postproc/arguments.h"
#include "postproc/memsig/memsig.h"
#include "postproc/memsig/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/commands.h"
#include "postproc/ioc/memory.h"

#include "report/file.h"
#include "report/name.h"

static const char usage[] = "usage: gptl memsig show [--top N] SIGNATURE.json\n"
                            "\n"
                            "  --top N   rows of each table [20]; 0: all\n";

enum { PATH_SHOWN = 4 }; /* innermost regions of a path to show */

static double part(uint64_t of, uint64_t all)
{
    return all > 0 ? (double)of / (double)all : 0;
}

/* Write BYTES with three digits and a unit. */
static void put_bytes(struct gptl_out *out, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1000 && unit < 6; unit++)
        value /= 1024;
    gptl_out_format(out, " %*.*f %-3s", 5,
                    value < 9.995 && unit   ? 2
                    : value < 99.95 && unit ? 1
                                            : 0,
                    value, units[unit]);
}

static void put_region(struct gptl_out *out, const struct signature *s, uint32_t region)
{
    uint32_t path[PATH_SHOWN];
    int n = 0;
    for (; region > 0 && n < PATH_SHOWN; region = s->regions[region].parent)
        path[n++] = region;
    gptl_out_text(out, n == 0 ? "(no region)" : region > 0 ? "... > " : "");
    while (n-- > 0) {
        gptl_name_text(out, s->regions[path[n]].name, false);
        gptl_out_text(out, n > 0 ? " > " : "");
    }
}

static void put_function(struct gptl_out *out, const struct signature *s, uint32_t number,
                         uint32_t line)
{
    const struct signature_function *function = &s->functions[number];
    const char *slash = strrchr(function->file, '/');
    gptl_name_text(out, *function->name ? function->name : "?", false);
    if (*function->file) {
        gptl_out_text(out, " (");
        gptl_name_text(out, slash ? slash + 1 : function->file, false);
        if (line > 0)
            gptl_out_format(out, ":%u", line);
        gptl_out_text(out, ")");
    } else if (*function->module) {
        gptl_out_text(out, " (");
        gptl_name_text(out, function->module, false);
        gptl_out_text(out, ")");
    }
}

static void put_heads(struct gptl_out *out, const struct signature *s, uint32_t machine,
                      const char *what)
{
    gptl_out_literal(out, "  cumul.%   acc.%  flops/acc");
    if (!s->only_caches)
        gptl_out_literal(out, "  random%  wrong%   work.set");
    for (uint32_t i = 0; s->nmachines > 0 && i < s->machines[machine].ncaches; i++)
        gptl_out_format(out, "  %sL%u%%%s", i > 0 ? "<=" : "  ",
                        s->machines[machine].caches[i].level, "");
    gptl_out_format(out, "  %s\n", what);
}

static void put_row(struct gptl_out *out, const struct signature *s, enum memsig_rows of,
                    uint32_t machine, const struct memsig_row *row, uint64_t all, uint64_t before)
{
    uint64_t found = 0;
    gptl_out_format(out, "  %7.2f %7.2f  %9.3f", 100 * part(before + row->accesses, all),
                    100 * part(row->accesses, all),
                    row->accesses ? (double)row->flops / (double)row->accesses : 0);
    if (!s->only_caches) {
        gptl_out_format(out, "  %7.2f %7.2f ", 100 * part(row->random, row->accesses),
                        100 * part(row->wrong, row->branches));
        put_bytes(out, row->working_set);
    }
    for (uint32_t i = 0; s->nmachines > 0 && i < s->machines[machine].ncaches; i++) {
        found += row->hits[i];
        gptl_out_format(out, " %6.2f", 100 * part(found, row->accesses));
    }
    gptl_out_text(out, "  ");
    if (of == MEMSIG_REGIONS) {
        put_region(out, s, row->number);
    } else if (of == MEMSIG_FUNCTIONS) {
        put_function(out, s, row->number, 0);
    } else {
        const struct signature_block *block = &s->blocks[row->number];
        put_function(out, s, (uint32_t)block->function, (uint32_t)block->line);
        if (block->region > 0) {
            gptl_out_text(out, " in ");
            gptl_name_text(out, s->regions[block->region].name, false);
        }
    }
    gptl_out_char(out, '\n');
}

static void put_table(struct gptl_out *out, const struct signature *s, enum memsig_rows of,
                      uint32_t machine, uint32_t top)
{
    static const char *const whats[] = {"block", "function", "region (without those within)"};
    uint32_t n;
    uint64_t all = 0, before = 0;
    struct memsig_row *rows = memsig_rows(s, of, machine, &n);
    for (uint32_t i = 0; i < n; i++)
        all = rows[i].accesses > UINT64_MAX - all ? UINT64_MAX : all + rows[i].accesses;
    put_heads(out, s, machine, whats[of]);
    for (uint32_t i = 0; i < n && (top == 0 || i < top); i++) {
        put_row(out, s, of, machine, &rows[i], all, before);
        before += rows[i].accesses;
    }
    if (top > 0 && n > top)
        gptl_out_format(out, "  ... and %u more: --top %u shows them\n", n - top, n);
    gptl_out_char(out, '\n');
    free(rows);
}

static void put_summary(struct gptl_out *out, const struct signature *s)
{
    uint64_t loads = 0, stores = 0, scalar = 0, vector = 0;
    for (uint32_t i = 0; i < s->nblocks; i++) {
        loads += s->blocks[i].loads;
        stores += s->blocks[i].stores;
        scalar += s->blocks[i].flops_scalar;
        vector += s->blocks[i].flops_vector;
    }
    gptl_name_text(out, s->program, false);
    if (s->rank >= 0)
        gptl_out_format(out, ", rank %d", s->rank);
    else if (s->nranks > 1)
        gptl_out_format(out, ", %u ranks", s->nranks);
    gptl_out_format(out,
                    ", %u thread%s: %llu loads, %llu stores, %llu flops (%.0f %% in vectors)\n",
                    s->nthreads, s->nthreads == 1 ? "" : "s", (unsigned long long)loads,
                    (unsigned long long)stores, (unsigned long long)(scalar + vector),
                    100 * part(vector, scalar + vector));
    if (!s->complete)
        gptl_out_literal(out, "The program was killed: this is what was known before.\n");
    if (s->sampling.on) {
        gptl_out_format(out, "Sampled: %.1f %% of the accesses were simulated",
                        100 * s->sampling.fraction);
        if (s->sampling.error >= 0)
            gptl_out_format(out, ", standard error of the first hit rate %.3f %%\n",
                            100 * s->sampling.error);
        else
            gptl_out_literal(out, ", too few bursts to tell the error\n");
    }
    if (s->calls_beyond_paths > 0)
        gptl_out_format(
            out,
            "There were too many paths of regions: %llu calls on the last ones count in "
            "the regions around them (--paths).\n",
            (unsigned long long)s->calls_beyond_paths);
    for (uint32_t i = 0; i < s->nnotes; i++) {
        gptl_out_literal(out, "Note: ");
        gptl_name_text(out, s->notes[i], false);
        gptl_out_char(out, '\n');
    }
}

static void put_machine(struct gptl_out *out, const struct signature *s, uint32_t number)
{
    const struct signature_machine *machine = &s->machines[number];
    gptl_out_literal(out, "\nMachine ");
    gptl_name_text(out, machine->name, true);
    for (uint32_t i = 0; i < machine->ncaches; i++) {
        const struct signature_cache *cache = &machine->caches[i];
        gptl_out_format(out, "%s L%u", i > 0 ? "," : ":", cache->level);
        put_bytes(out, cache->bytes);
        gptl_out_format(out, "(lines of %u, %u ways)", cache->line_bytes, cache->associativity);
    }
    gptl_out_literal(out, "\n\n");
}

static void put_all(struct gptl_out *out, const struct signature *s, uint32_t top)
{
    put_summary(out, s);
    for (uint32_t m = 0; m < s->nmachines || m == 0; m++) {
        if (s->nmachines > 0)
            put_machine(out, s, m);
        put_table(out, s, MEMSIG_BLOCKS, m, top);
        put_table(out, s, MEMSIG_FUNCTIONS, m, top);
        put_table(out, s, MEMSIG_REGIONS, m, top);
    }
}

int memsig_show(int argc, char **argv)
{
    static const struct option all[] = {{"help", no_argument, NULL, 'h'},
                                        {"top", required_argument, NULL, 't'},
                                        {NULL, 0, NULL, 0}};
    unsigned long top = 20;
    char *end;
    optind = 0;
    for (int option; (option = gptl_next_option(WHO " show", argc, argv, ":h", all)) != -1;) {
        if (option == 'h')
            return fputs(usage, stdout) < 0 ? GPTL_EXIT_USAGE : GPTL_EXIT_DONE;
        if (option == '?')
            return GPTL_EXIT_USAGE;
        top = strtoul(optarg, &end, 10);
        if (*end || end == optarg || *optarg == '-' || top > UINT32_MAX) {
            fprintf(stderr, WHO " show: --top %s: a number of rows is needed\n", optarg);
            return GPTL_EXIT_USAGE;
        }
    }
    if (optind + 1 != argc) {
        fprintf(stderr, WHO " show: one signature is needed\n%s", usage);
        return GPTL_EXIT_USAGE;
    }
    struct signature *s = signature_read(WHO " show", argv[optind]);
    struct gptl_file file;
    if (!s)
        return GPTL_EXIT_USAGE;
    int result = GPTL_EXIT_USAGE;
    if (gptl_file_open(&file, WHO " show", "/dev/stdout", false) == 0) {
        put_all(file.out, s, (uint32_t)top);
        result = gptl_file_close(&file, true) ? GPTL_EXIT_USAGE : GPTL_EXIT_DONE;
    }
    signature_free(s);
    return result;
}
