/* choose_metrics.h - which of the metrics that were counted an output shows, and goes by. */
#ifndef GPTL_POSTPROC_CHOOSE_METRICS_H
#define GPTL_POSTPROC_CHOOSE_METRICS_H

#include "postproc/report/outputs.h"

/* As they were given; NULL: not. */
struct metric_words {
    const char *sort;    /* --sort */
    const char *metrics; /* --metrics: a list */
    const char *weight;  /* --metric */
};

/*
 * Fills in OPTIONS for what WRITE writes of PATHS; options->columns is to be freed. Returns 0, or -1
 * after a message.
 */
int choose_metrics(const struct paths *paths, const struct metric_words *words,
                   output_writer *write, struct output_options *options);

/* Tells on stderr the names of all that were counted, or only of those that are not derived. */
void metrics_list(const struct counts *counts, bool derived);

#endif
