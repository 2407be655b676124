/*
 * report.c - gptl report: what profiles and salvage files say, for people and for other programs.
 *
 * Without an output one file gives the text report, as the library writes it. All other outputs
 * are made of the call paths of all files; a new one is a row in `outputs` and a file.
 */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/commands.h"
#include "postproc/ioc/salvage.h"
#include "postproc/read/inputs.h"
#include "postproc/report/choose_metrics.h"
#include "postproc/report/ledgers.h"
#include "postproc/report/outputs.h"

#include "core/core.h"
#include "report/file.h"
#include "report/ledger.h"
#include "report/report.h"

#define WHO "gptl report"

static int no_memory(void)
{
    fputs(WHO ": there is not enough memory for this\n", stderr);
    return -1;
}

/* ---- Outputs ------------------------------------------------------------------------------- */

/*
 * A page in a browser is good for so many paths. Of a thread with many more nodes than the other
 * number no more are read, since there may be many threads.
 */
enum { PAGE_PATHS = 50000, PAGE_NODES = 200000 };

struct output {
    const char *word; /* the option is --WORD */
    output_writer *write;
    bool of_regions; /* --top and --sort are the writer's own */
    bool is_page;    /* the option has the name of a file */
    bool of_lanes;   /* says nothing of what all ranks did together */
    const char *help;
};

static const struct output outputs[] = {
    {"table", table_write, false, false, false,
     "call paths as a table, indented; so without an output, when\nseveral files are given"},
    {"flat", flat_write, true, false, false, "regions as a table, each summed over its paths"},
    {"summary", summary_write, true, false, false,
     "regions and call paths compared over ranks and threads: mean,\ndeviation, who has the most "
     "and the least; as GPTLpr_summary writes it"},
    {"html", html_write, false, true, false,
     "the page FILE for a browser, which needs nothing else"},
    {"folded", folded_write, false, false, false,
     "folded stacks in nanoseconds, for flamegraph.pl and inferno"},
    {"speedscope", speedscope_write, false, false, true,
     "a profile for https://www.speedscope.app"},
    {"chrome", chrome_write, false, false, true,
     "Trace Event Format, for Perfetto and chrome://tracing"},
    {"csv", csv_write, false, false, false,
     "a row for each path and thread; of statistics over ranks, for each path"},
    {"csv-peers", csv_peers_write, true, false, false,
     "a row for each two ranks that exchanged messages of MPI"},
    {"csv-sizes", csv_sizes_write, true, false, false,
     "a row for each routine of MPI and size of what it moved"},
    {"csv-files", csv_files_write, true, false, false, "a row for each file of MPI-IO"},
    {"dot", dot_write, true, false, false, "the call graph of the regions, for graphviz"},
};

enum { NOUTPUTS = sizeof outputs / sizeof *outputs };

static const char usage_head[] =
    "usage: gptl report [OPTION]... FILE|FOLDER...\n"
    "\n"
    "Prints what profiles say. FILE is a JSON report (timing.0.json), - for stdin, the statistics\n"
    "over the ranks of a job (timing.merged.json, timing.summary.json), or the salvage file\n"
    "gptl-salvage.HOST.PID of a process that was killed; a FOLDER stands for all of them in it.\n"
    "One file is printed as the text that the library writes, several as one table.\n"
    "\n"
    "Output:\n";

static const char usage_tail[] =
    "  -o, --output FILE write to FILE, which appears when it is complete\n"
    "\n"
    "What is in it:\n"
    "  --sort METRIC     largest first: " METRIC_WORDS ", or an event\n"
    "  --top N           the N largest by METRIC, the others joined\n"
    "  --under REGION    only what is called from REGION, which may be a pattern: 'solve*'\n"
    "  --rank N          only this rank\n"
    "  --thread N        only this thread\n"
    "  --metrics LIST    these events, in columns: PAPI_TOT_INS,IPC; all; none\n"
    "  --metric EVENT    stacks of --folded and --speedscope are weighed by this event, not by "
    "time\n"
    "  --prediction FILE beside what was measured, in a page: what `gptl predict --json` says\n"
    "\n"
    "  --set KEY=VALUE   an option of the text report, as in GPTL_OPTIONS: --set percent=on\n";

static void print_usage(FILE *to)
{
    fputs(usage_head, to);
    for (int i = 0; i < NOUTPUTS; i++) {
        char word[32];
        snprintf(word, sizeof word, "--%s%s", outputs[i].word, outputs[i].is_page ? " FILE" : "");
        int used = fprintf(to, "  %-17s ", word);
        for (const char *c = outputs[i].help; *c; c++) {
            putc(*c, to);
            if (*c == '\n')
                fprintf(to, "%*s", used, "");
        }
        putc('\n', to);
    }
    fputs(usage_tail, to);
}

/* ---- The command line ---------------------------------------------------------------------- */

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

/* After the numbers of outputs. */
enum {
    OPT_SORT = 1000,
    OPT_TOP,
    OPT_UNDER,
    OPT_RANK,
    OPT_THREAD,
    OPT_METRICS,
    OPT_METRIC,
    OPT_PREDICTION,
    OPT_SET
};

static int wrong(const char *option, const char *value, const char *problem)
{
    fprintf(stderr, WHO ": --%s %s: %s\n", option, value, problem);
    return -1;
}

static int take_number(const char *option, const char *text, long least, long *number)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < least || value > INT_MAX)
        return wrong(option, text, least ? "a number from 1 on is needed" : "a number is needed");
    *number = value;
    return 0;
}

static int take_path(struct command *command, const char *path)
{
    if (command->path && strcmp(command->path, path) != 0) {
        fprintf(stderr, WHO ": %s and %s: one file to write at a time\n", command->path, path);
        return -1;
    }
    command->path = path;
    return 0;
}

static int take_output(struct command *command, const struct output *output)
{
    if (command->output && command->output != output) {
        fprintf(stderr, WHO ": --%s and --%s: one output at a time\n", command->output->word,
                output->word);
        return -1;
    }
    command->output = output;
    return output->is_page ? take_path(command, optarg) : 0;
}

static int take_option(struct command *command, int option)
{
    long top = 0;
    switch (option) {
    case 'h':
        command->help = true;
        return 0;
    case 'o':
        return take_path(command, optarg);
    case OPT_SET:
        return gptl_core_set_options(optarg, "--set") == 0 ? 0 : -1;
    case OPT_SORT:
        command->words.sort = optarg;
        return 0;
    case OPT_METRICS:
        command->words.metrics = optarg;
        return 0;
    case OPT_METRIC:
        command->words.weight = optarg;
        return 0;
    case OPT_TOP:
        if (take_number("top", optarg, 1, &top))
            return -1;
        command->options.top = (uint32_t)top;
        return 0;
    case OPT_UNDER:
        command->under = optarg;
        return 0;
    case OPT_PREDICTION:
        command->prediction = optarg;
        return 0;
    case OPT_RANK:
        return take_number("rank", optarg, 0, &command->rank);
    case OPT_THREAD:
        return take_number("thread", optarg, 0, &command->thread);
    default:
        return take_output(command, &outputs[option]);
    }
}

/* Returns 0, or -1 after a message. The arguments that are no options then begin at optind. */
static int parse(struct command *command, int argc, char **argv)
{
    static const struct option others[] = {
        {"help", no_argument, NULL, 'h'},
        {"output", required_argument, NULL, 'o'},
        {"sort", required_argument, NULL, OPT_SORT},
        {"top", required_argument, NULL, OPT_TOP},
        {"under", required_argument, NULL, OPT_UNDER},
        {"rank", required_argument, NULL, OPT_RANK},
        {"thread", required_argument, NULL, OPT_THREAD},
        {"metrics", required_argument, NULL, OPT_METRICS},
        {"metric", required_argument, NULL, OPT_METRIC},
        {"prediction", required_argument, NULL, OPT_PREDICTION},
        {"set", required_argument, NULL, OPT_SET},
    };
    enum { NOTHERS = sizeof others / sizeof *others };
    struct option all[NOTHERS + NOUTPUTS + 1] = {{0}};
    memcpy(all, others, sizeof others);
    for (int i = 0; i < NOUTPUTS; i++)
        all[NOTHERS + i] = (struct option){
            outputs[i].word, outputs[i].is_page ? required_argument : no_argument, NULL, i};
    *command = (struct command){.rank = -1, .thread = -1, .options.weight = -1};
    opterr = 0;
    optind = 0; /* from the beginning, also where getopt was used before */
    for (int option; (option = getopt_long(argc, argv, ":ho:", all, NULL)) != -1;) {
        if (option == '?' || option == ':') {
            fprintf(stderr, WHO ": %s: %s; gptl report --help tells the options\n",
                    argv[optind - 1],
                    option == '?' ? "there is no such option" : "its value is missing");
            return -1;
        }
        if (take_option(command, option))
            return -1;
    }
    return 0;
}

/* What would be passed over in silence. */
static int check_command(const struct command *command)
{
    const struct metric_words *words = &command->words;
    /* Below a region, paths have lost what stands before them. */
    if (command->prediction && (!command->output || !command->output->is_page || command->under)) {
        fputs(WHO ": --prediction goes with --html, without --under\n", stderr);
        return -1;
    }
    if (!command->output || (command->output->write != summary_write &&
                             ledgers_output(command->output->write) == GPTL_NLEDGERS))
        return 0;
    if (!command->under && !command->options.top && !words->sort && !words->metrics &&
        !words->weight)
        return 0;
    fprintf(stderr,
            WHO ": --%s has all that there is in its own order: only --rank and --thread go with "
                "it\n",
            command->output->word);
    return -1;
}

/* ---- Which lanes --------------------------------------------------------------------------- */

/* Profiles with those threads only that are wanted. */
struct chosen {
    struct gptl_profile *profiles;
    const struct gptl_profile **pointers;
    struct gptl_copy *copies;
    int n;
};

static void choose_from(struct chosen *chosen, const struct gptl_profile *profile, long thread,
                        size_t *ncopies)
{
    struct gptl_profile *to = &chosen->profiles[chosen->n];
    *to = *profile;
    to->copies = chosen->copies + *ncopies;
    to->ncopies = 0;
    for (int c = 0; c < profile->ncopies; c++)
        if (thread < 0 || profile->copies[c].thread == thread)
            to->copies[to->ncopies++] = profile->copies[c];
    *ncopies += (size_t)to->ncopies;
    chosen->pointers[chosen->n++] = to;
}

/* Returns 0, or -1 after a message; free it also then. */
static int choose(struct chosen *chosen, const struct inputs *inputs, const struct command *command)
{
    size_t n = (size_t)inputs->nprofiles + 1, ncopies = 0;
    for (int p = 0; p < inputs->nprofiles; p++)
        ncopies += (size_t)inputs->profiles[p]->ncopies;
    *chosen = (struct chosen){.profiles = malloc(n * sizeof *chosen->profiles),
                              .pointers = malloc(n * sizeof *chosen->pointers),
                              .copies = malloc((ncopies + 1) * sizeof *chosen->copies)};
    if (!chosen->profiles || !chosen->pointers || !chosen->copies) {
        fputs(WHO ": there is no memory for the profiles\n", stderr);
        return -1;
    }
    ncopies = 0;
    for (int p = 0; p < inputs->nprofiles; p++)
        if (command->rank < 0 || inputs->profiles[p]->process.rank == command->rank)
            choose_from(chosen, inputs->profiles[p], command->thread, &ncopies);
    if (command->rank >= 0 && chosen->n == 0)
        fprintf(stderr, WHO ": --rank %ld: no file is of this rank\n", command->rank);
    else if (command->thread >= 0 && ncopies == 0)
        fprintf(stderr, WHO ": --thread %ld: no file has this thread\n", command->thread);
    else
        return 0;
    return -1;
}

static void choose_free(struct chosen *chosen)
{
    free(chosen->profiles);
    free(chosen->pointers);
    free(chosen->copies);
}

/* ---- What is written ----------------------------------------------------------------------- */

/* The paths that are wanted, in the order that is wanted. Returns 0, or -1 after a message. */
static int select_paths(struct paths *paths, const struct command *command,
                        const struct output *output)
{
    const struct output_options *options = &command->options;
    if (command->under) {
        int found = paths_under(paths, command->under);
        if (found < 0)
            return no_memory();
        if (found == 0) {
            fprintf(stderr, WHO ": --under %s: no region is named so\n", command->under);
            return -1;
        }
    }
    if (output->of_regions)
        return 0;
    uint32_t top = options->top;
    if (output->is_page && (top == 0 || top > PAGE_PATHS))
        top = PAGE_PATHS;
    if (top && paths_keep_metric(paths, top, options->sort))
        return no_memory();
    if (options->sort != METRIC_NONE && paths_sort(paths, options->sort))
        return no_memory();
    return 0;
}

static int write_paths(const struct paths *paths, const struct command *command,
                       const struct output *output)
{
    struct gptl_file file;
    if (gptl_file_open(&file, WHO, command->path ? command->path : "/dev/stdout", false))
        return -1;
    bool complete = output->write(file.out, paths, &command->options) == 0;
    if (!complete)
        no_memory();
    return gptl_file_close(&file, complete);
}

/* Returns 0, or -1 after a message. */
static int take_ledgers(struct command *command, const struct gptl_profile *const *profiles,
                        int nprofiles, const struct output *output)
{
    size_t n = 1;
    enum gptl_ledger ledger = ledgers_output(output->write);
    struct gptl_accounts *accounts = &command->options.accounts;
    if (ledgers_merge(accounts, profiles, nprofiles))
        return no_memory();
    if (ledger < GPTL_NLEDGERS)
        gptl_ledger_accounts(ledger, accounts->account, accounts->n, &n);
    if (n > 0)
        return 0;
    fprintf(stderr, WHO ": --%s: no file has any; run the program with GPTL_OPTIONS=\"%s\"\n",
            output->word, ledgers_option(ledger));
    return -1;
}

/* Takes PATHS. Returns 0, or -1 after a message. */
static int report_made(struct paths *paths, struct command *command, const struct output *output)
{
    int result = choose_metrics(paths, &command->words, output->write, &command->options);
    if (result == 0)
        result = select_paths(paths, command, output);
    if (result == 0)
        result = write_paths(paths, command, output);
    paths_free(paths);
    free(command->options.columns);
    return result;
}

static int report_paths(const struct inputs *inputs, struct command *command)
{
    struct chosen chosen;
    struct paths paths = {0};
    const struct output *output = command->output ? command->output : &outputs[0];
    int result = choose(&chosen, inputs, command);
    if (result == 0)
        result = take_ledgers(command, chosen.pointers, chosen.n, output);
    if (result == 0 && paths_make(&paths, chosen.pointers, chosen.n)) {
        paths_free(&paths);
        result = no_memory();
    }
    if (result == 0)
        result = report_made(&paths, command, output);
    choose_free(&chosen);
    free(command->options.accounts.account);
    return result;
}

/* ---- Statistics over ranks ------------------------------------------------------------------ */

/* Those have no single ranks, and are of all. */
static int check_statistics(const struct inputs *inputs, const struct command *command)
{
    const struct output *output = command->output;
    if (inputs->nsummaries + inputs->nprofiles > 1)
        fputs(WHO ": statistics over the ranks of a job cannot be added to other files: give them "
                  "alone\n",
              stderr);
    else if (command->rank >= 0 || command->thread >= 0)
        fprintf(stderr,
                WHO ": --%s: statistics over ranks have no single ones; with output=ranks the "
                    "library writes these as well, to a file .ranks.json\n",
                command->rank >= 0 ? "rank" : "thread");
    else if (output && output->of_lanes)
        fprintf(stderr,
                WHO ": --%s has a picture of each thread, which statistics over ranks do not tell; "
                    "with output=ranks the library writes a file .ranks.json that does\n",
                output->word);
    else
        return 0;
    return -1;
}

static int report_statistics(const struct inputs *inputs, struct command *command, bool as_text)
{
    const struct summary *summary = inputs->summaries[0];
    const struct gptl_profile *profile = &summary->profile;
    const struct output *output = command->output ? command->output : &outputs[0];
    struct paths paths = {0};
    if (check_statistics(inputs, command))
        return -1;
    for (int i = 0; as_text && i < NOUTPUTS; i++)
        if (outputs[i].write == summary_write)
            output = &outputs[i];
    int result = take_ledgers(command, &profile, 1, output);
    if (result == 0 && paths_make_ranks(&paths, profile, &summary->tree)) {
        paths_free(&paths);
        result = no_memory();
    }
    if (result == 0)
        result = report_made(&paths, command, output);
    free(command->options.accounts.account);
    return result;
}

/* A page shows single ranks as well, where they are known. */
static int report_page(const struct inputs *inputs, struct command *command)
{
    struct inputs ranks;
    int result = inputs_ranks_beside(inputs, WHO, PAGE_NODES, &ranks)
                     ? report_paths(&ranks, command)
                     : report_statistics(inputs, command, false);
    inputs_free(&ranks);
    return result;
}

static int report_inputs(struct inputs *inputs, struct command *command, bool as_text)
{
    bool is_page = command->output && command->output->is_page;
    inputs->takes_summaries = true;
    if (inputs_read(inputs, WHO, is_page ? PAGE_NODES : 0))
        return -1;
    if (inputs->nsummaries > 0)
        return is_page && inputs->nfiles == 1 && command->rank < 0 && command->thread < 0
                   ? report_page(inputs, command)
                   : report_statistics(inputs, command, as_text);
    if (inputs->nprofiles == 0)
        return 0; /* salvage files with nothing left in them */
    if (as_text && inputs->nprofiles == 1)
        return gptl_report_write(WHO, inputs->profiles[0],
                                 command->path ? command->path : "/dev/stdout");
    return report_paths(inputs, command);
}

/* As many text reports as there are files. */
static int print_salvage(const struct inputs *inputs)
{
    int failed = 0;
    for (int i = 0; i < inputs->nfiles; i++)
        failed |= gptl_salvage_print(inputs->files[i].path);
    return failed;
}

static bool all_salvage(const struct inputs *inputs)
{
    for (int i = 0; i < inputs->nfiles; i++)
        if (inputs->files[i].kind != INPUT_SALVAGE)
            return false;
    return true;
}

/* What recorders of I/O calls left goes to their logs: a report has none of it. */
static int take_io(struct inputs *inputs)
{
    int failed = 0, n = 0;
    for (int i = 0; i < inputs->nfiles; i++) {
        if (inputs->files[i].kind != INPUT_IO) {
            inputs->files[n++] = inputs->files[i];
            continue;
        }
        failed |= ioc_salvage_file(WHO, inputs->files[i].path, NULL) ? -1 : 0;
        free(inputs->files[i].path);
    }
    inputs->nfiles = n;
    return failed;
}

/* One argument that is none does not keep others from being reported, where each is by itself. */
static int report(struct command *command, char *const *arguments, int narguments)
{
    struct inputs inputs;
    int failed = inputs_find(&inputs, WHO, arguments, narguments);
    failed |= take_io(&inputs);
    const struct metric_words *words = &command->words;
    bool whole = !command->output && !command->under && !command->options.top && !words->sort &&
                 !words->metrics && !words->weight && command->rank < 0 && command->thread < 0;
    if (whole && !command->path && all_salvage(&inputs))
        failed |= print_salvage(&inputs);
    else if (!failed && inputs.nfiles > 0)
        failed = report_inputs(&inputs, command, whole && inputs.nfiles == 1);
    inputs_free(&inputs);
    return failed;
}

int gptl_report(int argc, char **argv)
{
    struct command command;
    gptl_core_set_options("output=text;append=off", WHO);
    if (parse(&command, argc, argv) || check_command(&command))
        return GPTL_EXIT_USAGE;
    if (command.help) {
        print_usage(stdout);
        return GPTL_EXIT_DONE;
    }
    if (optind == argc) {
        fputs(WHO ": no file given\n", stderr);
        print_usage(stderr);
        return GPTL_EXIT_USAGE;
    }
    struct predicted predicted = {.machine = NULL};
    int failed = command.prediction ? predicted_read(&predicted, WHO, command.prediction) : 0;
    if (command.prediction)
        command.options.predicted = &predicted;
    if (!failed)
        failed = report(&command, argv + optind, argc - optind);
    predicted_free(&predicted);
    return failed ? GPTL_EXIT_USAGE : GPTL_EXIT_DONE;
}
