/* choose_metrics.h - the choice of the metrics that an output shows, sorts by or weights by. */
#ifndef GPTL_POSTPROC_CHOOSE_METRICS_H
#define GPTL_POSTPROC_CHOOSE_METRICS_H

#include "postproc/report/outputs.h"

/* The options as given, or NULL. */
struct metric_words {
    const char *sort;    /* argument of --sort */
    const char *metrics; /* argument of --metrics, a list */
    const char *weight;  /* argument of --metric */
};

/*
 * Fill in OPTIONS for output WRITE of PATHS; the caller frees options->columns. Returns 0, or -1
 * after a message.
 */
int choose_metrics(const struct paths *paths, const struct metric_words *words,
                   output_writer *write, struct output_options *options);

/* Print the names of all counted metrics on stderr, including derived ones if DERIVED. */
void metrics_list(const struct counts *counts, bool derived);

#endif
