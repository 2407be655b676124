/* gptl.c - the program gptl: dispatches to the subcommands. */
#include "config.h"

#include "postproc/commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "report/out.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
} commands[] = {
    {"run", gptl_run, "run a program that uses the library, and report even if it is killed"},
    {"avail", gptl_avail, "try the hardware counters, and tell which of them count here"},
    {"report", gptl_report, "print, sort, draw, convert reports; also what a killed process left"},
    {"diff", gptl_diff, "compare two runs, or several of each of two versions"},
    {"ioc", gptl_ioc, "say what is in a log of I/O calls"},
    {"iostack", gptl_iostack, "follow calls for I/O through all layers, down to the disk"},
    {"memsig", gptl_memsig, "say what a program asks of memory and arithmetic, block by block"},
    {"maps", gptl_maps, "measure what this machine sustains: memory, arithmetic, network"},
    {"predict", gptl_predict, "say what a program costs on a machine, region by region"},
    {"net", gptl_net, "replay traces of MPI programs on another machine"},
    {"filter", gptl_filter, "find the functions that cost more to measure than they tell"},
    {"hex2name", gptl_hex2name, "print a report with names of functions for its addresses"},
};

enum { NCOMMANDS = sizeof commands / sizeof commands[0] };

static void help(FILE *to)
{
    fprintf(to, "usage: gptl COMMAND [ARGUMENT...]\n\n");
    for (int i = 0; i < NCOMMANDS; i++)
        fprintf(to, "  %-8s  %s\n", commands[i].name, commands[i].what);
    fprintf(to, "\n`gptl COMMAND --help` tells more.\n"
                "Exit status: 0 done, 1 a finding, 2 wrong usage or input.\n");
}

/*
 * Alternative names of the installed program: old scripts use them, and other projects'
 * FindGPTL.cmake rejects an installation without gptl_avail.
 */
static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} old_names[] = {
    {"hex2name", gptl_hex2name},
    {"hex2name.pl", gptl_hex2name},
    {"gptl_avail", gptl_avail},
};

enum { NOLD_NAMES = sizeof old_names / sizeof old_names[0] };

static int run(int argc, char **argv)
{
    const char *path = argc > 0 ? argv[0] : "", *slash = strrchr(path, '/');
    for (int i = 0; i < NOLD_NAMES; i++)
        if (strcmp(slash ? slash + 1 : path, old_names[i].name) == 0)
            return old_names[i].run(argc, argv);
    if (argc < 2) {
        help(stderr);
        return GPTL_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help(stdout);
        return GPTL_EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("gptl %s\n", PACKAGE_VERSION);
        return GPTL_EXIT_DONE;
    }
    for (int i = 0; i < NCOMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "gptl: there is no command \"%s\"; `gptl --help` lists them\n", argv[1]);
    return GPTL_EXIT_USAGE;
}

/* Report failed writes to standard output, e.g. on a full disk. */
int main(int argc, char **argv)
{
    gptl_out_ends_by_pipe = true;
    int status = run(argc, argv);
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "gptl: cannot write to standard output%s%s\n", errno ? ": " : "",
            errno ? strerror(errno) : "");
    return GPTL_EXIT_USAGE;
}
