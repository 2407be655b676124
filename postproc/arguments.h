/* arguments.h - the options of a command line. */
#ifndef GPTL_POSTPROC_ARGUMENTS_H
#define GPTL_POSTPROC_ARGUMENTS_H

#include <getopt.h>

/*
 * The next option as getopt_long gives it, -1 at the end, or '?' after a message that WHO begins, the
 * words before --help. LETTERS begin with ":" or "+:". Set optind to 0 before the first.
 */
int gptl_next_option(const char *who, int argc, char **argv, const char *letters,
                     const struct option *all);

#endif
