/*
 * run.c - gptl run: a command with the library on from its start, and a report also when it is
 * killed.
 *
 * Each process of the command keeps its tree in a salvage file in a folder of this run. Those that
 * end well remove their file; what is left when the command has ended is reported from here.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "postproc/commands.h"

#include "core/core.h"
#include "report/report.h"

static const char usage[] =
    "usage: gptl run [--counters LIST] [--set KEY=VALUE]... [--] COMMAND [ARGUMENT...]\n"
    "\n"
    "Runs COMMAND with the library on from its start: each process that measures anything writes "
    "its\n"
    "report when it ends, as text (timing.0) and JSON (timing.0.json); if it is killed, gptl "
    "writes\n"
    "the report from what the process had measured. The exit status is COMMAND's.\n"
    "\n"
    "  --counters LIST   events to count, between commas: --counters PAPI_TOT_INS,GPTL_IPC\n"
    "  --set KEY=VALUE   an option of the library, as in GPTL_OPTIONS: --set percent=on\n"
    "\n"
    "If gptl itself is killed: `gptl report FOLDER`, with the folder .gptl-run.PID that it left.\n";

static char folder[PATH_MAX];
static pid_t command = -1;

/* ---- The environment ----------------------------------------------------------------------- */

/* As a quote within quotes is written. */
static void double_quotes(const char *from, char *to)
{
    for (; *from; from++) {
        *to++ = *from;
        if (*from == '"')
            *to++ = '"';
    }
    *to = '\0';
}

/* Options of the user's come last, so that they win. */
static bool set_environment(const char *options)
{
    const char *before = getenv("GPTL_OPTIONS");
    char quoted[2 * PATH_MAX];
    size_t size = sizeof quoted + strlen(options) + (before ? strlen(before) : 0) + 128;
    char *value = malloc(size);
    if (!value)
        return false;
    double_quotes(folder, quoted);
    snprintf(value, size, "output=text,json;salvage=on;run.dir=\"%s\";%s;%s", quoted,
             before ? before : "", options);
    bool done = setenv("GPTL_OPTIONS", value, 1) == 0;
    gptl_core_set_options(value, "gptl run");
    free(value);
    return done;
}

/* The library that stands beside this program, in the build tree or installed. */
static bool find_library(char *path, size_t size)
{
    static const char *const places[] = {"/.libs/" LIBRARY_NAME, "/../lib/" LIBRARY_NAME};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < sizeof places / sizeof places[0]; i++) {
        snprintf(path, size, "%s%s", self, places[i]);
        if (access(path, R_OK) == 0)
            return true;
    }
    snprintf(path, size, "%s", LIBRARY_DIR "/" LIBRARY_NAME);
    return access(path, R_OK) == 0;
}

static bool set_preload(void)
{
    char library[PATH_MAX + 64];
    if (!find_library(library, sizeof library)) {
        fprintf(stderr, "gptl run: %s is not installed beside gptl\n", LIBRARY_NAME);
        return false;
    }
    const char *before = getenv("LD_PRELOAD");
    size_t size = strlen(library) + (before ? strlen(before) : 0) + 2;
    char *value = malloc(size);
    if (!value)
        return false;
    snprintf(value, size, "%s%s%s", library, before && *before ? ":" : "", before ? before : "");
    bool done = setenv("LD_PRELOAD", value, 1) == 0;
    free(value);
    return done;
}

static bool make_folder(void)
{
    char here[PATH_MAX - 64];
    if (!getcwd(here, sizeof here)) {
        fprintf(stderr, "gptl run: the working directory: %s\n", strerror(errno));
        return false;
    }
    snprintf(folder, sizeof folder, "%s/.gptl-run.%ld", here, (long)getpid());
    if (mkdir(folder, 0700) == 0 || errno == EEXIST)
        return true;
    fprintf(stderr, "gptl run: cannot make %s: %s; run it where reports can be written\n", folder,
            strerror(errno));
    return false;
}

/* What the processes have left in the folder besides salvage files says which names they took. */
static void remove_folder(void)
{
    DIR *entries = opendir(folder);
    struct dirent *entry;
    while (entries && (entry = readdir(entries)))
        if (strncmp(entry->d_name, GPTL_CLAIM_PREFIX, strlen(GPTL_CLAIM_PREFIX)) == 0)
            unlinkat(dirfd(entries), entry->d_name, 0);
    if (entries)
        closedir(entries);
    rmdir(folder);
}

/* ---- The command --------------------------------------------------------------------------- */

static void pass_on(int signal)
{
    if (command > 0)
        kill(command, signal);
}

/* Starts the command. Returns its wait status, or -1 when it could not be started. */
static int run_command(char **words)
{
    /* The terminal sends its signals to the command as well. */
    void (*interrupt)(int) = signal(SIGINT, SIG_IGN);
    void (*quit)(int) = signal(SIGQUIT, SIG_IGN);
    command = fork();
    if (command == 0) {
        signal(SIGINT, interrupt);
        signal(SIGQUIT, quit);
        if (!set_preload())
            _exit(GPTL_EXIT_USAGE);
        execvp(words[0], words);
        fprintf(stderr, "gptl run: %s: %s\n", words[0], strerror(errno));
        _exit(errno == ENOENT ? 127 : 126);
    }
    if (command < 0) {
        fprintf(stderr, "gptl run: cannot start %s: %s\n", words[0], strerror(errno));
        return -1;
    }
    signal(SIGTERM, pass_on);
    signal(SIGHUP, pass_on);
    int status;
    while (waitpid(command, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

/* Ends as the command did, so that a shell sees the same. */
static int same_end(int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    fprintf(stderr, "gptl run: the command was ended by signal %d (%s)\n", WTERMSIG(status),
            strsignal(WTERMSIG(status)));
    return 128 + WTERMSIG(status);
}

/* Joins the values of --set and --counters. Returns the index of the first word of the command, or -1. */
static int parse(int argc, char **argv, char *options, size_t size)
{
    int i = 1;
    options[0] = '\0';
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--") == 0)
            return i + 1 < argc ? i + 1 : -1;
        size_t n = strlen(options);
        bool counters = strcmp(argv[i], "--counters") == 0;
        if ((!counters && strcmp(argv[i], "--set") != 0) || i + 1 == argc ||
            n + 2 * strlen(argv[i + 1]) + 16 > size)
            return -1;
        i++;
        if (counters) {
            n += (size_t)snprintf(options + n, size - n, "counters=\"");
            double_quotes(argv[i], options + n);
            n += strlen(options + n);
            snprintf(options + n, size - n, "\";");
        } else {
            snprintf(options + n, size - n, "%s;", argv[i]);
        }
    }
    return i < argc ? i : -1;
}

int gptl_run(int argc, char **argv)
{
    char options[65536];
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(usage, stdout);
        return GPTL_EXIT_DONE;
    }
    int first = parse(argc, argv, options, sizeof options);
    if (first < 0) {
        fputs(usage, stderr);
        return GPTL_EXIT_USAGE;
    }
    if (gptl_core_set_options(options, "--set") != 0 || !make_folder() || !set_environment(options))
        return GPTL_EXIT_USAGE;

    int status = run_command(argv + first);
    int left = gptl_salvage_report_folder(folder);
    if (left >= 0)
        remove_folder();
    else
        fprintf(stderr, "gptl run: what could not be reported is in %s\n", folder);
    return status < 0 ? GPTL_EXIT_USAGE : same_end(status);
}
