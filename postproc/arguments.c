/* arguments.c - the options of a command line. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "postproc/arguments.h"

/* getopt's own messages do not say which command of gptl it is, nor where to read more. */
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
        word = letter; /* perhaps one of several in a word, which getopt has not left yet */
    fprintf(stderr, "%s: %s: %s; %s --help tells the options\n", who, word, what, who);
    return '?';
}
