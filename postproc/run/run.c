/*
 * run.c - gptl run: runs a command with measurement from its start, and reports even if it is
 * killed.
 *
 * Each process of the command keeps its tree in a salvage file in a private directory of the run,
 * and stores its results there. When the command has ended, data of killed processes is reported,
 * and all results are moved to their destinations: the command does not see our files in its
 * working directory.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "postproc/child.h"
#include "postproc/commands.h"
#include "postproc/run/directory.h"
#include "postproc/run/run.h"

#include "core/claim.h"
#include "core/core.h"

static const char usage[] =
    "usage: gptl run [--mpi] [--io] [--iostack[=FOLDER]] [--counters LIST]\n"
    "                [--set KEY=VALUE]... [--] COMMAND [ARGUMENT...]\n"
    "\n"
    "Runs COMMAND with the library on from its start: each process that measures\n"
    "anything writes its report when it ends, as text (timing.0) and JSON\n"
    "(timing.0.json); if it is killed, gptl writes the report from what the process\n"
    "had measured. The exit status is COMMAND's.\n"
    "\n"
    "  --mpi             the calls of MPI as well:\n"
    "                    gptl run --mpi -- mpiexec -n 4 ./program\n"
    "  --io              records the calls for I/O as well, of all processes, in the\n"
    "                    log ioc.log; what GPTL_IO says wins:\n"
    "                    GPTL_IO='path=FILE;detail=on' (see gptl-run(1))\n"
    "  --iostack[=FOLDER]\n"
    "                    follows calls for I/O through the layers: HDF5, PnetCDF,\n"
    "                    MPI-IO, POSIX; logs for gptl iostack in FOLDER (iostack,\n"
    "                    iostack.1, ...)\n"
    "  --counters LIST   events to count, between commas:\n"
    "                    --counters PAPI_TOT_INS,GPTL_IPC\n"
    "  --set KEY=VALUE   an option of the library, as in GPTL_OPTIONS:\n"
    "                    --set percent=on\n"
    "\n"
    "Results appear when COMMAND has ended; until then they lie in a directory in\n"
    "GPTL_RUN_DIR, /dev/shm, TMPDIR, /tmp or /var/tmp. If gptl itself is killed,\n"
    "`gptl report` finds them.\n";

/* ---- Command ------------------------------------------------------------------------------- */

static void start_command(char **words, const void *of)
{
    const struct run *run = of;
    if (!run_set_preload(run))
        _exit(126);
    execvp(words[0], words);
    fprintf(stderr, "gptl run: %s: %s\n", words[0], strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

/* Join the values of --set and --counters. Returns the index of the command's first word, or -1. */
static int parse(struct run *run, int argc, char **argv, char *options, size_t size)
{
    int i = 1;
    options[0] = '\0';
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--") == 0)
            return i + 1 < argc ? i + 1 : -1;
        size_t n = strlen(options);
        if (strncmp(argv[i], "--iostack", 9) == 0 && (argv[i][9] == '\0' || argv[i][9] == '=')) {
            run->follows_io = true;
            snprintf(run->span_logs, sizeof run->span_logs, "%s", argv[i][9] ? argv[i] + 10 : "");
            if (argv[i][9] && (!*run->span_logs || strlen(argv[i] + 10) >= sizeof run->span_logs))
                return -1;
            continue;
        }
        if (strcmp(argv[i], "--io") == 0 || strcmp(argv[i], "--mpi") == 0) {
            *(argv[i][2] == 'i' ? &run->records_io : &run->sees_mpi) = true;
            continue;
        }
        bool counters = strcmp(argv[i], "--counters") == 0;
        if ((!counters && strcmp(argv[i], "--set") != 0) || i + 1 == argc ||
            n + 2 * strlen(argv[i + 1]) + 16 > size)
            return -1;
        i++;
        if (counters) {
            n += (size_t)snprintf(options + n, size - n, "counters=\"");
            run_double_quotes(argv[i], options + n);
            n += strlen(options + n);
            snprintf(options + n, size - n, "\";");
        } else {
            snprintf(options + n, size - n, "%s;", argv[i]);
        }
    }
    return i < argc ? i : -1;
}

/*
 * Occupy closed standard descriptors, so that our files do not become the command's standard
 * streams; they remain closed for the command.
 */
static void keep_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
            return;
}

static void go_on(int signal)
{
    (void)signal;
}

/*
 * Turn an exceeded file size limit into an error instead of termination. The command gets the
 * default action back.
 */
static void survive_limits(void)
{
    struct sigaction before;
    if (sigaction(SIGXFSZ, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        signal(SIGXFSZ, go_on);
}

static bool leave(const char *directory, void *unused)
{
    (void)unused;
    gptl_claim(directory, GPTL_CLAIM_ENDED, 0, NULL);
    gptl_claim_leave(directory);
    return true;
}

static bool announce_end(const char *directory, void *unused)
{
    (void)unused;
    gptl_salvage_await(directory);
    gptl_claim(directory, GPTL_CLAIM_ENDED, 0, NULL);
    return true;
}

static bool report_left(const char *directory, void *unused)
{
    (void)unused;
    return gptl_salvage_report_folder(directory) >= 0;
}

/* Collect the results. BEFORE: size of the log of I/O calls before the command. */
static void collect(const struct run *run, int status, off_t before)
{
    const char *folder = run->directory;
    bool is_told = isatty(STDERR_FILENO); /* otherwise the output of the command may be compared */
    if (*folder)
        run_directory_each(folder, announce_end, NULL);
    bool all = !*folder || run_directory_each(folder, report_left, NULL);
    bool moved = !*folder || run_collect(folder);
    if (moved)
        gptl_salvage_tell();
    if (run->follows_io && moved)
        run_tell_span_logs(run, status);
    if (moved)
        run_tell_calls(status, before, is_told);
    run_tell_unmeasured(run);
    if (*folder && status != 0)
        run_tell_missing_ranks(folder);
    if (is_told && moved)
        gptl_reports_tell(folder);
    if (!all)
        fprintf(stderr, "gptl run: what could not be reported is in %s\n", folder);
    /* Now, or when the last running process has ended. */
    if (*folder)
        run_directory_each(folder, leave, NULL);
}

int gptl_run(int argc, char **argv)
{
    static struct run run;
    char options[65536];
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(usage, stdout);
        return GPTL_EXIT_DONE;
    }
    keep_standard_descriptors();
    survive_limits();
    int first = parse(&run, argc, argv, options, sizeof options);
    if (first < 0) {
        fputs(usage, stderr);
        return GPTL_EXIT_USAGE;
    }
    if (gptl_core_set_options(options, "--set") != 0 ||
        (run.follows_io && !run_choose_span_logs(&run)))
        return GPTL_EXIT_USAGE;
    run_directory_make(argv + first, run.directory);
    if (!run_set_options(&run, options))
        return GPTL_EXIT_USAGE;

    bool told = run_warn_if_unseen(&run, argv + first);
    pid_t pid;
    off_t before = run.records_io && !told ? run_io_log_bytes() : -1;
    int status = gptl_child_run("gptl run", argv + first, start_command, &run, &pid);
    if (run.sees_mpi)
        run_warn_if_no_mpi(&run, status);
    collect(&run, status, before);
    return status < 0 ? GPTL_EXIT_USAGE : gptl_child_end("gptl run", "command", status);
}
