/*
 * command.c - gptl avail: tries each event of PAPI under a known load, and reports which events
 * count, which only appear to, which cannot, and which derived events can be computed.
 */
#include "config.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters/papi.h"
#include "postproc/arguments.h"
#include "postproc/avail/avail.h"
#include "postproc/commands.h"
#include "postproc/read/progress.h"

static const char usage[] =
    "usage: gptl avail [--json] [PATTERN]\n"
    "\n"
    "Starts each event that PAPI knows here, makes the processor and the kernel do\n"
    "what events count, and sorts them: those that count, those that start but read 0\n"
    "whatever is done, and those that cannot start, with the reason; then the derived\n"
    "events that these allow.\n"
    "\n"
    "PATTERN leaves those whose name has it in it, in either case; with * ? or [ it\n"
    "is one of the shell's, for the whole name. An event that has attributes may be\n"
    "named: perf::PAGE-FAULTS:u=1\n"
    "\n"
    "  --json  for a program to read\n"
    "\n"
    "Exit status: 0 an event counts, 1 none of these does, 2 wrong usage, or there is\n"
    "no PAPI.\n";

static bool matches(const char *name, const char *pattern)
{
    if (!pattern)
        return true;
    if (strpbrk(pattern, "*?["))
        return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
    return strcasestr(name, pattern) != NULL;
}

struct search {
    struct avail *avail;
    const char *pattern;
};

static bool see(void *arg, const char *name)
{
    struct search *search = arg;
    if (!matches(name, search->pattern))
        return true;
    struct avail_event *event = avail_event(search->avail, name, strlen(name));
    if (event)
        event->wanted = event->listed = true;
    return event != NULL;
}

/*
 * Try all events. The progress display counts an event as a megabyte, which takes a similar time to
 * read.
 */
static void try_all(struct avail *avail)
{
    enum { AS_LONG_AS = 1000000 };
    size_t n = avail->n;
    /* Run all loads once, so that none touches pages for the first time while an event counts. */
    const struct avail_load *load;
    for (size_t i = 0; (load = avail_load(i)); i++)
        load->run();
    struct progress progress = progress_begin("trying events", (uint64_t)n * AS_LONG_AS);
    for (size_t i = 0; i < n; i++) {
        progress_at(&progress, (uint64_t)i * AS_LONG_AS);
        avail_try(avail, &avail->event[i]);
    }
    progress_end(&progress);
}

/*
 * Try a name that PAPI does not list: an event with attributes, or a mistake that papi_find
 * explains.
 */
static void try_unlisted(struct avail *avail, const char *pattern)
{
    if (avail->n > 0 || avail->nderived > 0 || !pattern || strpbrk(pattern, "*?["))
        return;
    struct avail_event *event = avail_event(avail, pattern, strlen(pattern));
    if (event) {
        event->wanted = true;
        avail_try(avail, event);
    }
}

static bool any_counts(const struct avail *avail)
{
    for (size_t i = 0; i < avail->n; i++)
        if (avail->event[i].wanted && avail->event[i].state == AVAIL_COUNTS)
            return true;
    for (size_t i = 0; i < avail->nderived; i++)
        if (avail->derived[i].can)
            return true;
    return false;
}

static int print(const struct avail *avail, bool json)
{
    struct gptl_out *out = gptl_out_new(STDOUT_FILENO);
    if (!out)
        return -1;
    if (json)
        avail_json(out, avail);
    else
        avail_text(out, avail);
    int error = gptl_out_flush(out);
    free(out);
    if (error)
        fprintf(stderr, "gptl avail: cannot write to standard output: %s\n", strerror(error));
    return error;
}

static int find_out(struct avail *avail, const char *pattern, bool json)
{
    struct search search = {avail, pattern};
    char why[PAPI_WHY_SIZE];
    if (!gptl_papi_begin(why, sizeof why)) {
        fprintf(stderr, "gptl avail: %s\n", why);
        return GPTL_EXIT_USAGE;
    }
    gptl_papi_each_name(see, &search);
    try_all(avail);
    avail_derive(avail, matches, pattern);
    try_unlisted(avail, pattern);
    int error = avail->no_memory ? -1 : print(avail, json);
    if (error < 0)
        fprintf(stderr, "gptl avail: there is no memory\n");
    if (error)
        return GPTL_EXIT_USAGE;
    return any_counts(avail) ? GPTL_EXIT_DONE : GPTL_EXIT_FINDING;
}

static int wrong(const char *what, const char *why)
{
    fprintf(stderr, "gptl avail: %s: %s; gptl avail --help tells the options\n", what, why);
    return GPTL_EXIT_USAGE;
}

int gptl_avail(int argc, char **argv)
{
    static const struct option all[] = {
        {"help", no_argument, NULL, 'h'},
        {"json", no_argument, NULL, 'j'},
        {NULL, 0, NULL, 0},
    };
    struct avail avail = {0};
    bool json = false;
    optind = 0;
    for (int option; (option = gptl_next_option("gptl avail", argc, argv, ":h", all)) != -1;) {
        if (option == 'h') {
            fputs(usage, stdout);
            return GPTL_EXIT_DONE;
        }
        if (option == '?')
            return GPTL_EXIT_USAGE;
        json = true;
    }
    if (argc - optind > 1)
        return wrong(argv[optind + 1], "one pattern is enough");
    const char *pattern = optind < argc ? argv[optind] : NULL;
    if (pattern && (!*pattern || strlen(pattern) >= PAPI_NAME_SIZE))
        return wrong(*pattern ? "PATTERN" : "\"\"", "this is no name or pattern of an event");
    int status = find_out(&avail, pattern, json);
    avail_free(&avail);
    return status;
}
