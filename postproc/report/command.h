/* command.h - the parsed command line of gptl report. */
#ifndef GPTL_POSTPROC_REPORT_COMMAND_H
#define GPTL_POSTPROC_REPORT_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "postproc/report/choose_metrics.h"
#include "postproc/report/outputs.h"

struct output {
    const char *word; /* the option is --WORD */
    output_writer *write;
    bool of_regions; /* the writer handles --top and --sort itself */
    bool is_page;    /* the option takes a file name */
    bool of_lanes;   /* lacks totals over all ranks */
    const char *help;
};

struct command {
    const struct output *output; /* NULL: not given */
    const char *path;            /* NULL: stdout */
    const char *under;
    const char *prediction;
    struct metric_words words;
    long rank, thread; /* -1: all */
    bool help;
    struct output_options options;
};

/*
 * Parse the arguments. Returns 0, or -1 after a message. On success, optind is the index of the
 * first operand.
 */
int command_parse(struct command *command, int argc, char **argv);
void command_usage(FILE *to);

/* Return the output with writer WRITE. */
const struct output *command_output(output_writer *write);

#endif
