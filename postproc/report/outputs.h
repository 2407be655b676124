/*
 * outputs.h - the output formats of gptl report, one file each. Each writer returns 0, or -1 if out
 * of memory; OUT records write errors.
 */
#ifndef GPTL_POSTPROC_OUTPUTS_H
#define GPTL_POSTPROC_OUTPUTS_H

#include "postproc/paths/metric.h"
#include "postproc/paths/paths.h"
#include "postproc/predict/predicted.h"
#include "report/out.h"

struct output_options {
    enum metric sort;  /* METRIC_NONE: the format's default order */
    uint32_t top;      /* maximum number of regions in formats that list regions; 0: all */
    uint32_t *columns; /* metrics to show, as columns of paths->counts */
    uint32_t ncolumns;
    long weight;                       /* column that weights stacks; -1: time */
    struct gptl_accounts accounts;     /* ledger rows of all ranks, see ledgers.h */
    const struct predicted *predicted; /* NULL without a prediction */
};

typedef int output_writer(struct gptl_out *out, const struct paths *paths,
                          const struct output_options *options);

output_writer table_write, flat_write, folded_write, speedscope_write, chrome_write, csv_write,
    csv_peers_write, csv_sizes_write, csv_files_write, dot_write, html_write, summary_write;

/* Depth limit of stacks in folded and speedscope; deeper frames become one frame "(deeper)". */
enum { DEEPEST_STACK = 1000 };
#define DEEPER_FRAME "(deeper)"

/*
 * Describe the metric columns, and the metrics that could not be counted. Returns -1 if out of
 * memory.
 */
int outputs_legend(struct gptl_out *out, const struct paths *paths,
                   const struct output_options *options);

/* Return the last component of the program's path. */
const char *outputs_program(const struct paths *paths);

uint32_t outputs_processes(const struct paths *paths);

/*
 * Write "model: 4 ranks, 8 threads", or "model: 4 ranks" with one thread each, at most SIZE bytes.
 */
void outputs_title(const struct paths *paths, char *title, size_t size);

#endif
