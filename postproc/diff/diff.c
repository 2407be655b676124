/* diff.c - gptl diff: the command line. */
#include "config.h"

#include "postproc/arguments.h"
#include "postproc/diff/diff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/commands.h"

#include "report/file.h"

#define WHO "gptl diff"

static const char usage[] =
    "usage: gptl diff [OPTION]... A B\n"
    "       gptl diff [OPTION]... A1 A2 A3 A4 -- B1 B2 B3 B4\n"
    "\n"
    "Compares two runs of a program, or several runs of each of two versions. A run\n"
    "is a FILE, the JSON report (timing.0.json) of a run of one process, or a FOLDER\n"
    "with one such file for each process. With 4 or more runs of each, noise is told\n"
    "from change.\n"
    "\n"
    "What is compared:\n"
    "  --metric METRIC    total|self|calls: only inclusive time, exclusive time, or\n"
    "                     calls; the name of an event that was counted (PAPI_TOT_INS)\n"
    "  --flat             regions, each summed over its paths\n"
    "  --lanes sum|max    a run's time is the sum over its threads (as without it),\n"
    "                     or that of the slowest thread of each path\n"
    "\n"
    "What is shown:\n"
    "  --threshold N      hide changes below N percent of the run (0.1)\n"
    "  --min SECONDS      hide changes below SECONDS, or so many events (0)\n"
    "  --all              also what did not change\n"
    "  --json             for programs, see gptl-diff(1)\n"
    "  -o, --output FILE  write to FILE, which appears when it is complete\n"
    "\n"
    "  --fail-above 5%|0.2s|N  exit status 1 if anything is slower by more than that,\n"
    "                     or has N more events\n";

struct command {
    struct diff_options options;
    const char *path; /* NULL: stdout */
    bool json, help;
};

enum {
    OPT_METRIC = 1000,
    OPT_FLAT,
    OPT_LANES,
    OPT_THRESHOLD,
    OPT_MIN,
    OPT_ALL,
    OPT_JSON,
    OPT_FAIL
};

static int wrong(const char *option, const char *problem)
{
    fprintf(stderr, WHO ": --%s %s: %s\n", option, optarg, problem);
    return -1;
}

/* Parse optarg as a nonnegative number followed by UNIT. */
static bool is_number(double *number, const char *unit)
{
    char *end;
    double value = strtod(optarg, &end);
    if (end == optarg || strcmp(end, unit) != 0 || !isfinite(value) || value < 0)
        return false;
    *number = value;
    return true;
}

static void take_metric(struct diff_options *options)
{
    static const char *const words[] = {"total", "self", "calls"};
    bool found = false, time = strcmp(optarg, "time") == 0;
    for (int m = 0; m < DIFF_COUNT; m++) {
        options->compared[m] = strcmp(optarg, words[m]) == 0 || (time && m != DIFF_CALLS);
        found = found || options->compared[m];
    }
    options->event = found ? NULL : optarg;
    options->compared[DIFF_COUNT] = options->compared[DIFF_OWN] = !found;
}

static int take_lanes(struct diff_options *options)
{
    options->slowest = strcmp(optarg, "max") == 0;
    return options->slowest || strcmp(optarg, "sum") == 0 ? 0
                                                          : wrong("lanes", "there are sum and max");
}

static int take_failure(struct diff_options *options)
{
    double part;
    options->fail_part = options->fail_seconds = options->fail_events = -1;
    if (is_number(&options->fail_seconds, "s") || is_number(&options->fail_events, ""))
        return 0;
    if (!is_number(&part, "%"))
        return wrong("fail-above", "percent or seconds are needed: 5% or 0.2s");
    options->fail_part = part / 100;
    return 0;
}

static int take_option(struct command *command, int option)
{
    struct diff_options *options = &command->options;
    double percent;
    switch (option) {
    case 'h':
        command->help = true;
        return 0;
    case 'o':
        command->path = optarg;
        return 0;
    case OPT_METRIC:
        take_metric(options);
        return 0;
    case OPT_LANES:
        return take_lanes(options);
    case OPT_THRESHOLD:
        if (!is_number(&percent, "") && !is_number(&percent, "%"))
            return wrong("threshold", "a number of percent is needed");
        options->threshold = percent / 100;
        return 0;
    case OPT_MIN:
        return is_number(&options->min, "") || is_number(&options->min, "s")
                   ? 0
                   : wrong("min", "a number of seconds is needed");
    case OPT_FAIL:
        return take_failure(options);
    case OPT_FLAT:
        options->flat = true;
        return 0;
    case OPT_ALL:
        options->all = true;
        return 0;
    default:
        command->json = true;
        return 0;
    }
}

/* Check that --fail-above has a unit that fits the compared quantity. */
static int check_failure(const struct diff_options *options)
{
    bool counts = options->event || options->compared[DIFF_CALLS];
    if (options->fail_events >= 0 && !counts)
        fprintf(stderr, WHO ": --fail-above %g: percent or seconds are needed: 5%% or 0.2s\n",
                options->fail_events);
    else if (options->fail_seconds >= 0 && options->event)
        fprintf(stderr, WHO ": --fail-above %gs: of events, percent or a number are needed\n",
                options->fail_seconds);
    else
        return 0;
    return -1;
}

/*
 * Parse the options. Returns 0, or -1 after a message. On success, optind is the index of the first
 * operand.
 */
static int take_options(struct command *command, int argc, char **argv)
{
    static const struct option all[] = {
        {"help", no_argument, NULL, 'h'},
        {"output", required_argument, NULL, 'o'},
        {"metric", required_argument, NULL, OPT_METRIC},
        {"flat", no_argument, NULL, OPT_FLAT},
        {"lanes", required_argument, NULL, OPT_LANES},
        {"threshold", required_argument, NULL, OPT_THRESHOLD},
        {"min", required_argument, NULL, OPT_MIN},
        {"all", no_argument, NULL, OPT_ALL},
        {"json", no_argument, NULL, OPT_JSON},
        {"fail-above", required_argument, NULL, OPT_FAIL},
        {NULL, 0, NULL, 0},
    };
    optind = 0;
    for (int option; (option = gptl_next_option(WHO, argc, argv, ":ho:", all)) != -1;)
        if (option == '?' || take_option(command, option))
            return -1;
    return 0;
}

/*
 * Parse the arguments; options may appear on either side of the "--" between the runs. RUNS gets
 * the runs of A first, N of each side. Returns 0, or -1 after a message.
 */
static int parse(struct command *command, int argc, char **argv, char **runs, uint32_t *n)
{
    int end = 1;
    while (end < argc && strcmp(argv[end], "--") != 0)
        end++;
    n[DIFF_A] = n[DIFF_B] = 0;
    if (take_options(command, end, argv))
        return -1;
    for (; optind < end; optind++)
        runs[n[DIFF_A]++] = argv[optind];
    if (end < argc) {
        argv[end] = argv[0];
        if (take_options(command, argc - end, argv + end))
            return -1;
        for (; optind < argc - end; optind++)
            runs[n[DIFF_A] + n[DIFF_B]++] = argv[end + optind];
    } else if (n[DIFF_A] == 2) {
        n[DIFF_A] = n[DIFF_B] = 1;
    }
    if (command->help || (n[DIFF_A] > 0 && n[DIFF_B] > 0))
        return 0;
    fprintf(stderr, WHO ": %s\n%s",
            end < argc || n[DIFF_A] < 2 ? "two runs are needed"
                                        : "which runs are B's? Put -- between those of A and B",
            usage);
    return -1;
}

static int no_memory(void)
{
    fprintf(stderr, WHO ": there is no memory for the comparison\n");
    return GPTL_EXIT_USAGE;
}

static int write_out(const struct command *command, const struct diff *diff)
{
    struct gptl_file file;
    if (gptl_file_open(&file, WHO, command->path ? command->path : "/dev/stdout", false))
        return GPTL_EXIT_USAGE;
    if (command->json)
        diff_json_write(file.out, diff);
    else
        diff_table_write(file.out, diff);
    if (gptl_file_close(&file, true))
        return GPTL_EXIT_USAGE;
    return diff->nfailed > 0 ? GPTL_EXIT_FINDING : GPTL_EXIT_DONE;
}

static int compare(const struct command *command, char **paths, const uint32_t *n)
{
    struct diff_runs runs;
    struct diff diff;
    int result = GPTL_EXIT_USAGE;
    if (diff_runs_read(&runs, paths, n) == 0) {
        int made = diff_make(&diff, &runs, &command->options);
        if (made < 0)
            no_memory();
        else if (made == 0)
            result = write_out(command, &diff);
        diff_free(&diff);
    }
    diff_runs_free(&runs);
    return result;
}

int gptl_diff(int argc, char **argv)
{
    struct command command = {.options = {.compared = {[DIFF_TOTAL] = true, [DIFF_SELF] = true},
                                          .threshold = 0.001,
                                          .fail_part = -1,
                                          .fail_seconds = -1,
                                          .fail_events = -1}};
    uint32_t n[DIFF_SIDES];
    char **runs = malloc((size_t)argc * sizeof *runs);
    if (!runs)
        return no_memory();
    int result = GPTL_EXIT_USAGE;
    if (parse(&command, argc, argv, runs, n) == 0) {
        if (command.help)
            result = fputs(usage, stdout) < 0 ? GPTL_EXIT_USAGE : GPTL_EXIT_DONE;
        else
            result = check_failure(&command.options) ? GPTL_EXIT_USAGE : compare(&command, runs, n);
    }
    free(runs);
    return result;
}
