/* arguments.c - parses the options of a command line. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "postproc/arguments.h"

/* Replaces getopt's messages, which lack the subcommand and a pointer to --help. */
int gptl_next_option(const char *who, int argc, char **argv, const char *letters,
                     const struct option *all)
{
    opterr = 0;
    int option = getopt_long(argc, argv, letters, all, NULL);
    if (option != '?' && option != ':')
        return option;
    const char *word = argv[optind - 1], *what = "there is no such option";
    char letter[] = {'-', (char)optopt, '\0'};
    if (option == ':')
        what = "its value is missing";
    else if (optopt != 0 && (optopt > 127 || strchr(letters, optopt)))
        what = "it takes no value";
    else if (optopt != 0)
        word = letter; /* one of several letters in a word that getopt has not consumed yet */
    fprintf(stderr, "%s: %s: %s; %s --help tells the options\n", who, word, what, who);
    return '?';
}
