/*
 * waits.c - wait times among ranks, from the time before collectives (option sync_mpi): in the
 * barrier before a collective, all ranks wait for the last one, which has the shortest wait.
 *
 * If different ranks arrive last in different calls, the sums over all calls show only the net
 * lateness.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ranks/print.h"
#include "report/name.h"
#include "report/table.h"

static const char prefix[] = "sync_";

bool gptl_ranks_waiting(const struct gptl_ranks_tree *tree, uint32_t row, double *lost)
{
    const struct gptl_ranks_row *of = &tree->rows[row];
    const char *name = gptl_ranks_name(tree, row);
    /* a receive waits for its sender */
    if (of->ranks.n < 2 || strncmp(name, prefix, sizeof prefix - 1) != 0 ||
        strcmp(name, "sync_Recv") == 0)
        return false;
    *lost = (of->ranks.mean - (double)of->min_rank.ns) * (double)of->ranks.n;
    if (*lost < 0) /* rounding */
        *lost = 0;
    return true;
}

struct wait {
    uint32_t row, parent; /* parent: UINT32_MAX at the top */
    double lost;
};

static int compare_waits(const void *left, const void *right)
{
    const struct wait *a = left, *b = right;
    if (a->lost < b->lost || a->lost > b->lost)
        return a->lost < b->lost ? 1 : -1;
    return (a->row > b->row) - (a->row < b->row);
}

/* Return the paths with waits, longest first; NULL when out of memory. */
static struct wait *find_waits(const struct gptl_ranks_tree *tree, uint32_t *n)
{
    uint32_t nregions = tree->head->nregions, nrows = gptl_ranks_nrows(tree), deepest = 0;
    for (uint32_t i = nregions; i < nrows; i++)
        if (tree->rows[i].depth > deepest)
            deepest = tree->rows[i].depth;
    uint32_t *last = malloc(((size_t)deepest + 1) * sizeof *last);
    struct wait *waits = malloc(((size_t)tree->head->npaths + 1) * sizeof *waits);
    *n = 0;
    if (!last || !waits) {
        free(last);
        free(waits);
        return NULL;
    }
    last[0] = UINT32_MAX;
    for (uint32_t i = nregions; i < nrows; i++) {
        double lost;
        last[tree->rows[i].depth] = i;
        if (gptl_ranks_waiting(tree, i, &lost))
            waits[(*n)++] = (struct wait){i, last[tree->rows[i].depth - 1], lost};
    }
    if (*n > 0)
        qsort(waits, *n, sizeof *waits, compare_waits);
    free(last);
    return waits;
}

static void put_wait(struct gptl_text *text, struct gptl_table *table,
                     const struct gptl_ranks_tree *tree, const struct wait *wait, bool put)
{
    const struct gptl_ranks_row *row = &tree->rows[wait->row];
    const char *name = gptl_ranks_name(tree, wait->row);
    const char *caller = wait->parent == UINT32_MAX ? "" : gptl_ranks_name(tree, wait->parent);
    const char *in = *caller ? " in " : "";
    size_t width = gptl_name_width(name, text->style.quote) + strlen(in) +
                   (*caller ? gptl_name_width(caller, text->style.quote) : 0);
    uint64_t cells[] = {gptl_table_wide_count(row->calls),
                        row->ranks.n,
                        gptl_table_wide_seconds(row->total),
                        gptl_table_real_seconds(wait->lost),
                        (uint64_t)row->min_rank.rank,
                        row->min_rank.ns,
                        row->max.ns,
                        (uint64_t)row->max.rank};
    if (!put) {
        gptl_table_fit(table, width, cells);
        return;
    }
    gptl_name_text(text->out, name, text->style.quote);
    gptl_out_text(text->out, in);
    if (*caller)
        gptl_name_text(text->out, caller, text->style.quote);
    gptl_table_cells(table, text->out, width, cells);
}

static void put_heads(struct gptl_text *text, struct gptl_table *table)
{
    gptl_out_literal(
        text->out, "\nWaiting before collectives (option sync_mpi), for the rank that comes last: "
                   "late is the one\nthat waited least, lost what the others waited longer than "
                   "it. Where ranks come last in turn,\nthese are sums: who is late on balance.\n");
    gptl_table_heads(table, text->out, "");
}

int gptl_ranks_put_waits(struct gptl_text *text, const struct gptl_ranks_tree *tree, int decimals)
{
    enum { MOST = 30 };
    uint32_t n;
    struct wait *waits = find_waits(tree, &n);
    if (!waits)
        return -1;
    struct gptl_table table = {.decimals = decimals, .wide = !text->style.narrow};
    gptl_table_column(&table, "calls", GPTL_CELL_COUNT);
    gptl_table_column(&table, "processes", GPTL_CELL_COUNT);
    gptl_table_column(&table, "waited", GPTL_CELL_SECONDS);
    gptl_table_column(&table, "lost", GPTL_CELL_SECONDS);
    gptl_table_column(&table, "late", GPTL_CELL_COUNT);
    gptl_table_column(&table, "waitmin", GPTL_CELL_SECONDS);
    gptl_table_column(&table, "waitmax", GPTL_CELL_SECONDS);
    gptl_table_column(&table, "proc", GPTL_CELL_COUNT);
    uint32_t shown = n < MOST ? n : MOST;
    for (int put = 0; put < 2 && n > 0; put++) {
        if (put)
            put_heads(text, &table);
        for (uint32_t i = 0; i < shown; i++)
            put_wait(text, &table, tree, &waits[i], put);
    }
    if (shown < n)
        gptl_out_format(text->out, "(%u more, of less)\n", n - shown);
    free(waits);
    return 0;
}
