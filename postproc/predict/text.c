/* text.c - a prediction as tables in the style of the text report. */
#include "config.h"

#include "postproc/predict/prediction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/name.h"
#include "report/number.h"
#include "report/table.h"

enum {
    MARGIN = 2,
    /*
     * Limits the indentation: the lines of a very deep tree would need space quadratic in its
     * depth.
     */
    DEEPEST_INDENTED = 50,
    LABEL_SIZE = 512,
};

struct page {
    struct gptl_out *out;
    const struct prediction *prediction;
    int decimals;
};

/* ---- Cells --------------------------------------------------------------------------------- */

static uint64_t seconds_cell(double seconds)
{
    return gptl_number_ns_of(seconds);
}

static uint64_t percent_cell(double part)
{
    return isfinite(part) && part >= 0 && part < 1e9 ? (uint64_t)(part * 10000 + 0.5)
                                                     : GPTL_CELL_NONE;
}

static void begin(struct gptl_table *table, const struct page *page)
{
    *table = (struct gptl_table){.decimals = page->decimals};
    gptl_table_column(table, "Predicted", GPTL_CELL_SECONDS);
    gptl_table_column(table, "Memory", GPTL_CELL_SECONDS);
    gptl_table_column(table, "Core", GPTL_CELL_SECONDS);
    gptl_table_column(table, "Arithmetic", GPTL_CELL_SECONDS);
    gptl_table_column(table, "Issue", GPTL_CELL_SECONDS);
    gptl_table_column(table, "Pages", GPTL_CELL_SECONDS);
}

static unsigned put_cost(uint64_t *cells, const struct cost *cost)
{
    cells[0] = seconds_cell(cost->total);
    cells[1] = seconds_cell(cost->memory);
    cells[2] = seconds_cell(cost->core);
    cells[3] = seconds_cell(cost->arithmetic);
    cells[4] = seconds_cell(cost->issue);
    cells[5] = seconds_cell(cost->pages);
    return 6;
}

/* ---- Regions ------------------------------------------------------------------------------- */

struct tree {
    uint32_t *first, *next; /* children of a region, in file order; 0 ends */
    uint32_t *depth;
};

static void make_tree(struct tree *tree, const struct signature *signature)
{
    for (uint32_t i = signature->nregions; i-- > 1;) {
        uint32_t parent = signature->regions[i].parent;
        tree->next[i] = tree->first[parent];
        tree->first[parent] = i;
    }
    for (uint32_t i = 1; i < signature->nregions; i++)
        tree->depth[i] = tree->depth[signature->regions[i].parent] + 1;
}

/* Return the region after AT in depth-first order, or 0 at the end. */
static uint32_t next_region(const struct tree *tree, const struct signature *signature, uint32_t at)
{
    if (tree->first[at])
        return tree->first[at];
    while (at && !tree->next[at])
        at = signature->regions[at].parent;
    return at ? tree->next[at] : 0;
}

static void region_cells(const struct prediction *prediction, uint32_t region, uint64_t *cells)
{
    unsigned n = 0;
    cells[n++] = region ? prediction->signature->regions[region].calls : GPTL_CELL_NONE;
    n += put_cost(cells + n, &prediction->regions[region]);
    cells[n++] = seconds_cell(prediction->own[region].total);
    if (prediction->base)
        cells[n++] = seconds_cell(prediction->base->regions[region].total);
    if (prediction->measured) {
        const struct prediction_measured *measured = &prediction->measured[region];
        cells[n++] = measured->known ? seconds_cell(measured->seconds) : GPTL_CELL_NONE;
        cells[n] = gptl_table_real(100 * prediction_error(prediction, region));
    }
}

static size_t indent(uint32_t depth, char *level)
{
    *level = '\0';
    if (depth > DEEPEST_INDENTED) {
        level[0] = '[';
        size_t n = 1 + gptl_number_uint(level + 1, depth);
        strcpy(level + n, "] ");
        depth = DEEPEST_INDENTED;
    }
    return MARGIN * (size_t)depth;
}

static const char *region_name(const struct signature *signature, uint32_t region)
{
    return region ? signature->regions[region].name : "(all)";
}

static void region_columns(struct gptl_table *table, const struct page *page)
{
    *table = (struct gptl_table){.decimals = page->decimals};
    gptl_table_column(table, "Calls", GPTL_CELL_COUNT);
    gptl_table_column(table, "Predicted", GPTL_CELL_SECONDS);
    gptl_table_column(table, "Memory", GPTL_CELL_SECONDS);
    gptl_table_column(table, "Core", GPTL_CELL_SECONDS);
    gptl_table_column(table, "Arithmetic", GPTL_CELL_SECONDS);
    gptl_table_column(table, "Issue", GPTL_CELL_SECONDS);
    gptl_table_column(table, "Pages", GPTL_CELL_SECONDS);
    gptl_table_column(table, "Exclusive", GPTL_CELL_SECONDS);
    if (page->prediction->base)
        gptl_table_column(table, "On base", GPTL_CELL_SECONDS);
    if (page->prediction->measured) {
        gptl_table_column(table, "Measured", GPTL_CELL_SECONDS);
        gptl_table_events(table, "Error %", GPTL_CELL_RATE, false);
    }
}

static void put_region(const struct page *page, const struct gptl_table *table, uint32_t depth,
                       uint32_t region, const uint64_t *cells)
{
    char level[GPTL_NUMBER_SIZE];
    const char *name = region_name(page->prediction->signature, region);
    size_t width = indent(depth, level);
    gptl_out_blanks(page->out, width);
    gptl_out_text(page->out, level);
    gptl_name_text(page->out, name, false);
    gptl_table_cells(table, page->out, width + strlen(level) + gptl_name_width(name, false), cells);
}

static int put_regions(const struct page *page)
{
    const struct signature *signature = page->prediction->signature;
    uint32_t *numbers = calloc(3 * ((size_t)signature->nregions + 1), sizeof *numbers);
    if (!numbers)
        return -1;
    struct tree tree = {numbers, numbers + signature->nregions, numbers + 2 * signature->nregions};
    struct gptl_table table;
    uint64_t cells[GPTL_TABLE_COLUMNS];
    char level[GPTL_NUMBER_SIZE];
    make_tree(&tree, signature);
    region_columns(&table, page);
    uint32_t i = 0;
    do {
        size_t width = indent(tree.depth[i], level);
        region_cells(page->prediction, i, cells);
        gptl_table_fit(&table,
                       width + strlen(level) + gptl_name_width(region_name(signature, i), false),
                       cells);
    } while ((i = next_region(&tree, signature, i)));
    gptl_out_char(page->out, '\n');
    gptl_table_heads(&table, page->out, "Region");
    do {
        region_cells(page->prediction, i, cells);
        put_region(page, &table, tree.depth[i], i, cells);
    } while ((i = next_region(&tree, signature, i)));
    free(numbers);
    return 0;
}

/* ---- Functions and blocks ------------------------------------------------------------------ */

static void name_function(const struct prediction *prediction, uint32_t function, char *label)
{
    const struct signature_function *of = &prediction->signature->functions[function];
    const char *name = *of->name ? of->name : "(no name)",
               *where = *of->file ? of->file : of->module;
    snprintf(label, LABEL_SIZE, "%s%s%s%s", name, *where ? " (" : "", where, *where ? ")" : "");
}

static void name_block(const struct prediction *prediction, uint32_t number, char *label)
{
    const struct signature *signature = prediction->signature;
    const struct signature_block *block = &signature->blocks[number];
    const struct signature_function *of = &signature->functions[block->function];
    const char *slash = strrchr(of->file, '/'), *file = slash ? slash + 1 : of->file;
    const char *region = region_name(signature, (uint32_t)block->region);
    if (*file && block->line)
        snprintf(label, LABEL_SIZE, "%s, %s:%llu, in %s", of->name, file,
                 (unsigned long long)block->line, region);
    else
        snprintf(label, LABEL_SIZE, "%s 0x%llx, in %s", *of->name ? of->name : of->module,
                 (unsigned long long)block->address, region);
}

typedef void label_of(const struct prediction *prediction, uint32_t item, char *label);

/* Write the cells of a block in addition to its cost; functions lack them. */
static unsigned block_cells(const struct prediction *prediction, uint32_t number, uint64_t *cells)
{
    const struct signature_block *block = &prediction->signature->blocks[number];
    cells[0] = block->executions;
    cells[1] = signature_accesses(block);
    cells[2] = gptl_table_real(1e-6 * prediction->rates[number]);
    return 3;
}

static int put_items(const struct page *page, const char *head, const struct cost *costs,
                     uint32_t count, uint32_t top, label_of *label_it, bool blocks)
{
    uint32_t *items, n;
    double all = page->prediction->regions[0].total;
    struct gptl_table table;
    uint64_t cells[GPTL_TABLE_COLUMNS];
    char label[LABEL_SIZE];
    if (prediction_longest(costs, count, top, &items, &n))
        return -1;
    begin(&table, page);
    gptl_table_column(&table, "% of all", GPTL_CELL_PERCENT);
    if (blocks) {
        gptl_table_column(&table, "Executions", GPTL_CELL_COUNT);
        gptl_table_column(&table, "Accesses", GPTL_CELL_COUNT);
        gptl_table_events(&table, "M/s", GPTL_CELL_RATE, false);
    }
    for (int pass = 0; pass < 2 && n > 0; pass++) {
        if (pass == 1) {
            gptl_out_char(page->out, '\n');
            gptl_table_heads(&table, page->out, head);
        }
        for (uint32_t i = 0; i < n; i++) {
            unsigned at = put_cost(cells, &costs[items[i]]);
            cells[at++] = percent_cell(costs[items[i]].total / all);
            if (blocks)
                block_cells(page->prediction, items[i], cells + at);
            label_it(page->prediction, items[i], label);
            if (pass == 0) {
                gptl_table_fit(&table, gptl_name_width(label, false), cells);
                continue;
            }
            gptl_name_text(page->out, label, false);
            gptl_table_cells(&table, page->out, gptl_name_width(label, false), cells);
        }
    }
    free(items);
    return 0;
}

/* ---- Whole page ---------------------------------------------------------------------------- */

static void put_sampling(const struct page *page)
{
    const struct signature *signature = page->prediction->signature;
    if (!signature->sampling.on)
        return;
    gptl_out_format(page->out, "Note: the signature was sampled, %.3g %% of all accesses, ",
                    100 * signature->sampling.fraction);
    if (signature->sampling.error >= 0)
        gptl_out_format(page->out, "with a standard error of the first hit rate of %.3g %%\n",
                        100 * signature->sampling.error);
    else
        gptl_out_literal(page->out, "with too few bursts to tell its error\n");
    if (prediction_is_doubtful(page->prediction))
        gptl_out_literal(page->out,
                         "Warning: with that error times of memory may be wrong by a multiple; "
                         "trace all of it, with `gptl memsig` without --sample\n");
}

static void put_unknown_pages(const struct page *page, const struct prediction *of)
{
    uint64_t pages = 0;
    for (uint32_t i = 0; i < of->signature->nblocks; i++)
        pages += of->signature->blocks[i].new_pages;
    if (pages == 0 || of->prices->page_seconds > 0)
        return;
    gptl_out_literal(page->out, "Note: the profile of ");
    gptl_name_text(page->out, of->prices->machine->name, false);
    gptl_out_literal(page->out,
                     " does not tell what memory takes that is got anew, and the program gets "
                     "some; measure it with `gptl maps`\n");
}

static void put_sharing(const struct page *page)
{
    const double many = 50; /* preemptions per second */
    const struct prediction_sharing *sharing = &page->prediction->sharing;
    if (sharing->host) {
        gptl_out_format(page->out, "Note: %u measured ranks shared %u core%s of ", sharing->ranks,
                        sharing->cores, sharing->cores == 1 ? "" : "s");
        gptl_name_text(page->out, sharing->host, false);
        gptl_out_literal(page->out, "; the prediction has a core for each rank\n");
    }
    if (sharing->preemptions >= many)
        gptl_out_format(
            page->out,
            "Note: a measured process was preempted %.0f times a second; other programs "
            "used its cores\n",
            sharing->preemptions);
}

static void put_head(const struct page *page)
{
    const struct prediction *prediction = page->prediction;
    const struct cost *all = &prediction->regions[0];
    struct gptl_out *out = page->out;
    gptl_name_text(out, prediction->signature->program, false);
    gptl_out_literal(out, " on ");
    gptl_name_text(out, prediction->prices->machine->name, false);
    gptl_out_format(out, ", %s pages, %u core%s at work\n",
                    machine_pages_names[prediction->prices->pages], prediction->prices->cores,
                    prediction->prices->cores == 1 ? "" : "s");
    gptl_out_format(
        out,
        "  %.6g s: memory %.6g s, core %.6g s, arithmetic %.6g s, issue of instructions %.6g s, "
        "new pages %.6g s\n",
        all->total, all->memory, all->core, all->arithmetic, all->issue, all->pages);
    if (prediction->signature->nthreads > 1)
        gptl_out_format(out, "  times are sums over %u threads, which run at the same time\n",
                        prediction->signature->nthreads);
    gptl_out_format(out, "  Equation 1: %.4g million accesses a second\n",
                    1e-6 * prediction->equation_1);
    if (prediction->base) {
        gptl_out_format(out, "  %.4g times as fast as on ",
                        prediction->base->regions[0].total / all->total);
        gptl_name_text(out, prediction->base->prices->machine->name, false);
        gptl_out_format(out, "; by Equation 1 %.4g times\n",
                        prediction->equation_1 / prediction->base->equation_1);
    }
    if (prediction->by_working_set)
        gptl_out_literal(out, "Note: the caches of this machine were not simulated; which of them "
                              "serves an access is guessed by working sets\n");
    put_unknown_pages(page, prediction);
    if (prediction->base)
        put_unknown_pages(page, prediction->base);
    put_sampling(page);
    put_sharing(page);
}

int prediction_text(struct gptl_out *out, const struct prediction *prediction, uint32_t top)
{
    double all = prediction->regions[0].total;
    struct page page = {out, prediction, 9};
    if (all > 0)
        page.decimals = (int)fmax(2, fmin(9, 4 - floor(log10(all))));
    put_head(&page);
    if (put_regions(&page) ||
        put_items(&page, "Function", prediction->functions, prediction->signature->nfunctions, top,
                  name_function, false))
        return -1;
    return put_items(&page, "Block", prediction->blocks, prediction->signature->nblocks, top,
                     name_block, true);
}
