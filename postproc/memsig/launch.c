/* launch.c - runs a program under the Valgrind tool. */
#include "config.h"

#include "postproc/memsig/memsig.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "postproc/child.h"
#include "postproc/commands.h"
#include "postproc/ioc/memory.h"
#include "postproc/memsig/machines.h"

/* ---- Valgrind ------------------------------------------------------------------------------- */

#ifdef VALGRIND_PROGRAM

static bool find_tool(char *path, size_t size)
{
    static const char name[] = "gptl_memsig-amd64-linux";
    if (gptl_find_helper(name, path, size))
        return true;
    fprintf(stderr, WHO ": %s is not installed beside gptl\n", name);
    return false;
}

/* Link the tool and Valgrind's own files into one directory, where Valgrind looks for both. */
static bool fill_folder(const char *folder)
{
    static const char *const parts[] = {"default.supp", "vgpreload_core-amd64-linux.so"};
    char from[2 * PATH_MAX], to[2 * PATH_MAX];
    if (!find_tool(from, sizeof from))
        return false;
    snprintf(to, sizeof to, "%s/memsig-amd64-linux", folder);
    bool done = symlink(from, to) == 0;
    for (size_t i = 0; done && i < sizeof parts / sizeof *parts; i++) {
        snprintf(from, sizeof from, "%s/%s", VALGRIND_FOLDER, parts[i]);
        snprintf(to, sizeof to, "%s/%s", folder, parts[i]);
        if (access(from, R_OK) != 0) {
            fprintf(stderr, WHO ": %s: %s; install Valgrind (Debian: valgrind)\n", from,
                    strerror(errno));
            return false;
        }
        done = symlink(from, to) == 0;
    }
    if (!done)
        fprintf(stderr, WHO ": %s: %s\n", to, strerror(errno));
    return done;
}

/*
 * Return the arguments before the program, an array of strings that the caller frees. NULL after a
 * message.
 */
static char **arguments(const struct memsig_options *options, const char *folder, int *n)
{
    static const char *const fixed[] = {
        VALGRIND_PROGRAM, "--tool=memsig", "--command-line-only=yes", "-q", "--trace-children=yes",
        /* Keep basic blocks unmerged and unduplicated, so that each access is counted once. */
        "--vex-iropt-unroll-thresh=0", "--vex-guest-chase=no"};
    enum { NFIXED = sizeof fixed / sizeof *fixed };
    int nwords = 0;
    while (options->words[nwords])
        nwords++;
    size_t most = NFIXED + (size_t)options->nmachines + (size_t)nwords + 8;
    char **words = memory_zeros(most, sizeof *words);
    char text[PATH_MAX + 32];
    *n = 0;
    for (int i = 0; i < NFIXED; i++)
        words[(*n)++] = memory_text(fixed[i]);
    snprintf(text, sizeof text, "--folder=%s", folder);
    words[(*n)++] = memory_text(text);
    snprintf(text, sizeof text, "--paths=%lu", options->paths);
    words[(*n)++] = memory_text(text);
    snprintf(text, sizeof text, "--interval=%lu", options->interval);
    words[(*n)++] = memory_text(text);
    if (options->only_caches)
        words[(*n)++] = memory_text("--only-caches=yes");
    if (options->burst > 0) {
        snprintf(text, sizeof text, "--burst=%llu", options->burst);
        words[(*n)++] = memory_text("--sample=yes");
        words[(*n)++] = memory_text(text);
    }
    if (options->nmachines == 0)
        words[(*n)++] = memsig_this_machine();
    for (int i = 0; i < options->nmachines; i++)
        if (!(words[(*n)++] = memsig_described_machine(options->machines[i]))) {
            while (*n > 0)
                free(words[--*n]);
            free(words);
            return NULL;
        }
    words[(*n)++] = memory_text("--");
    memcpy(&words[*n], options->words, (size_t)nwords * sizeof *words);
    return words;
}

static void start_valgrind(char **words, const void *folder)
{
    setenv("VALGRIND_LIB", folder, 1);
    /* The simulation counts small pages, so the system must not provide huge pages. */
    prctl(PR_SET_THP_DISABLE, 1L, 0L, 0L, 0L);
    execvp(words[0], words);
    execvp("valgrind", words);
    fprintf(stderr, WHO ": %s: %s; install Valgrind (Debian: valgrind)\n", words[0],
            strerror(errno));
    _exit(GPTL_EXIT_USAGE);
}

/*
 * Report programs that Valgrind would refuse, with a remedy. Valgrind itself reports missing files.
 */
static bool can_be_followed(const char *word)
{
    char file[PATH_MAX];
    FILE *f = gptl_child_open(word, file, sizeof file);
    unsigned char head[EI_NIDENT] = {0};
    struct stat status;
    const char *what = NULL;
    if (!f)
        return true;
    if (fread(head, sizeof head, 1, f) == 1 && memcmp(head, ELFMAG, SELFMAG) == 0 &&
        head[EI_CLASS] != ELFCLASS64)
        what = "a program of 32 bits; the tool knows those of 64 bits only";
    else if (fstat(fileno(f), &status) == 0 && (status.st_mode & (S_ISUID | S_ISGID)))
        what = "runs with the rights of its owner (set-user-ID or set-group-ID), which cannot be "
               "followed; run a copy of it";
    fclose(f);
    if (what)
        fprintf(stderr, WHO ": %s: %s\n", file, what);
    return !what;
}

int memsig_launch(const struct memsig_options *options, const char *folder, pid_t *pid)
{
    int n, status = -1;
    if (!can_be_followed(options->words[0]))
        return -1;
    char **words = arguments(options, folder, &n);
    if (words && fill_folder(folder))
        status = gptl_child_run("gptl memsig", words, start_valgrind, folder, pid);
    while (words && n > 0)
        free(words[--n]);
    free(words);
    return status;
}

#else

int memsig_launch(const struct memsig_options *options, const char *folder, pid_t *pid)
{
    (void)options;
    (void)folder;
    (void)pid;
    fputs(WHO ": gptl was built without Valgrind; install it (Debian: valgrind) and build gptl "
              "again\n",
          stderr);
    return -1;
}

#endif

/* ---- Ranks ---------------------------------------------------------------------------------- */

/* Options of MPI launchers that take arguments, and their number. */
static const struct {
    const char *name;
    int words;
} launcher_options[] = {
    {"n", 1},           {"np", 1},         {"c", 1},
    {"N", 1},           {"host", 1},       {"H", 1},
    {"hosts", 1},       {"f", 1},          {"hostfile", 1},
    {"machinefile", 1}, {"ppn", 1},        {"perhost", 1},
    {"npernode", 1},    {"map-by", 1},     {"bind-to", 1},
    {"rank-by", 1},     {"x", 1},          {"mca", 2},
    {"wdir", 1},        {"wd", 1},         {"prefix", 1},
    {"path", 1},        {"env", 2},        {"genv", 2},
    {"envlist", 1},     {"genvlist", 1},   {"launcher", 1},
    {"iface", 1},       {"rmk", 1},        {"arch", 1},
    {"p", 1},           {"t", 1},          {"w", 1},
    {"ntasks", 1},      {"nodes", 1},      {"nodelist", 1},
    {"partition", 1},   {"time", 1},       {"cpus-per-task", 1},
    {"mpi", 1},         {"output", 1},     {"o", 1},
    {"error", 1},       {"e", 1},          {"cpu-set", 1},
    {"app", 1},         {"configfile", 1}, {"report-uri", 1},
    {"tune", 1},        {"am", 1},
};

static bool is_launcher(const char *word)
{
    static const char *const names[] = {"mpiexec", "mpirun", "orterun", "prterun", "prun", "srun"};
    const char *slash = strrchr(word, '/'), *name = slash ? slash + 1 : word;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        /* also mpiexec.hydra, mpirun.openmpi */
        if (strncmp(name, names[i], n) == 0 && (name[n] == '\0' || name[n] == '.'))
            return true;
    }
    return false;
}

/* Return the number of arguments of the launcher option WORD. */
static int words_of(const char *word)
{
    word += word[1] == '-' ? 2 : 1;
    for (size_t i = 0; i < sizeof launcher_options / sizeof *launcher_options; i++)
        if (strcmp(word, launcher_options[i].name) == 0)
            return launcher_options[i].words;
    return 0;
}

/* Return the index of the program from word FIRST on, or -1 if missing. */
static int program_at(char **words, int first)
{
    int i = first;
    while (words[i] && words[i][0] == '-') {
        int more = words_of(words[i]);
        for (i++; more > 0 && words[i]; more--)
            i++;
    }
    return words[i] ? i : -1;
}

bool memsig_launch_ranks(const struct memsig_options *options, int argc, char **argv)
{
    static char end[] = "--";
    char **words = options->words, self[PATH_MAX];
    int nwords = 0, n = 0, nown = (int)(words - argv);
    if (!is_launcher(words[0]))
        return false;
    while (words[nwords])
        nwords++;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) {
        fputs(WHO ": put gptl memsig behind the launcher: mpiexec -n 4 gptl memsig -- ./program\n",
              stderr);
        return true;
    }
    self[length] = '\0';
    /* Insert this command before each program; colons separate several programs. */
    char **all = memory_zeros((size_t)(nwords + 1) * (size_t)(argc + 4), sizeof *all);
    all[n++] = words[0];
    for (int i = 1, at = program_at(words, 1); i < nwords; i++) {
        if (i == at) {
            all[n++] = self;
            for (int own = 0; own < nown; own++)
                if (strcmp(argv[own], "--") != 0)
                    all[n++] = argv[own];
            all[n++] = end;
        }
        all[n++] = words[i];
        if (strcmp(words[i], ":") == 0)
            at = program_at(words, i + 1);
    }
    execvp(all[0], all);
    fprintf(stderr, WHO ": %s: %s\n", all[0], strerror(errno));
    free(all);
    return true;
}
