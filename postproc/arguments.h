/* arguments.h - parses the options of a command line. */
#ifndef GPTL_POSTPROC_ARGUMENTS_H
#define GPTL_POSTPROC_ARGUMENTS_H

#include <getopt.h>

/*
 * Return the next option as getopt_long does, -1 at the end, or '?' after a message prefixed with
 * WHO, the command before --help. LETTERS begin with ":" or "+:". Set optind to 0 before the first
 * call.
 */
int gptl_next_option(const char *who, int argc, char **argv, const char *letters,
                     const struct option *all);

#endif
