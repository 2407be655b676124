/*
 * filter.c - gptl filter: finds functions whose many short calls cost more to measure than they
 * reveal, and writes a file for the option filter.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/arguments.h"
#include "postproc/commands.h"
#include "postproc/read/inputs.h"
#include "postproc/paths/region_sums.h"

#include "report/file.h"

static const char usage[] =
    "usage: gptl filter [OPTION]... FILE|FOLDER...\n"
    "\n"
    "Reads JSON reports (timing.0.json) of a program compiled with\n"
    "-finstrument-functions, and writes which functions to leave out of the next run,\n"
    "with what that saves:\n"
    "\n"
    "  gptl filter timing.0.json -o small.filter\n"
    "  GPTL_OPTIONS=\"filter=small.filter\" ./program\n"
    "\n"
    "A function is left out when measuring a call takes a large enough part of the\n"
    "call's time, and of all measured time.\n"
    "\n"
    "  --cost PERCENT    … of the function's time, at least (default: 10)\n"
    "  --saves PERCENT   … of all time, at least (default: 0.1)\n"
    "  -o FILE           write there, not on stdout\n"
    "  --help            this\n"
    "\n"
    "Exit status: 0 done, 2 wrong usage or input.\n";

struct demand {
    double cost, saves;
    const char *to;
};

/* ---- Cost of measuring --------------------------------------------------------------------- */

/*
 * Return the seconds per call, the mean over the profiles; a profile without overhead data is
 * assumed to read the clock twice per call.
 */
static double cost_of_call(const struct inputs *inputs)
{
    double sum = 0;
    for (int i = 0; i < inputs->nprofiles; i++) {
        const struct gptl_profile *profile = inputs->profiles[i];
        sum += profile->has_overhead ? profile->overhead.self + profile->overhead.parent
                                     : 2 * profile->clock.cost;
    }
    return sum / inputs->nprofiles;
}

/* Return the sum of the inclusive times of all top-level paths in seconds. */
static double time_of_all(const struct paths *paths)
{
    double seconds = 0;
    for (uint32_t i = paths->paths[0].first_child; i; i = paths->paths[i].next_sibling)
        seconds += (double)paths->paths[i].figures.total * 1e-9;
    return seconds;
}

struct candidate {
    const struct region_sum *sum;
    double saved; /* seconds */
};

static int by_saved(const void *a, const void *b)
{
    double x = ((const struct candidate *)a)->saved, y = ((const struct candidate *)b)->saved;
    return x < y ? 1 : x > y ? -1 : 0;
}

/*
 * Choose the functions to exclude. Functions without a name are skipped, because a filter matches
 * names.
 */
static uint32_t choose(const struct paths *paths, const struct region_sums *sums,
                       const struct demand *demand, double cost, struct candidate *chosen)
{
    double all = time_of_all(paths);
    uint32_t n = 0;
    for (uint32_t i = 1; i <= paths->nregions; i++) {
        const struct region_sum *sum = &sums->sums[i];
        if (!sum->name || !sum->function || !sum->function->name)
            continue;
        double saved = (double)sum->figures.calls * cost;
        if (saved * 100 >= demand->cost * (double)sum->figures.total * 1e-9 &&
            saved * 100 >= demand->saves * all && saved > 0)
            chosen[n++] = (struct candidate){sum, saved};
    }
    if (n)
        qsort(chosen, n, sizeof *chosen, by_saved);
    return n;
}

/* ---- File ---------------------------------------------------------------------------------- */

/* Write a pattern that matches exactly this name. */
static void put_pattern(struct gptl_out *out, const char *name)
{
    gptl_out_literal(out, "exclude ");
    for (; *name; name++) {
        if (strchr("*?[\\", *name))
            gptl_out_char(out, '\\');
        gptl_out_char(out, *name == '\n' ? '?' : *name);
    }
    gptl_out_char(out, '\n');
}

static void put_sums(struct gptl_out *out, const struct candidate *chosen, uint32_t n,
                     const struct paths *paths, double cost)
{
    double saved = 0, all = time_of_all(paths);
    unsigned long long calls = 0, of_all = 0;
    for (uint32_t i = 0; i < n; i++) {
        saved += chosen[i].saved;
        calls += chosen[i].sum->figures.calls;
    }
    for (uint32_t i = 1; i < paths->npaths; i++)
        of_all += paths->paths[i].figures.calls;
    gptl_out_format(
        out,
        "# gptl filter: leaves out %lu functions with %.1f %% of all calls.\n"
        "# Measuring a call takes %.1f ns, so this saves about %.3g of %.3g s (%.1f %%).\n",
        (unsigned long)n, of_all ? 100.0 * (double)calls / (double)of_all : 0.0, cost * 1e9, saved,
        all, all > 0 ? 100 * saved / all : 0.0);
}

static void put_filter(struct gptl_out *out, const struct candidate *chosen, uint32_t n,
                       const struct paths *paths, double cost)
{
    put_sums(out, chosen, n, paths, cost);
    if (n)
        gptl_out_literal(out, "#\n#          calls    mean ns   saves s  function\n");
    for (uint32_t i = 0; i < n; i++) {
        const struct figures *figures = &chosen[i].sum->figures;
        gptl_out_format(out, "# %14llu %10.1f %9.3f  ", (unsigned long long)figures->calls,
                        (double)figures->total / (double)figures->calls, chosen[i].saved);
        for (const char *c = chosen[i].sum->name; *c; c++)
            gptl_out_char(out, *c == '\n' ? '?' : *c);
        gptl_out_char(out, '\n');
    }
    for (uint32_t i = 0; i < n; i++)
        put_pattern(out, chosen[i].sum->function->name);
}

static int write_filter(const struct inputs *inputs, const struct paths *paths,
                        const struct region_sums *sums, const struct demand *demand)
{
    struct gptl_file file;
    double cost = cost_of_call(inputs);
    struct candidate *chosen = calloc((size_t)paths->nregions + 1, sizeof *chosen);
    if (!chosen)
        return -1;
    uint32_t n = choose(paths, sums, demand, cost, chosen);
    int result = gptl_file_open(&file, "gptl filter", demand->to, false) ? 1 : 0;
    if (result == 0) {
        put_filter(file.out, chosen, n, paths, cost);
        result = gptl_file_close(&file, true) ? 1 : 0;
    }
    free(chosen);
    return result;
}

/* Write the filter. Returns the exit status. */
static int filter(struct inputs *inputs, const struct demand *demand)
{
    struct paths paths = {0};
    struct region_sums sums = {0};
    int result =
        paths_make(&paths, (const struct gptl_profile *const *)inputs->profiles, inputs->nprofiles);
    if (result == 0)
        result = region_sums_make(&sums, &paths);
    if (result == 0)
        result = write_filter(inputs, &paths, &sums, demand);
    if (result < 0)
        fprintf(stderr, "gptl filter: there is no memory for these reports\n");
    region_sums_free(&sums);
    paths_free(&paths);
    return result ? GPTL_EXIT_USAGE : GPTL_EXIT_DONE;
}

/* ---- Command ------------------------------------------------------------------------------- */

static bool percentage(const char *text, double *to)
{
    char *end;
    *to = strtod(text, &end);
    if (*end == '%')
        end++;
    return end != text && *end == '\0' && *to >= 0 && *to <= 1e6;
}

static int wrong(const char *option, const char *what)
{
    fprintf(stderr, "gptl filter: %s: %s; gptl filter --help tells the options\n", option, what);
    return -1;
}

/*
 * Parse the arguments. Returns 0, 1 after --help, or -1 after a message. On success, optind is the
 * index of the first file.
 */
static int parse(int argc, char **argv, struct demand *demand)
{
    static const struct option all[] = {
        {"help", no_argument, NULL, 'h'},
        {"cost", required_argument, NULL, 'c'},
        {"saves", required_argument, NULL, 's'},
        {"output", required_argument, NULL, 'o'},
        {NULL, 0, NULL, 0},
    };
    optind = 0;
    for (int option; (option = gptl_next_option("gptl filter", argc, argv, ":ho:", all)) != -1;) {
        if (option == 'h')
            return 1;
        if (option == 'o')
            demand->to = optarg;
        else if (option == '?')
            return -1;
        else if (!percentage(optarg, option == 'c' ? &demand->cost : &demand->saves))
            return wrong(optarg, "this is no percentage");
    }
    return optind < argc ? 0 : wrong("FILE", "no report is given");
}

int gptl_filter(int argc, char **argv)
{
    struct demand demand = {.cost = 10, .saves = 0.1, .to = "/dev/stdout"};
    struct inputs inputs = {0};
    int parsed = parse(argc, argv, &demand), status = GPTL_EXIT_USAGE;
    if (parsed > 0)
        fputs(usage, stdout);
    if (parsed != 0)
        return parsed > 0 ? GPTL_EXIT_DONE : GPTL_EXIT_USAGE;
    if (inputs_find(&inputs, "gptl filter", argv + optind, argc - optind) == 0 &&
        inputs_read(&inputs, "gptl filter", 0) == 0)
        status = inputs.nprofiles > 0 ? filter(&inputs, &demand) : GPTL_EXIT_USAGE;
    inputs_free(&inputs);
    return status;
}
