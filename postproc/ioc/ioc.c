/*
 * ioc.c - gptl ioc: the tools for the log of I/O calls. A new tool is a row in `tools` and a file.
 */
#include "config.h"

#include "postproc/arguments.h"
#include "postproc/ioc/ioc.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/commands.h"
#include "postproc/ioc/memory.h"

#include "core/core.h"
#include "report/file.h"

/* ---- The tools ----------------------------------------------------------------------------- */

enum takes { TAKES_ROWS = 1, TAKES_PICTURE = 2, TAKES_STEP = 4, TAKES_TOP = 8, TAKES_PATH = 16 };

static const struct tool {
    const char *name;
    int (*run)(struct ioc *ioc);
    unsigned takes; /* enum takes */
    const char *what, *help;
} tools[] = {
    {"summary", ioc_summary, TAKES_ROWS | TAKES_TOP,
     "what a run read and wrote, and what to change",
     "Files, bytes, calls, sizes, how sequential accesses are, and findings with\n"
     "advice.\n"},
    {"rate", ioc_rate, TAKES_ROWS | TAKES_PICTURE | TAKES_STEP, "bytes read and written over time",
     "The bytes read and written in each step of time.\n"},
    {"ops", ioc_ops, TAKES_ROWS | TAKES_PICTURE | TAKES_STEP, "calls over time",
     "The calls in each step of time.\n"},
    {"sizes", ioc_sizes, TAKES_ROWS | TAKES_PICTURE | TAKES_TOP,
     "how often each size was read and written",
     "How many reads and writes there were of each size.\n"},
    {"file", ioc_file, TAKES_ROWS | TAKES_PICTURE | TAKES_PATH, "where in a file the accesses went",
     "PATH is a file of the log, the end of its path, or a pattern. The table says for\n"
     "each process what it reused and shared; --csv and --json have every access, in\n"
     "order of time.\n"},
    {"regions", ioc_regions, TAKES_ROWS | TAKES_TOP, "which regions of the program made the calls",
     "For each call path of the timing library: the calls made there, the bytes, and\n"
     "the time in the calls. The log must be one with details:\n"
     "GPTL_IO=detail=on gptl run --io\n"},
    {"dump", ioc_dump, TAKES_ROWS, "all calls, one a line",
     "Lines of time, process, thread, call(descriptor), result, @offset, file.\n"},
    {"html", ioc_html, 0, "a page with all of this",
     "One page for a browser, which needs nothing else.\n"},
};

enum { NTOOLS = sizeof tools / sizeof tools[0] };

static const struct other {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
} others[] = {
    {"salvage", ioc_salvage, "what killed processes left, into their log"},
    {"check", ioc_check, "a program's reads and writes that are not recorded, by strace"},
};

enum { NOTHERS = sizeof others / sizeof others[0] };

static void help(FILE *to)
{
    fputs("usage: gptl ioc TOOL [OPTION]... LOG...\n\n"
          "Says what is in logs of I/O calls, which `gptl run --io` makes.\n\n",
          to);
    for (int i = 0; i < NTOOLS; i++)
        fprintf(to, "  %-8s  %s\n", tools[i].name, tools[i].what);
    for (int i = 0; i < NOTHERS; i++)
        fprintf(to, "  %-8s  %s\n", others[i].name, others[i].what);
    fputs("\n`gptl ioc TOOL --help` tells more.\n", to);
}

static void help_of(const struct tool *tool, FILE *to)
{
    fprintf(to, "usage: gptl ioc %s [OPTION]... %sLOG...\n\n%s\n", tool->name,
            tool->takes & TAKES_PATH ? "PATH " : "", tool->help);
    if (tool->takes & TAKES_ROWS)
        fputs("  --csv             comma-separated values, exact; notes go to stderr\n"
              "  --json            an object with the notes and the rows\n",
              to);
    fprintf(to, "  -o, --output FILE write to FILE, which appears when it is complete%s\n",
            tool->takes & TAKES_PICTURE
                ? ";\n                    NAME.svg and NAME.png are pictures, "
                  "drawn by gnuplot"
                : "");
    if (tool->takes & TAKES_STEP)
        fputs("  --step SECONDS    how long a step is (so that there are at most 100)\n"
              "  --each            a row for each process too\n",
              to);
    if (tool->takes & TAKES_TOP)
        fputs("  --top N           so many rows of what is most\n", to);
    fputs("\nWhich calls:\n"
          "  --process WHICH   of processes: PID, HOST:PID, or a pattern for the program's\n"
          "                    name\n"
          "  --rank N          of an MPI rank\n",
          to);
    if (!(tool->takes & TAKES_PATH))
        fputs("  --file PATTERN    for files whose path, or the end of it, fits\n", to);
    fputs("  --from SECONDS    since the first process began\n"
          "  --to SECONDS\n"
          "  --type LIST       read, write, open, close, creat, lseek, fsync, ftruncate,\n"
          "                    stdio_read, stdio_write, stdio, other, or names of\n"
          "                    functions, with commas\n",
          to);
}

/* ---- The command line ---------------------------------------------------------------------- */

struct command {
    struct ioc *ioc;
    const struct tool *tool;
    bool help;
    char *types; /* argument of --type, split at its commas */
    const char **names;
    size_t names_room;
};

enum {
    OPT_CSV = 1000,
    OPT_JSON,
    OPT_STEP,
    OPT_EACH,
    OPT_TOP,
    OPT_PROCESS,
    OPT_RANK,
    OPT_FILE,
    OPT_FROM,
    OPT_TO,
    OPT_TYPE
};

static int wrong(const struct command *command, const char *option, const char *value,
                 const char *problem)
{
    fprintf(stderr, "gptl ioc %s: --%s %s: %s\n", command->tool->name, option, value, problem);
    return -1;
}

static int take_seconds(const struct command *command, const char *option, const char *text,
                        double least, int64_t *ns)
{
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end || !isfinite(seconds) || seconds < least || seconds > 9e9)
        return wrong(command, option, text,
                     least > 0 ? "a number of seconds, at least 1e-9, is needed"
                               : "a number of seconds is needed");
    *ns = (int64_t)llround(seconds * 1e9);
    return 0;
}

static int take_number(const struct command *command, const char *option, const char *text,
                       long least, long *number)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < least)
        return wrong(command, option, text,
                     least ? "a number from 1 on is needed" : "a number is needed");
    *number = value;
    return 0;
}

static void take_type(struct command *command, const char *word)
{
    struct selection *selection = &command->ioc->selection;
    for (int type = GPTL_IOC_READ; type <= GPTL_IOC_OTHER; type++)
        if (strcmp(word, call_type_name((enum gptl_ioc_type)type)) == 0) {
            selection->types |= 1u << type;
            return;
        }
    command->names = memory_room(command->names, &command->names_room, selection->nnames + 1,
                                 sizeof *command->names);
    command->names[selection->nnames++] = word;
    selection->names = command->names;
}

static void take_types(struct command *command, const char *list)
{
    char *rest;
    free(command->types);
    command->ioc->selection.types = 0;
    command->ioc->selection.nnames = 0;
    command->types = memory_text(list);
    for (char *word = strtok_r(command->types, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        take_type(command, word);
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcasecmp(text + n - m, end) == 0;
}

static void take_output(struct command *command, const char *path)
{
    command->ioc->output = path;
    command->ioc->picture = PICTURE_NONE;
    if (command->tool->takes & TAKES_PICTURE)
        command->ioc->picture = ends_with(path, ".svg")   ? PICTURE_SVG
                                : ends_with(path, ".png") ? PICTURE_PNG
                                                          : PICTURE_NONE;
}

static int take_option(struct command *command, int option, const char *name)
{
    struct ioc *ioc = command->ioc;
    unsigned needed = option == OPT_CSV || option == OPT_JSON    ? TAKES_ROWS
                      : option == OPT_STEP || option == OPT_EACH ? TAKES_STEP
                      : option == OPT_TOP                        ? TAKES_TOP
                                                                 : 0;
    if (needed & ~command->tool->takes ||
        (option == OPT_FILE && command->tool->takes & TAKES_PATH)) {
        fprintf(stderr, "gptl ioc %s: there is no --%s here\n", command->tool->name, name);
        return -1;
    }
    switch (option) {
    case 'h':
        command->help = true;
        return 0;
    case 'o':
        take_output(command, optarg);
        return 0;
    case OPT_CSV:
        ioc->format = ROWS_CSV;
        return 0;
    case OPT_JSON:
        ioc->format = ROWS_JSON;
        return 0;
    case OPT_STEP:
        return take_seconds(command, name, optarg, 1e-9, &ioc->step);
    case OPT_EACH:
        ioc->each = true;
        return 0;
    case OPT_TOP:
        return take_number(command, name, optarg, 1, &ioc->top);
    case OPT_PROCESS:
        ioc->selection.process = optarg;
        return 0;
    case OPT_RANK:
        return take_number(command, name, optarg, 0, &ioc->selection.rank);
    case OPT_FILE:
        ioc->selection.file = optarg;
        return 0;
    case OPT_FROM:
        return take_seconds(command, name, optarg, -9e9, &ioc->selection.from);
    case OPT_TO:
        return take_seconds(command, name, optarg, -9e9, &ioc->selection.to);
    case OPT_TYPE:
        take_types(command, optarg);
        return 0;
    default:
        return -1;
    }
}

static int parse(struct command *command, int argc, char **argv)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"csv", no_argument, NULL, OPT_CSV},
                                            {"json", no_argument, NULL, OPT_JSON},
                                            {"step", required_argument, NULL, OPT_STEP},
                                            {"each", no_argument, NULL, OPT_EACH},
                                            {"top", required_argument, NULL, OPT_TOP},
                                            {"process", required_argument, NULL, OPT_PROCESS},
                                            {"rank", required_argument, NULL, OPT_RANK},
                                            {"file", required_argument, NULL, OPT_FILE},
                                            {"from", required_argument, NULL, OPT_FROM},
                                            {"to", required_argument, NULL, OPT_TO},
                                            {"type", required_argument, NULL, OPT_TYPE},
                                            {NULL, 0, NULL, 0}};
    char who[64];
    snprintf(who, sizeof who, "gptl ioc %s", command->tool->name);
    optind = 0;
    for (int option; (option = gptl_next_option(who, argc, argv, ":ho:", options)) != -1;) {
        const struct option *known = options;
        while (known->name && known->val != option)
            known++;
        if (option == '?' || take_option(command, option, known->name))
            return -1;
    }
    return 0;
}

/* ---- The run ------------------------------------------------------------------------------- */

/* Returns 0, or -1 after a message if the selection is empty. */
static int check_selection(const struct ioc *ioc)
{
    bool *chosen = memory_zeros(ioc->log.nprocesses, sizeof *chosen);
    size_t n = walk_choose(&ioc->log, &ioc->selection, chosen);
    free(chosen);
    if (n > 0)
        return 0;
    if (ioc->selection.rank >= 0)
        fprintf(stderr, "gptl ioc %s: --rank %ld: no such process%s is in the log\n", ioc->tool,
                ioc->selection.rank, ioc->selection.process ? " of this rank" : "");
    else
        fprintf(stderr, "gptl ioc %s: --process %s: no such process is in the log\n", ioc->tool,
                ioc->selection.process);
    return -1;
}

static int run_tool(struct ioc *ioc, const struct tool *tool)
{
    struct gptl_file file;
    char who[64];
    snprintf(who, sizeof who, "gptl ioc %s", tool->name);
    if (ioc->picture) /* gnuplot writes the file */
        return tool->run(ioc);
    if (gptl_file_open(&file, who, ioc->output ? ioc->output : "/dev/stdout", false))
        return GPTL_EXIT_USAGE;
    ioc->out = file.out;
    int status = tool->run(ioc);
    return gptl_file_close(&file, status != GPTL_EXIT_USAGE) ? GPTL_EXIT_USAGE : status;
}

static int run_on(struct ioc *ioc, const struct tool *tool, char *const *paths, int npaths)
{
    int status = GPTL_EXIT_USAGE;
    files_begin(&ioc->files, tool->takes & TAKES_PATH ? ioc->path : ioc->selection.file);
    if (log_open(&ioc->log, paths, npaths) == 0 && check_selection(ioc) == 0)
        status = run_tool(ioc, tool);
    if (status == GPTL_EXIT_DONE && ioc->log.ndamage > 0)
        status = GPTL_EXIT_FINDING;
    log_free(&ioc->log);
    files_free(&ioc->files);
    return status;
}

static int run(struct command *command, int argc, char **argv)
{
    struct ioc *ioc = command->ioc;
    if (parse(command, argc, argv))
        return GPTL_EXIT_USAGE;
    if (command->help) {
        help_of(command->tool, stdout);
        return GPTL_EXIT_DONE;
    }
    if (command->tool->takes & TAKES_PATH && optind < argc)
        ioc->path = argv[optind++];
    if (optind >= argc) {
        fprintf(stderr, "gptl ioc %s: no log given\n", command->tool->name);
        help_of(command->tool, stderr);
        return GPTL_EXIT_USAGE;
    }
    return run_on(ioc, command->tool, argv + optind, argc - optind);
}

int gptl_ioc(int argc, char **argv)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help(argc < 2 ? stderr : stdout);
        return argc < 2 ? GPTL_EXIT_USAGE : GPTL_EXIT_DONE;
    }
    for (int i = 0; i < NOTHERS; i++)
        if (strcmp(argv[1], others[i].name) == 0)
            return others[i].run(argc - 1, argv + 1);
    for (int i = 0; i < NTOOLS; i++) {
        if (strcmp(argv[1], tools[i].name) != 0)
            continue;
        struct ioc ioc = {.tool = tools[i].name,
                          .selection = {.rank = -1, .from = INT64_MIN, .to = INT64_MAX}};
        struct command command = {.ioc = &ioc, .tool = &tools[i]};
        int status = run(&command, argc - 1, argv + 1);
        free(command.types);
        free(command.names);
        return status;
    }
    fprintf(stderr, "gptl ioc: there is no tool \"%s\"; `gptl ioc --help` lists them\n", argv[1]);
    return GPTL_EXIT_USAGE;
}
