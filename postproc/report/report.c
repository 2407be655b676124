/*
 * report.c - gptl report: presents profiles and salvage files for people and for other programs.
 *
 * Without an output option, one file gives the text report as the library writes it. All other
 * outputs are derived from the call paths of all files.
 */
#include "config.h"

#include <getopt.h> /* optind */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "postproc/commands.h"
#include "postproc/ioc/salvage.h"
#include "postproc/read/inputs.h"
#include "postproc/report/command.h"
#include "postproc/report/ledgers.h"
#include "postproc/run/directory.h"

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

/*
 * Maximum number of paths that a browser handles well. The reader keeps at most PAGE_NODES nodes
 * per thread, because there may be many threads.
 */
enum { PAGE_PATHS = 50000, PAGE_NODES = 200000 };

/* ---- Selection of lanes -------------------------------------------------------------------- */

/* Profiles with only the selected threads. */
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

/* Select the threads. Returns 0, or -1 after a message; always free CHOSEN. */
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

/* ---- Writing ------------------------------------------------------------------------------- */

/* Select and sort the paths. Returns 0, or -1 after a message. */
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

/* Merge the ledgers. Returns 0, or -1 after a message. */
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

/* Report PATHS and free them. Returns 0, or -1 after a message. */
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
    const struct output *output = command->output ? command->output : command_output(table_write);
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

/* Reject options that select ranks or other files: statistics cover all ranks together. */
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
    const struct output *output = command->output ? command->output : command_output(table_write);
    struct paths paths = {0};
    if (check_statistics(inputs, command))
        return -1;
    if (as_text)
        output = command_output(summary_write);
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

/* Write a page; it also shows individual ranks if their reports exist. */
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
        return 0; /* salvage files without data */
    if (as_text && inputs->nprofiles == 1)
        return gptl_report_write(WHO, inputs->profiles[0],
                                 command->path ? command->path : "/dev/stdout");
    return report_paths(inputs, command);
}

/* Print one text report per file. */
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

/*
 * Convert salvage files of I/O recorders to logs, and drop them from the inputs: a report does not
 * show them.
 */
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

/*
 * Report the inputs. An invalid argument does not prevent reports of the others if each file is
 * reported separately.
 */
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

/* Return the directories with data of the killed run, or of the run in ARGUMENT; static storage. */
static int take_run(const char *argument, char **paths, int n)
{
    static char left[PATH_MAX];
    if (!argument && !run_directory_find_left(WHO, left))
        return 0;
    return run_directory_data(argument ? argument : left, paths, n);
}

int gptl_report(int argc, char **argv)
{
    struct command command;
    gptl_core_set_options("output=text;append=off", WHO);
    if (command_parse(&command, argc, argv))
        return GPTL_EXIT_USAGE;
    if (command.help) {
        command_usage(stdout);
        return GPTL_EXIT_DONE;
    }
    char *const *arguments = argv + optind;
    char *paths[256];
    int n = argc - optind;
    if (n == 0 || (n == 1 && run_directory_is_one(argv[optind]))) {
        n = take_run(argv[optind], paths, (int)(sizeof paths / sizeof *paths));
        arguments = paths;
    }
    if (n == 0)
        return GPTL_EXIT_USAGE;
    struct predicted predicted = {.machine = NULL};
    int failed = command.prediction ? predicted_read(&predicted, WHO, command.prediction) : 0;
    if (command.prediction)
        command.options.predicted = &predicted;
    if (!failed)
        failed = report(&command, arguments, n);
    predicted_free(&predicted);
    return failed ? GPTL_EXIT_USAGE : GPTL_EXIT_DONE;
}
