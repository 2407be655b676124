/*
 * layout.c - prints timing.summary in layouts read by scripts: one table with a row per region in
 * the order of first use. `gptl8` is the layout of GPTL 8, `cesm` the layout of the climate models'
 * GPTL.
 *
 * Positions, words and numbers are fixed by those programs, so no other lines appear between the
 * rows; the JSON contains all further data of our layout.
 */
#include "config.h"

#include <stdlib.h>

#include "ranks/print.h"
#include "report/name.h"
#include "report/number.h"

struct column {
    const char *head;
    enum gptl_cell_kind kind;
    size_t width;
};

static const struct column gptl8_columns[] = {
    {"ncalls", GPTL_CELL_COUNT, 8},      {"nranks", GPTL_CELL_COUNT, 6},
    {"mean_time", GPTL_CELL_SECONDS, 9}, {"std_dev", GPTL_CELL_SECONDS, 9},
    {"wallmax", GPTL_CELL_SECONDS, 9},   {"(rank  thread)", GPTL_CELL_PLACE, 14},
    {"wallmin", GPTL_CELL_SECONDS, 9},   {"(rank  thread)", GPTL_CELL_PLACE, 14},
};

static const struct column cesm_columns[] = {
    {"on", GPTL_CELL_FLAG, 6},
    {"processes", GPTL_CELL_COUNT, 10},
    {"threads", GPTL_CELL_COUNT, 8},
    {"count", GPTL_CELL_POWER, 12},
    {"walltotal", GPTL_CELL_POWER, 14},
    {"wallmax", GPTL_CELL_SECONDS, 9},
    {"(proc   thrd  )", GPTL_CELL_PLACE, 15},
    {"wallmin", GPTL_CELL_SECONDS, 9},
    {"(proc   thrd  )", GPTL_CELL_PLACE, 15},
};

static const struct gptl_table_form gptl8_form = {.none = "-", .decimals = 3, .thread_width = 6};
static const struct gptl_table_form cesm_form = {.none = "-", .decimals = 3, .thread_width = 7};

/* Convert to a time that fits into a cell. */
static uint64_t ns_of(double value)
{
    return value < 0x1p62 ? (uint64_t)(value + 0.5) : UINT64_C(1) << 62;
}

/* Fill in mean and deviation over ranks, based on each rank's longest thread. */
static void gptl8_cells(const struct gptl_ranks_row *row, uint64_t *cell)
{
    *cell++ = gptl_table_wide_count(row->calls);
    *cell++ = row->ranks.n;
    *cell++ = ns_of(row->ranks.mean);
    *cell++ =
        ns_of(gptl_moments_deviation(&row->ranks, (double)row->max.ns - (double)row->min_rank.ns));
    *cell++ = ns_of((double)row->max.ns);
    *cell++ = gptl_table_place(row->max.rank, row->max.thread);
    *cell++ = ns_of((double)row->min.ns);
    *cell++ = gptl_table_place(row->min.rank, row->min.thread);
}

/* Fill in values of completed calls. */
static void cesm_cells(const struct gptl_ranks_row *row, uint64_t *cell)
{
    *cell++ = row->open_threads > 0;
    *cell++ = row->ended_ranks;
    *cell++ = row->ended_threads;
    *cell++ = gptl_table_real(gptl_wide_real(row->calls));
    *cell++ = gptl_table_real(gptl_wide_real(row->ended) * 1e-9);
    *cell++ = ns_of((double)row->ended_max.ns);
    *cell++ = gptl_table_place(row->ended_max.rank, row->ended_max.thread);
    *cell++ = ns_of((double)row->ended_min.ns);
    *cell++ = gptl_table_place(row->ended_min.rank, row->ended_min.thread);
}

/* ---- Rows ---------------------------------------------------------------------------------- */

struct item {
    uint64_t first;
    uint32_t row;
};

static int compare_items(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    return (a->first > b->first) - (a->first < b->first);
}

/* Return the *N regions called by some rank, in order of first use. NULL when out of memory. */
static struct item *sort_regions(const struct gptl_ranks_tree *tree, uint32_t *n)
{
    struct item *items = malloc(((size_t)tree->head->nregions + 1) * sizeof *items);
    *n = 0;
    for (uint32_t i = 0; items && i < tree->head->nregions; i++)
        if (tree->rows[i].threads.n > 0)
            items[(*n)++] = (struct item){tree->regions[tree->rows[i].region].first, i};
    if (items && *n > 0)
        qsort(items, *n, sizeof *items, compare_items);
    return items;
}

static void put_row(struct gptl_text *text, const struct gptl_table *table,
                    const struct gptl_ranks_tree *tree, uint32_t number)
{
    const struct gptl_ranks_row *row = &tree->rows[number];
    const char *name = gptl_ranks_name(tree, number);
    size_t width = gptl_name_width(name, text->style.quote);
    bool gptl8 = text->style.layout == GPTL_LAYOUT_GPTL8;
    uint64_t cells[GPTL_TABLE_COLUMNS];
    gptl_name_text(text->out, name, text->style.quote);
    if (gptl8 && row->open_threads > 0) {
        gptl_out_blanks(text->out, width < table->name_width ? table->name_width - width : 0);
        gptl_out_format(text->out, " NOT PRINTED: timer is currently ON for %llu threads\n",
                        (unsigned long long)row->open_threads);
        return;
    }
    if (gptl8)
        gptl8_cells(row, cells);
    else
        cesm_cells(row, cells);
    gptl_table_cells(table, text->out, width, cells);
}

int gptl_ranks_put_layout(struct gptl_text *text, const struct gptl_ranks_tree *tree)
{
    enum {
        NGPTL8 = sizeof gptl8_columns / sizeof *gptl8_columns,
        NCESM = sizeof cesm_columns / sizeof *cesm_columns
    };
    bool gptl8 = text->style.layout == GPTL_LAYOUT_GPTL8;
    const struct column *columns = gptl8 ? gptl8_columns : cesm_columns;
    struct gptl_table table = {.form = gptl8 ? &gptl8_form : &cesm_form, .name_width = 4};
    uint32_t n;
    struct item *items = sort_regions(tree, &n);
    if (!items)
        return -1;
    for (int i = 0; i < (gptl8 ? NGPTL8 : NCESM); i++)
        gptl_table_wide_column(&table, columns[i].head, columns[i].kind, columns[i].width);
    for (uint32_t i = 0; i < n; i++)
        gptl_table_fit(
            &table, gptl_name_width(gptl_ranks_name(tree, items[i].row), text->style.quote), NULL);
    if (!gptl8)
        gptl_out_format(text->out,
                        "***** GLOBAL STATISTICS (%6u MPI TASKS) *****\n\n"
                        "'on' indicates whether the timer was active during output, and so stats "
                        "are lower or upper bounds.\n\n",
                        tree->head->nranks);
    gptl_table_heads(&table, text->out, "name");
    for (uint32_t i = 0; i < n; i++)
        put_row(text, &table, tree, items[i].row);
    gptl_out_char(text->out, '\n');
    free(items);
    return 0;
}
