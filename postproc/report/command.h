/* command.h - what the command line of gptl report says. */
#ifndef GPTL_POSTPROC_REPORT_COMMAND_H
#define GPTL_POSTPROC_REPORT_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "postproc/report/choose_metrics.h"
#include "postproc/report/outputs.h"

struct output {
    const char *word; /* the option is --WORD */
    output_writer *write;
    bool of_regions; /* --top and --sort are the writer's own */
    bool is_page;    /* the option has the name of a file */
    bool of_lanes;   /* says nothing of what all ranks did together */
    const char *help;
};

struct command {
    const struct output *output; /* NULL: none given */
    const char *path;            /* NULL: stdout */
    const char *under;
    const char *prediction;
    struct metric_words words;
    long rank, thread; /* -1: all */
    bool help;
    struct output_options options;
};

/* Returns 0, or -1 after a message. The arguments that are no options then begin at optind. */
int command_parse(struct command *command, int argc, char **argv);
void command_usage(FILE *to);

/* The output that WRITE writes. */
const struct output *command_output(output_writer *write);

#endif
