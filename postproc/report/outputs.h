/*
 * outputs.h - what gptl report makes of call paths: one file a format. Each writer returns 0, or -1
 * when there is no memory; whether all was written, OUT knows.
 */
#ifndef GPTL_POSTPROC_OUTPUTS_H
#define GPTL_POSTPROC_OUTPUTS_H

#include "postproc/paths/metric.h"
#include "postproc/paths/paths.h"
#include "postproc/predict/predicted.h"
#include "report/out.h"

struct output_options {
    enum metric sort;  /* METRIC_NONE: the format's own order */
    uint32_t top;      /* of regions, where the format is about them; 0: all */
    uint32_t *columns; /* of paths->counts: the metrics that are shown */
    uint32_t ncolumns;
    long weight;                       /* the column that is the weight of stacks; -1: time */
    struct gptl_accounts accounts;     /* rows of ledgers, of all ranks: see ledgers.h */
    const struct predicted *predicted; /* NULL: nothing was */
};

typedef int output_writer(struct gptl_out *out, const struct paths *paths,
                          const struct output_options *options);

output_writer table_write, flat_write, folded_write, speedscope_write, chrome_write, csv_write,
    csv_peers_write, csv_sizes_write, csv_files_write, dot_write, html_write, summary_write;

/* Stacks in folded and speedscope are no deeper: what lies below is one frame "(deeper)". */
enum { DEEPEST_STACK = 1000 };
#define DEEPER_FRAME "(deeper)"

/* What the columns of metrics mean, and what is not among them. Returns -1 when there is no memory. */
int outputs_legend(struct gptl_out *out, const struct paths *paths,
                   const struct output_options *options);

/* The name of a program is the last part of its path. */
const char *outputs_program(const struct paths *paths);

uint32_t outputs_processes(const struct paths *paths);

/* "model: 4 ranks, 8 threads", or "model: 4 ranks" with a thread each; not longer than SIZE. */
void outputs_title(const struct paths *paths, char *title, size_t size);

#endif
