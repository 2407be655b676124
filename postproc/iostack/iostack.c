/*
 * iostack.c - gptl iostack: analyzes an I/O stack from a configuration, or from existing logs.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "postproc/arguments.h"
#include "postproc/commands.h"
#include "postproc/ioc/memory.h"
#include "postproc/iostack/analysis.h"
#include "postproc/iostack/engine.h"
#include "postproc/iostack/inserter.h"
#include "postproc/iostack/plan.h"
#include "postproc/iostack/selector.h"

#include "iostack/format.h"

enum step {
    STEP_ALL,
    STEP_CHECK,
    STEP_SELECT,
    STEP_DIFFERENCE,
    STEP_INSERT,
    STEP_BUILD,
    STEP_REPORT
};

/* Options; the configuration supplies missing ones. */
struct command {
    struct analysis analysis;
    enum step step;
    const char *folder, *disk, *disk_table;
    bool help, has_metric, has_exclusive;
};

static void help(FILE *to)
{
    fputs("usage: gptl iostack [OPTION]... CONFIGURATION\n"
          "       gptl iostack [OPTION]... LOG|FOLDER...\n"
          "\n"
          "Puts probes into the sources of an I/O stack, builds and runs it, and shows what\n"
          "each call took in each layer. With logs, as those of `gptl run --iostack`, shows\n"
          "that only.\n"
          "\n"
          "  --check             read the configuration, and nothing else\n"
          "  --select            say which probes are chosen, and why\n"
          "  --dry-run           print what would be put into the sources, as a difference\n"
          "  --insert            put probes in, and stop there\n"
          "  --build             the same, and build\n"
          "  --report            show the logs of the run before\n"
          "  -d, --directory DIR where copies, outputs and logs go (gptl-iostack)\n"
          "\n"
          "  --by VIEW           rows by call, client, server, layer, segment of the\n"
          "                      program, device, effect: what calls of the topmost\n"
          "                      layer led to, application: what its spans led to, or\n"
          "                      collective: when clients came and went\n"
          "  --whole             calls of HDF5 and PnetCDF have all that they led to\n"
          "  --metric METRIC     latency, throughput, segment, nodes, communication,\n"
          "                      energy, accesses\n"
          "  --exclusive         of a layer only what is in none below\n"
          "  --calls LIST        these only: 6-17,20\n"
          "  --lines LIST        calls from these lines of the application\n"
          "  --operation r|w     reads or writes only\n"
          "  --top N             the N rows of a table that took longest [20]; 0: all, in\n"
          "                      their order\n"
          "  --sum LAYER         latencies below add up there; the longest counts elsewhere\n"
          "  --disk NAME         for energy (IBM36Z15)\n"
          "  --disk-table FILE   lines of NAME ACTIVE IDLE, in watts\n"
          "  --csv, --json       rows for programs\n"
          "  --html              a page with pictures and the tree of each call\n"
          "  --draw KIND[=N]     a picture (-o FILE.svg or .png): client, server,\n"
          "                      throughput, power\n"
          "  -o, --output FILE\n",
          to);
}

/* ---- Options ------------------------------------------------------------------------------- */

enum option_id {
    OPT_CHECK = 1000,
    OPT_SELECT,
    OPT_DRY,
    OPT_INSERT,
    OPT_BUILD,
    OPT_REPORT,
    OPT_BY,
    OPT_METRIC,
    OPT_EXCLUSIVE,
    OPT_WHOLE,
    OPT_CALLS,
    OPT_LINES,
    OPT_OPERATION,
    OPT_SUM,
    OPT_TOP,
    OPT_DISK,
    OPT_TABLE,
    OPT_CSV,
    OPT_JSON,
    OPT_HTML,
    OPT_DRAW
};

static const struct option options[] = {{"help", no_argument, NULL, 'h'},
                                        {"directory", required_argument, NULL, 'd'},
                                        {"output", required_argument, NULL, 'o'},
                                        {"check", no_argument, NULL, OPT_CHECK},
                                        {"select", no_argument, NULL, OPT_SELECT},
                                        {"dry-run", no_argument, NULL, OPT_DRY},
                                        {"insert", no_argument, NULL, OPT_INSERT},
                                        {"build", no_argument, NULL, OPT_BUILD},
                                        {"report", no_argument, NULL, OPT_REPORT},
                                        {"by", required_argument, NULL, OPT_BY},
                                        {"metric", required_argument, NULL, OPT_METRIC},
                                        {"exclusive", no_argument, NULL, OPT_EXCLUSIVE},
                                        {"whole", no_argument, NULL, OPT_WHOLE},
                                        {"calls", required_argument, NULL, OPT_CALLS},
                                        {"lines", required_argument, NULL, OPT_LINES},
                                        {"operation", required_argument, NULL, OPT_OPERATION},
                                        {"sum", required_argument, NULL, OPT_SUM},
                                        {"top", required_argument, NULL, OPT_TOP},
                                        {"disk", required_argument, NULL, OPT_DISK},
                                        {"disk-table", required_argument, NULL, OPT_TABLE},
                                        {"csv", no_argument, NULL, OPT_CSV},
                                        {"json", no_argument, NULL, OPT_JSON},
                                        {"html", no_argument, NULL, OPT_HTML},
                                        {"draw", required_argument, NULL, OPT_DRAW},
                                        {NULL, 0, NULL, 0}};

static int wrong(const char *option, const char *value, const char *allowed)
{
    fprintf(stderr, "gptl iostack: --%s %s: expected %s\n", option, value, allowed);
    return -1;
}

static int take_view(struct command *command, const char *name)
{
    if (analysis_take_view(&command->analysis, name))
        return 0;
    return wrong("by", name,
                 "call, client, server, layer, segment, device, effect, application or collective");
}

static int take_metric(struct command *command, const char *name)
{
    int metric = metric_of(name, strlen(name));
    if (metric < 0)
        return wrong("metric", name,
                     "latency, throughput, segment, nodes, communication, energy or accesses");
    command->analysis.query.metric = (enum metric)metric;
    command->has_metric = true;
    return 0;
}

static int take_ranges(struct numbers *ranges, const char *option, const char *text)
{
    size_t n = numbers_parse(ranges, text);
    return n > 0 && text[n] == '\0' ? 0 : wrong(option, text, "numbers as 6-17,20");
}

static int take_drawing(struct command *command, const char *text)
{
    char name[32], *end;
    const char *equals = strchr(text, '=');
    snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - text) : 31, text);
    command->analysis.drawing = draw_of(name);
    command->analysis.which = equals ? strtol(equals + 1, &end, 10) : 0;
    if (command->analysis.drawing == DRAW_NOTHING || command->analysis.which < 0 ||
        (equals && (end == equals + 1 || *end)))
        return wrong("draw", text, "client, server, throughput or power, and perhaps =NUMBER");
    return 0;
}

static int take_operation(struct command *command, const char *text)
{
    if (strcmp(text, "r") != 0 && strcmp(text, "w") != 0)
        return wrong("operation", text, "r or w");
    command->analysis.query.operations |= 1u << (*text == 'r' ? GPTL_OP_READ : GPTL_OP_WRITE);
    return 0;
}

static int take_sum(struct command *command, const char *text)
{
    int layer = stack_layer_of(text, strlen(text));
    if (layer == 0)
        return wrong("sum", text,
                     "a layer: app, hdf5, pnetcdf, mpi, adio, comm, client, server, "
                     "posix or disk");
    command->analysis.query.sums[layer] = true;
    return 0;
}

static int take_top(struct command *command, const char *text)
{
    char *end;
    errno = 0;
    unsigned long long top = strtoull(text, &end, 10);
    if (end == text || *end || errno || *text == '-')
        return wrong("top", text, "how many rows");
    command->analysis.top = top;
    return 0;
}

static int take_data_option(struct command *command, int option)
{
    struct analysis *a = &command->analysis;
    switch (option) {
    case OPT_BY:
        return take_view(command, optarg);
    case OPT_METRIC:
        return take_metric(command, optarg);
    case OPT_EXCLUSIVE:
        a->query.exclusive = command->has_exclusive = true;
        return 0;
    case OPT_WHOLE:
        a->query.whole = true;
        return 0;
    case OPT_CALLS:
        return take_ranges(&a->query.calls, "calls", optarg);
    case OPT_LINES:
        return take_ranges(&a->query.lines, "lines", optarg);
    case OPT_OPERATION:
        return take_operation(command, optarg);
    case OPT_SUM:
        return take_sum(command, optarg);
    case OPT_TOP:
        return take_top(command, optarg);
    case OPT_DISK:
        command->disk = optarg;
        return 0;
    case OPT_TABLE:
        command->disk_table = optarg;
        return 0;
    case OPT_CSV:
        a->format = ROWS_CSV;
        return 0;
    case OPT_JSON:
        a->format = ROWS_JSON;
        return 0;
    case OPT_HTML:
        a->html = true;
        return 0;
    case OPT_DRAW:
        return take_drawing(command, optarg);
    default:
        return -1;
    }
}

static int take_option(struct command *command, int option)
{
    static const struct {
        int option;
        enum step step;
    } steps[] = {{OPT_CHECK, STEP_CHECK},   {OPT_SELECT, STEP_SELECT}, {OPT_DRY, STEP_DIFFERENCE},
                 {OPT_INSERT, STEP_INSERT}, {OPT_BUILD, STEP_BUILD},   {OPT_REPORT, STEP_REPORT}};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++)
        if (steps[i].option == option) {
            command->step = steps[i].step;
            return 0;
        }
    if (option == 'h')
        command->help = true;
    else if (option == 'd')
        command->folder = optarg;
    else if (option == 'o')
        command->analysis.output = optarg;
    else
        return take_data_option(command, option);
    return 0;
}

static int parse(struct command *command, int argc, char **argv)
{
    optind = 0;
    for (int option;
         (option = gptl_next_option("gptl iostack", argc, argv, ":ho:d:", options)) != -1;)
        if (option == '?' || take_option(command, option))
            return -1;
    if ((command->disk || command->disk_table) &&
        query_take_disk(&command->analysis.query, command->disk, command->disk_table))
        return -1;
    if (command->analysis.drawing != DRAW_NOTHING && !command->analysis.output) {
        fprintf(stderr, "gptl iostack: --draw needs -o FILE.svg or -o FILE.png\n");
        return -1;
    }
    return 0;
}

/* ---- The run ------------------------------------------------------------------------------- */

static bool is_log(const char *path)
{
    char magic[16] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, magic, sizeof magic) : 0;
    if (fd >= 0)
        close(fd);
    return n == (ssize_t)sizeof magic && memcmp(magic, GPTL_IOSTACK_MAGIC, sizeof magic) == 0;
}

/* Add all logs in FOLDER; the order of paths is irrelevant. */
static int add_folder(struct words *paths, const char *folder)
{
    static const struct place none;
    DIR *entries = opendir(folder);
    struct dirent *entry;
    size_t before = paths->n;
    while (entries && (entry = readdir(entries))) {
        size_t size = strlen(folder) + strlen(entry->d_name) + 2;
        char *path = memory_zeros(size, 1);
        snprintf(path, size, "%s/%s", folder, entry->d_name);
        if (is_log(path))
            words_add(paths, path, &none);
        else
            free(path);
    }
    if (!entries || paths->n == before)
        fprintf(stderr, "gptl iostack: %s: %s\n", folder,
                entries ? "there is no log of spans in this folder" : strerror(errno));
    if (entries)
        closedir(entries);
    return paths->n == before ? -1 : 0;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int analyze_words(const struct analysis *analysis, const struct words *paths)
{
    char **texts = memory_zeros(paths->n + 1, sizeof *texts);
    for (size_t i = 0; i < paths->n; i++)
        texts[i] = paths->words[i].text;
    int status = analyze(analysis, texts, paths->n);
    free(texts);
    return status;
}

/* Analyze logs, and directories of logs. */
static int analyze_logs(const struct analysis *analysis, char *const *names, size_t n)
{
    static const struct place none;
    struct words paths = {0};
    int status = GPTL_EXIT_DONE;
    for (size_t i = 0; i < n; i++)
        if (!is_folder(names[i]))
            words_add(&paths, memory_text(names[i]), &none);
        else if (add_folder(&paths, names[i]))
            status = GPTL_EXIT_USAGE;
    if (status == GPTL_EXIT_DONE)
        status = analyze_words(analysis, &paths);
    words_free(&paths);
    return status;
}

static void move_ranges(struct numbers *to, struct numbers *from)
{
    if (to->n > 0)
        return;
    *to = *from;
    *from = (struct numbers){0};
}

/* Complete the query from the configuration; options take precedence. */
static void take_query(struct command *command, struct plan *plan)
{
    struct query *q = &command->analysis.query, *p = &plan->query;
    if (!command->has_metric)
        q->metric = p->metric;
    if (!command->has_exclusive)
        q->exclusive = p->exclusive;
    if (!command->analysis.has_view && q->metric == METRIC_SEGMENT)
        command->analysis.by = VIEW_SEGMENT;
    if (q->operations == 0)
        q->operations = p->operations;
    move_ranges(&q->calls, &p->calls);
    move_ranges(&q->lines, &p->lines);
    for (int i = 0; i < NLAYERS; i++) {
        move_ranges(&q->of_layer[i], &p->of_layer[i]);
        q->sums[i] |= p->sums[i];
    }
}

static int report(struct command *command, struct plan *plan)
{
    struct words logs = {0};
    int status = GPTL_EXIT_USAGE;
    if (engine_logs(plan, command->folder, &logs) == 0) {
        take_query(command, plan);
        status = analyze_words(&command->analysis, &logs);
    }
    words_free(&logs);
    return status;
}

static int build_and_run(struct command *command, struct plan *plan, struct trees *trees)
{
    if (engine_prepare(plan, trees, command->folder))
        return -1;
    if (plan->build && engine_run(command->folder, "build", plan->build))
        return -1;
    if (command->step == STEP_BUILD)
        return 0;
    if (!plan->run) {
        fprintf(stderr, "gptl iostack: the sources are in %s; -R [COMMAND] says how to run them\n",
                command->folder);
        return -1;
    }
    if (engine_remove_logs(plan, command->folder))
        return -1;
    return engine_run(command->folder, "run", plan->run);
}

static int make_and_run(struct command *command, struct plan *plan)
{
    struct trees trees = {0};
    bool dry = command->step == STEP_DIFFERENCE;
    if (!dry)
        show_selection(plan, stderr);
    int result = insert_probes(plan, &trees, command->folder, dry);
    if (result == 0 && !dry)
        fprintf(stderr, "gptl iostack: %llu files in %s, %llu of them written\n",
                (unsigned long long)trees.files, command->folder,
                (unsigned long long)trees.written);
    if (result == 0 && !dry && command->step != STEP_INSERT)
        result = build_and_run(command, plan, &trees);
    trees_free(&trees);
    if (result)
        return GPTL_EXIT_USAGE;
    return command->step == STEP_ALL ? report(command, plan) : GPTL_EXIT_DONE;
}

static void show_plan(const struct plan *plan, const char *path)
{
    printf("%s: %zu file%s, %zu layers, %zu groups of logs, %zu probes, %zu warning%s\n", path,
           plan->files.n, plan->files.n == 1 ? "" : "s", plan->nlayers, plan->ntraces,
           plan->nprobes, plan->nwarnings, plan->nwarnings == 1 ? "" : "s");
}

static int run_configuration(struct command *command, const char *path)
{
    struct plan plan;
    int status = GPTL_EXIT_USAGE;
    if (plan_read(&plan, path) == 0) {
        select_probes(&plan);
        status = GPTL_EXIT_DONE;
        if (command->step != STEP_REPORT && check_traced(&plan))
            status = GPTL_EXIT_USAGE;
        else if (command->step == STEP_CHECK)
            show_plan(&plan, path);
        else if (command->step == STEP_SELECT)
            show_selection(&plan, stdout);
        else if (command->step == STEP_REPORT)
            status = report(command, &plan);
        else
            status = make_and_run(command, &plan);
    }
    plan_free(&plan);
    return status;
}

int gptl_iostack(int argc, char **argv)
{
    struct command command = {.folder = "gptl-iostack", .analysis.top = VIEWS_TOP};
    int status = GPTL_EXIT_USAGE;
    query_begin(&command.analysis.query);
    if (parse(&command, argc, argv) == 0) {
        if (command.help) {
            help(stdout);
            status = GPTL_EXIT_DONE;
        } else if (optind >= argc)
            help(stderr);
        else if (is_log(argv[optind]) || is_folder(argv[optind]))
            status = analyze_logs(&command.analysis, argv + optind, (size_t)(argc - optind));
        else if (optind + 1 < argc)
            fprintf(stderr,
                    "gptl iostack: %s is no log of spans, and there can be only one "
                    "configuration\n",
                    argv[optind]);
        else
            status = run_configuration(&command, argv[optind]);
    }
    query_free(&command.analysis.query);
    return status;
}
