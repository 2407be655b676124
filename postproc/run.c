/*
 * run.c - gptl run: a command with the library on from its start, and a report also when it is
 * killed.
 *
 * Each process of the command keeps its tree in a salvage file in a private directory of this run, and
 * leaves its results there. When the command has ended, what processes left that were killed is reported,
 * and all results move to where they belong: the command sees none of our files where it works.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "postproc/child.h"
#include "postproc/commands.h"
#include "postproc/ioc/memory.h"
#include "postproc/run/directory.h"
#include "postproc/run/program.h"
#include "posix/filters.h"

#include "core/claim.h"
#include "core/core.h"
#include "iostack/format.h"

#define IO_LOG "ioc.log" /* in the working directory */

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
    "GPTL_RUN_DIR, /dev/shm, TMPDIR or /tmp. If gptl itself is killed, `gptl report`\n"
    "finds them.\n";

static char folder[PATH_MAX]; /* of this run; "": there is none */
static bool records_io, sees_mpi, follows_io;
static bool has_other_libc; /* the command: its loader fails at libraries that are made for ours */
static char logs[PATH_MAX]; /* the folder for logs of spans, as the user may name it */

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
    /* The directory comes last, as one run may be within another. */
    snprintf(value, size, "output=auto,json;salvage=%s;%s;%s;run.dir=\"%s\"",
             *folder ? "on" : "off", before ? before : "", options, quoted);
    bool done = setenv("GPTL_OPTIONS", value, 1) == 0;
    gptl_core_set_options(value, "gptl run");
    free(value);
    return done;
}

static bool find_library(const char *name, char *path, size_t size)
{
    static const char *const places[] = {"/.libs/", "/../lib/"};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < sizeof places / sizeof places[0]; i++) {
        snprintf(path, size, "%s%s%s", self, places[i], name);
        if (access(path, R_OK) == 0)
            return true;
    }
    snprintf(path, size, "%s/%s", LIBRARY_DIR, name);
    return access(path, R_OK) == 0;
}

bool gptl_find_library(const char *who, const char *name, char *path, size_t size)
{
    if (find_library(name, path, size))
        return true;
    fprintf(stderr, "%s: %s is not installed beside gptl\n", who, name);
    return false;
}

/* Puts VALUE before what the environment variable NAME has, with BETWEEN between them. */
static bool set_before(const char *name, const char *value, const char *between)
{
    const char *before = getenv(name);
    if (!before || !*before)
        return setenv(name, value, 1) == 0;
    size_t size = strlen(value) + strlen(between) + strlen(before) + 1;
    char *both = malloc(size);
    if (!both)
        return false;
    snprintf(both, size, "%s%s%s", value, between, before);
    bool done = setenv(name, both, 1) == 0;
    free(both);
    return done;
}

/*
 * NAME gets PATH, with what the user says behind it, and the directory of the run at the end. Of a run that
 * this one is in, the user's options stay, and the path goes.
 */
static bool set_log(const char *name, const char *path, const char *more)
{
    const char *before = getenv(name);
    bool is_within = before && strstr(before, "run.dir=");
    char quoted[2 * PATH_MAX], run[2 * PATH_MAX];
    size_t size = 6 * PATH_MAX + 64 + (before ? strlen(before) : 0);
    char *value = malloc(size);
    if (!value)
        return false;
    double_quotes(path, quoted);
    double_quotes(folder, run);
    snprintf(value, size, "%s%spath=\"%s\"%s%s%s", is_within ? before : "", is_within ? ";" : "",
             quoted, more, before && !is_within ? ";" : "", before && !is_within ? before : "");
    size_t n = strlen(value);
    if (*folder)
        snprintf(value + n, size - n, ";run.dir=\"%s\"", run);
    bool done = setenv(name, value, 1) == 0;
    free(value);
    return done;
}

/* PATH as it is from anywhere. */
static bool find_absolute(const char *path, char to[PATH_MAX])
{
    char here[PATH_MAX] = "";
    if (*path != '/' && !getcwd(here, sizeof here))
        return false;
    return snprintf(to, PATH_MAX, "%s%s%s", here, *here ? "/" : "", path) < PATH_MAX;
}

/* One log for all processes of the command, wherever they go; what the user says comes later. */
static bool set_io_log(void)
{
    char path[PATH_MAX];
    return !find_absolute(IO_LOG, path) || set_log("GPTL_IO", path, *folder ? ";salvage=on" : "");
}

/* A log for each layer and process; what the user says comes later. */
static bool set_span_logs(void)
{
    char path[PATH_MAX], pattern[PATH_MAX + 32];
    if (!find_absolute(logs, path))
        return false;
    snprintf(pattern, sizeof pattern, "%s/{layer}.{rank}.log", path);
    return set_log("GPTL_IOSTACK", pattern, "");
}

/* The loader takes blanks and colons of LD_PRELOAD for ends of names, and has no way to quote them. */
static bool preload(const char *name)
{
    char library[PATH_MAX + 64];
    if (!gptl_find_library("gptl run", name, library, sizeof library))
        return false;
    if (!strpbrk(library, " :"))
        return set_before("LD_PRELOAD", library, ":");
    fprintf(stderr,
            "gptl run: the loader cannot preload %s: its path has a blank or a colon; install gptl "
            "at another place\n",
            library);
    return false;
}

/* What --iostack preloads; those that were not built see nothing. */
static bool preload_layers(void)
{
    static const char *const optional[] = {MPI_LIBRARY_NAME, IOSTACK_LIBRARY_NAME};
    char library[PATH_MAX + 64];
    for (size_t i = sees_mpi; i < sizeof optional / sizeof optional[0]; i++)
        if (find_library(optional[i], library, sizeof library) && !preload(optional[i]))
            return false;
    return preload(PROBE_LIBRARY_NAME) && set_span_logs();
}

/*
 * The last one comes first: it sees to it that what the command starts has all of them. A program that
 * was built with AddressSanitizer refuses to start behind others, unless it is told that this is fine.
 */
static bool set_preload(void)
{
    if (!set_before("ASAN_OPTIONS", "verify_asan_link_order=0", ":") || !preload(LIBRARY_NAME) ||
        (sees_mpi && !preload(MPI_LIBRARY_NAME)) || (follows_io && !preload_layers()) ||
        ((records_io || follows_io) && (!gptl_posix_tell_filters() || !preload(IO_LIBRARY_NAME))) ||
        (records_io && !set_io_log()))
        return false;
#ifdef RUN_LIBRARY_NAME
    return preload(RUN_LIBRARY_NAME);
#else
    return true;
#endif
}

/* How many logs of spans are in their folder, of how many processes; none is no error. */
static void count_logs(size_t *nlogs, size_t *nprocesses)
{
    DIR *entries = opendir(logs);
    struct dirent *entry;
    struct gptl_iostack_header h;
    size_t n = 0, room = 0;
    uint64_t *seen = NULL;
    *nlogs = 0;
    while (entries && (entry = readdir(entries))) {
        int fd = openat(dirfd(entries), entry->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        bool is_log = fd >= 0 && read(fd, &h, sizeof h) == (ssize_t)sizeof h &&
                      memcmp(h.magic, GPTL_IOSTACK_MAGIC, sizeof h.magic) == 0;
        if (fd >= 0)
            close(fd);
        if (!is_log)
            continue;
        size_t i = 0;
        while (i < n && seen[i] != h.process)
            i++;
        seen = memory_room(seen, &room, n + 1, sizeof *seen);
        seen[i] = h.process;
        n += i == n;
        ++*nlogs;
    }
    if (entries)
        closedir(entries);
    free(seen);
    *nprocesses = n;
}

/* The folder for logs, which is made at the end: a new one, or one without any, as two runs are not to be taken for one. */
static bool choose_log_folder(void)
{
    size_t nlogs, nprocesses;
    struct stat s;
    bool named = *logs != '\0';
    for (int i = 0; !named; i++) {
        snprintf(logs, sizeof logs, i ? "iostack.%d" : "iostack", i);
        if (lstat(logs, &s) != 0)
            return true;
    }
    char above[PATH_MAX];
    snprintf(above, sizeof above, "%.*s", (int)(strrchr(logs, '/') ? strrchr(logs, '/') - logs : 1),
             strrchr(logs, '/') ? logs : ".");
    bool is_there = stat(logs, &s) == 0;
    if (is_there ? !S_ISDIR(s.st_mode) : *above && stat(above, &s) != 0) {
        fprintf(stderr, "gptl run: cannot make %s: %s\n", logs,
                strerror(is_there ? EEXIST : errno));
        return false;
    }
    count_logs(&nlogs, &nprocesses);
    if (nlogs > 0)
        fprintf(stderr, "gptl run: %s has logs of another run; name another folder\n", logs);
    return nlogs == 0;
}

/* Whether COMMAND ran to its end: otherwise another line says why nothing was seen of it. */
static bool ran(int status)
{
    return status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) < 126;
}

/* What there is, and how to look at it. */
static void tell_logs(int status)
{
    size_t nlogs, nprocesses;
    count_logs(&nlogs, &nprocesses);
    if (nlogs > 0)
        fprintf(stderr,
                "gptl run: %zu log%s of %zu process%s in %s; look at them with: gptl iostack %s\n",
                nlogs, nlogs == 1 ? "" : "s", nprocesses, nprocesses == 1 ? "" : "es", logs, logs);
    if (nlogs == 0 && ran(status))
        fprintf(stderr,
                "gptl run: no process made calls for I/O that could be seen and written down; what "
                "is linked statically, or is started on another machine without LD_PRELOAD and "
                "GPTL_IOSTACK, cannot be seen: see gptl-run(1)\n");
}

/* What is no program of this machine's, or a script, the system knows. */
static bool warn_if_other_abi(const char *file)
{
    has_other_libc = run_is_of_other_abi(file);
    if (has_other_libc)
        fprintf(stderr,
                "gptl run: %s is built for another processor than gptl: it is run without what "
                "gptl would "
                "preload, and nothing is seen of it; install a gptl that is built for it\n",
                file);
    return has_other_libc;
}

/* Says so when COMMAND takes no preload, and returns true. Another C library's loader would not even start it. */
static bool warn_if_unseen(const char *word)
{
    char file[PATH_MAX], self[PATH_MAX], interpreter[PATH_MAX], own[PATH_MAX];
    if (!run_find_interpreter(word, file, interpreter))
        return warn_if_other_abi(file);
    if (*interpreter == '\0' && (records_io || follows_io)) {
        fprintf(stderr,
                "gptl run: %s is linked statically: no library can see its calls for I/O; link it "
                "without -static\n",
                file);
        return true;
    }
    has_other_libc = *interpreter && run_find_interpreter("/proc/self/exe", self, own) && *own &&
                     strcmp(basename(interpreter), basename(own)) != 0;
    if (has_other_libc)
        fprintf(
            stderr,
            "gptl run: %s runs with another C library than gptl (%s, not %s): it is run without "
            "what gptl would preload, and nothing is seen of it\n",
            file, interpreter, own);
    return has_other_libc;
}

static bool has_no_mpi(const char *directory, void *unused)
{
    (void)unused;
    return !gptl_claim_is_made(directory, GPTL_CLAIM_MPI, 0);
}

/*
 * Says so when no process called MPI where it could be seen. What preloaded libraries cannot stand
 * before is linked statically, or runs where the environment of the command does not reach.
 */
static void warn_if_no_mpi(int status)
{
    if (*folder && run_directory_each(folder, has_no_mpi, NULL) && ran(status))
        fprintf(
            stderr,
            "gptl run: no process was seen to call MPI; one that is linked statically, or that "
            "is started on another machine without LD_PRELOAD and GPTL_OPTIONS, cannot be seen: "
            "see gptl-run(1)\n");
}

/* Bytes of the log of --io; -1 if what the user says puts it elsewhere. */
static off_t io_log_bytes(void)
{
    const char *own = getenv("GPTL_IO");
    struct stat s;
    if (own && strstr(own, "path="))
        return -1;
    return stat(IO_LOG, &s) == 0 ? s.st_size : 0;
}

/*
 * Says so when the log has no more than BEFORE: programs that close stderr first cannot say why; and when
 * it has what was there before, which is not seen in what gptl ioc says. Else where it is, if IS_TOLD.
 */
static void tell_calls(int status, off_t before, bool is_told)
{
    if (before < 0)
        return;
    if (io_log_bytes() != before) {
        if (before > 0)
            fputs("gptl run: calls for I/O were added to " IO_LOG
                  ", which had those of another run: gptl ioc takes both for one\n",
                  stderr);
        else if (is_told)
            fputs("gptl run: calls for I/O are in " IO_LOG
                  "; look at them with: gptl ioc summary " IO_LOG "\n",
                  stderr);
    } else if (ran(status))
        fprintf(stderr,
                "gptl run: no calls were written to " IO_LOG
                "; there were none, or its disk is full, "
                "or what was started is linked statically, or runs without LD_PRELOAD and GPTL_IO: "
                "see gptl-run(1)\n");
}

/* ---- The command --------------------------------------------------------------------------- */

static void start_command(char **words, const void *unused)
{
    (void)unused;
    if (!has_other_libc && !set_preload())
        _exit(126);
    execvp(words[0], words);
    fprintf(stderr, "gptl run: %s: %s\n", words[0], strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
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
        if (strncmp(argv[i], "--iostack", 9) == 0 && (argv[i][9] == '\0' || argv[i][9] == '=')) {
            follows_io = true;
            snprintf(logs, sizeof logs, "%s", argv[i][9] ? argv[i] + 10 : "");
            if (argv[i][9] && (!*logs || strlen(argv[i] + 10) >= sizeof logs))
                return -1;
            continue;
        }
        if (strcmp(argv[i], "--io") == 0 || strcmp(argv[i], "--mpi") == 0) {
            *(argv[i][2] == 'i' ? &records_io : &sees_mpi) = true;
            continue;
        }
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

/* What is opened must not become one of the command's standard streams, which stay closed for it. */
static void keep_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
            return;
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

/* Results move out. BEFORE: the bytes of the log of calls for I/O before the command. */
static void collect(int status, off_t before)
{
    bool is_told = isatty(STDERR_FILENO); /* elsewhere somebody may compare what the command said */
    if (*folder)
        run_directory_each(folder, announce_end, NULL);
    bool all = !*folder || run_directory_each(folder, report_left, NULL);
    bool moved = !*folder || run_collect(folder);
    if (moved)
        gptl_salvage_tell();
    if (follows_io && moved)
        tell_logs(status);
    if (moved)
        tell_calls(status, before, is_told);
    if (*folder)
        run_tell_unmeasured(folder);
    if (*folder && status != 0)
        run_tell_missing_ranks(folder);
    if (is_told && moved)
        gptl_reports_tell(folder);
    if (!all)
        fprintf(stderr, "gptl run: what could not be reported is in %s\n", folder);
    /* Now, or when the last one has ended that still runs. */
    if (*folder)
        run_directory_each(folder, leave, NULL);
}

int gptl_run(int argc, char **argv)
{
    char options[65536];
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(usage, stdout);
        return GPTL_EXIT_DONE;
    }
    keep_standard_descriptors();
    int first = parse(argc, argv, options, sizeof options);
    if (first < 0) {
        fputs(usage, stderr);
        return GPTL_EXIT_USAGE;
    }
    if (gptl_core_set_options(options, "--set") != 0 || (follows_io && !choose_log_folder()))
        return GPTL_EXIT_USAGE;
    run_directory_make(argv + first, folder);
    if (!set_environment(options))
        return GPTL_EXIT_USAGE;

    bool told = warn_if_unseen(argv[first]);
    pid_t pid;
    off_t before = records_io && !told ? io_log_bytes() : -1;
    int status = gptl_child_run("gptl run", argv + first, start_command, NULL, &pid);
    if (sees_mpi)
        warn_if_no_mpi(status);
    collect(status, before);
    return status < 0 ? GPTL_EXIT_USAGE : gptl_child_end("gptl run", "command", status);
}
