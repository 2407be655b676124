/*
 * command.c - the command line of gptl report. A new output is a row in `outputs` and a file.
 */
#include "config.h"

#include "postproc/arguments.h"
#include "postproc/report/command.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/report/ledgers.h"

#include "core/core.h"

#define WHO "gptl report"

/* ---- Outputs ------------------------------------------------------------------------------- */

static const struct output outputs[] = {
    {"table", table_write, false, false, false,
     "call paths as a table, indented; so without an output, when\nseveral files are given"},
    {"flat", flat_write, true, false, false, "regions as a table, each summed over its paths"},
    {"summary", summary_write, true, false, false,
     "regions and call paths compared over ranks and threads:\nmean, deviation, who has the "
     "most and the least; as\nGPTLpr_summary writes it"},
    {"html", html_write, false, true, false,
     "the page FILE for a browser, which needs nothing else"},
    {"folded", folded_write, false, false, false,
     "folded stacks in nanoseconds, for flamegraph.pl and inferno"},
    {"speedscope", speedscope_write, false, false, true,
     "a profile for https://www.speedscope.app"},
    {"chrome", chrome_write, false, false, true,
     "Trace Event Format, for Perfetto and chrome://tracing"},
    {"csv", csv_write, false, false, false,
     "a row for each path and thread; of statistics over ranks,\nfor each path"},
    {"csv-peers", csv_peers_write, true, false, false,
     "a row for each two ranks that exchanged messages of MPI"},
    {"csv-sizes", csv_sizes_write, true, false, false,
     "a row for each routine of MPI and size of what it moved"},
    {"csv-files", csv_files_write, true, false, false, "a row for each file of MPI-IO"},
    {"dot", dot_write, true, false, false, "the call graph of the regions, for graphviz"},
};

enum { NOUTPUTS = sizeof outputs / sizeof *outputs };

static const char usage_head[] =
    "usage: gptl report [OPTION]... [FILE|FOLDER...]\n"
    "\n"
    "Prints what profiles say. FILE is a JSON report (timing.0.json), - for stdin,\n"
    "the statistics over the ranks of a job (timing.merged.json,\n"
    "timing.summary.json), or the salvage file gptl-salvage.HOST.PID of a process\n"
    "that was killed; a FOLDER stands for all of them in it; without any, the data of\n"
    "the last `gptl run` on this host, or of this job, that was killed itself. One\n"
    "file is printed as the text that the library writes, several as one table.\n"
    "\n"
    "Output:\n";

static const char usage_tail[] =
    "  -o, --output FILE write to FILE, which appears when it is complete\n"
    "\n"
    "What is in it:\n"
    "  --sort METRIC     largest first:\n"
    "                    " METRIC_WORDS ", or an event\n"
    "  --top N           the N largest by METRIC, the others joined\n"
    "  --under REGION    only what is called from REGION, which may be a pattern:\n"
    "                    'solve*'\n"
    "  --rank N          only this rank\n"
    "  --thread N        only this thread\n"
    "  --metrics LIST    these events, in columns: PAPI_TOT_INS,IPC; all; none\n"
    "  --metric EVENT    stacks of --folded and --speedscope are weighed by this\n"
    "                    event, not by time\n"
    "  --prediction FILE beside what was measured, in a page: what\n"
    "                    `gptl predict --json` says\n"
    "\n"
    "  --set KEY=VALUE   an option of the text report, as in GPTL_OPTIONS:\n"
    "                    --set percent=on\n";

void command_usage(FILE *to)
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

const struct output *command_output(output_writer *write)
{
    int i = 0;
    while (outputs[i].write != write)
        i++;
    return &outputs[i];
}

/* ---- The command line ---------------------------------------------------------------------- */

/* Numbers of options, above the indices of outputs. */
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

/* Reject options that the output would ignore. */
static int check(const struct command *command)
{
    const struct metric_words *words = &command->words;
    /* With --under, paths lack the ancestors needed to match a prediction. */
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

int command_parse(struct command *command, int argc, char **argv)
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
    optind = 0;
    for (int option; (option = gptl_next_option(WHO, argc, argv, ":ho:", all)) != -1;)
        if (option == '?' || take_option(command, option))
            return -1;
    return check(command);
}
