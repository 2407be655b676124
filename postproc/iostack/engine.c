/*
 * engine.c - builds and runs instrumented programs. This process is a subreaper: orphaned
 * descendants of a command become its children, so that no process, not even a server, survives.
 */
#include "config.h"

#include "postproc/iostack/engine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "postproc/ioc/memory.h"

#include "iostack/format.h"

enum { ALL_LAYERS = (1u << NLAYERS) - 1 };

static volatile sig_atomic_t interrupted;
static bool logs_are_ours; /* the user did not specify their directory */

static void interrupt(int signal)
{
    interrupted = signal;
}

static char *path_in(const char *folder, const char *name, const char *end)
{
    size_t n = strlen(folder) + strlen(name) + strlen(end) + 2;
    char *path = memory_zeros(n, 1);
    snprintf(path, n, "%s/%s%s", folder, name, end);
    return path;
}

/* ---- Environment --------------------------------------------------------------------------- */

static void put_first(const char *variable, const char *folder)
{
    const char *before = getenv(variable);
    size_t n = strlen(folder) + (before ? strlen(before) : 0) + 2;
    char *value = memory_zeros(n, 1);
    snprintf(value, n, before && *before ? "%s:%s" : "%s", before && *before ? before : folder,
             folder);
    setenv(variable, value, 1);
    free(value);
}

static bool log_is_known(const struct plan *plan)
{
    bool is_known = getenv("Log") != NULL;
    for (size_t i = 0; i < plan->names.n; i++)
        is_known |= strcmp(plan->names.words[i].text, "Log") == 0;
    return is_known;
}

/* Return $Log if defined, otherwise a directory next to the copies; the caller frees it. */
static char *log_folder(const struct plan *plan, const char *folder)
{
    struct place none = {"", 0, 0};
    return log_is_known(plan) ? plan_expand(plan, &none, "$Log") : path_in(folder, "log", "");
}

/*
 * Count the {words} in the path of OPTIONS, a value of GPTL_IOSTACK, that libgptl_probe does not
 * support.
 */
static size_t count_unknown(const char *options, const char **first)
{
    static const char *const known[] = {"{layer}", "{rank}",    "{index}",
                                        "{pid}",   "{program}", "{host}"};
    size_t n = 0;
    const char *path = strstr(options, "path=");
    for (const char *at = path ? strchr(path, '{') : NULL; at; at = strchr(at + 1, '{')) {
        bool is_known = false;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            is_known |= strncmp(at, known[i], strlen(known[i])) == 0;
        if (!is_known && n++ == 0)
            *first = at;
    }
    return n;
}

static void note_unknown(const char *options)
{
    const char *first = NULL;
    size_t n = count_unknown(options, &first);
    if (n > 0)
        fprintf(
            stderr,
            "gptl iostack: note: %zu unknown placeholder%s in path= of GPTL_IOSTACK, from '%.40s' "
            "on (expected {layer}, {rank}, {index}, {pid}, {program} or {host}); the names of "
            "logs have %s as %s\n",
            n, n == 1 ? "" : "s", first, n == 1 ? "it" : "them", n == 1 ? "it is" : "they are");
}

int engine_prepare(const struct plan *plan, const struct trees *trees, const char *folder)
{
    char *logs = log_folder(plan, folder);
    logs_are_ours = !log_is_known(plan);
    if (mkdir(logs, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "gptl iostack: cannot make %s: %s\n", logs, strerror(errno));
        free(logs);
        return -1;
    }
    char *real = realpath(logs, NULL);
    for (size_t i = 0; i < plan->names.n; i++) {
        char *value = plan_expand(plan, &plan->names.words[i].place, plan->values.words[i].text);
        if (value)
            setenv(plan->names.words[i].text, value, 1);
        free(value);
    }
    for (size_t i = 0; i < trees->n; i++) {
        char *copy = realpath(trees->trees[i].copy, NULL);
        setenv(trees->trees[i].name, copy ? copy : trees->trees[i].copy, 1);
        free(copy);
    }
    char *options = NULL;
    if (asprintf(&options, "path=\"%s/{layer}.{rank}.log\"", real ? real : logs) < 0)
        options = memory_text("off");
    setenv("Log", real ? real : logs, 1);
    setenv("GPTL_IOSTACK", options, 0);
    note_unknown(getenv("GPTL_IOSTACK"));
    put_first("CPATH", INCLUDE_DIR);
    put_first("LIBRARY_PATH", LIBRARY_DIR);
    put_first("LD_LIBRARY_PATH", LIBRARY_DIR);
    free(options);
    free(real);
    free(logs);
    return 0;
}

/* ---- Commands ------------------------------------------------------------------------------ */

/* List the current children of this process. */
static size_t children(pid_t *pids, size_t most)
{
    size_t n = 0;
    long pid;
    FILE *file;
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%ld/children", (long)getpid());
    file = fopen(path, "r");
    while (file && n < most && fscanf(file, "%ld", &pid) == 1)
        pids[n++] = (pid_t)pid;
    if (file)
        fclose(file);
    return n;
}

/* Terminate the children: SIGTERM, and SIGKILL after a second. */
static void end_children(void)
{
    enum { MOST = 256, POLITE = 100, ALL = 600 };
    pid_t pids[MOST];
    struct timespec wait = {0, 10000000};
    for (int i = 0; i < ALL; i++) {
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        size_t n = children(pids, MOST);
        if (n == 0)
            return;
        for (size_t k = 0; k < n; k++)
            if (i == 0 || i >= POLITE)
                kill(pids[k], i < POLITE ? SIGTERM : SIGKILL);
        nanosleep(&wait, NULL);
    }
}

static pid_t start(const char *command, int output)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    setpgid(0, 0);
    int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(output, 1);
    dup2(output, 2);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

/* Wait for PID, with a line on a terminal that shows the elapsed time. */
static int wait_for(pid_t pid, const char *name)
{
    struct timespec tick = {0, 100000000};
    bool shown = false;
    int status = 0;
    for (unsigned tenths = 0; waitpid(pid, &status, WNOHANG) == 0; tenths++) {
        if (interrupted) {
            kill(-pid, SIGTERM);
            kill(pid, SIGTERM);
        }
        if (isatty(2) && tenths % 10 == 0) {
            fprintf(stderr, "\r%s: %u s", name, tenths / 10);
            shown = true;
        }
        nanosleep(&tick, NULL);
    }
    if (shown)
        fputs("\r\033[K", stderr);
    return status;
}

static void print_tail(const char *path)
{
    enum { TAIL = 4000 };
    char text[TAIL + 1];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
    ssize_t n = fd >= 0 ? pread(fd, text, TAIL, size > TAIL ? size - TAIL : 0) : 0;
    text[n > 0 ? n : 0] = '\0';
    const char *line = size > TAIL ? strchr(text, '\n') : NULL;
    fputs(line ? line + 1 : text, stderr);
    if (fd >= 0)
        close(fd);
}

static int tell(const char *name, const char *path, int status)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !interrupted)
        return 0;
    print_tail(path);
    if (interrupted)
        fprintf(stderr,
                "gptl iostack: the %s command was interrupted; all that it printed is in "
                "%s\n",
                name, path);
    else if (WIFSIGNALED(status))
        fprintf(stderr,
                "gptl iostack: the %s command was killed by signal %d; all that it printed "
                "is in %s\n",
                name, WTERMSIG(status), path);
    else
        fprintf(stderr,
                "gptl iostack: the %s command ended with %d; all that it printed is in "
                "%s\n",
                name, WEXITSTATUS(status), path);
    return -1;
}

int engine_run(const char *folder, const char *name, const char *command)
{
    struct sigaction action = {.sa_handler = interrupt}, old_int, old_term, old_hup;
    char *path = path_in(folder, name, ".out");
    int output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), result = -1;
    if (output < 0) {
        fprintf(stderr, "gptl iostack: cannot write %s: %s\n", path, strerror(errno));
        free(path);
        return -1;
    }
    interrupted = 0;
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    sigaction(SIGINT, &action, &old_int);
    sigaction(SIGTERM, &action, &old_term);
    sigaction(SIGHUP, &action, &old_hup);
    pid_t pid = start(command, output);
    if (pid < 0)
        fprintf(stderr, "gptl iostack: cannot start sh: %s\n", strerror(errno));
    else {
        int status = wait_for(pid, name);
        kill(-pid, SIGTERM);
        end_children();
        result = tell(name, path, status);
    }
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
    sigaction(SIGHUP, &old_hup, NULL);
    close(output);
    free(path);
    return result;
}

/* ---- Logs ---------------------------------------------------------------------------------- */

/* Return the layer of the log at PATH, 0 for another file, or -1 if it does not exist. */
static int layer_of_log(const char *path)
{
    struct gptl_iostack_header header;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = pread(fd, &header, sizeof header, 0);
    close(fd);
    return n == (ssize_t)sizeof header &&
                   memcmp(header.magic, GPTL_IOSTACK_MAGIC, sizeof header.magic) == 0 &&
                   header.layer < NLAYERS
               ? (int)header.layer
               : 0;
}

static char *log_path(const struct plan *plan, const char *logs, const struct word *word)
{
    char *name = plan_expand(plan, &word->place, word->text);
    char *path = name && *name != '/' ? path_in(logs, name, "") : name;
    if (path != name)
        free(name);
    return path;
}

static bool is_folder(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/*
 * Add the logs in a directory. LAYERS has a bit for each wanted layer. Subdirectories belong to
 * nodes.
 */
static void take_layers(const char *folder, bool is_node, unsigned layers, struct words *found)
{
    struct place none = {"", 0, 0};
    struct dirent *entry;
    DIR *dir = opendir(folder);
    while (dir && (entry = readdir(dir))) {
        char *path = path_in(folder, entry->d_name, "");
        int own = layer_of_log(path);
        if (own > 0 && (layers >> own & 1)) {
            words_add(found, path, &none);
            continue;
        }
        if (!is_node && *entry->d_name != '.' && is_folder(path))
            take_layers(path, true, layers, found);
        free(path);
    }
    if (dir)
        closedir(dir);
}

/* Return the layers of all inserted probes and of the application: a run writes only their logs. */
static unsigned layers_of_probes(const struct plan *plan)
{
    unsigned layers = 1u << GPTL_LAYER_APP;
    for (size_t i = 0; i < plan->nprobes; i++)
        layers |= plan->probes[i].chosen ? 1u << plan->probes[i].layer : 0;
    return layers;
}

/*
 * Remove a log of an earlier run, which would otherwise be read as part of this run. Returns 0, or
 * -1 after a message.
 */
static int remove_log(const char *path)
{
    if (unlink(path) == 0 || errno == ENOENT)
        return 0;
    fprintf(stderr, "gptl iostack: cannot remove %s, a log of an earlier run: %s\n", path,
            strerror(errno));
    return -1;
}

int engine_remove_logs(struct plan *plan, const char *folder)
{
    struct words others = {0};
    int result = 0;
    char *logs = log_folder(plan, folder);
    for (size_t i = 0; i < plan->ntraces; i++)
        for (size_t k = 0; k < plan->traces[i].files.n; k++) {
            char *path = log_path(plan, logs, &plan->traces[i].files.words[k]);
            if (path && layer_of_log(path) > 0 && remove_log(path))
                result = -1;
            free(path);
        }
    take_layers(logs, false, plan->ntraces && !logs_are_ours ? layers_of_probes(plan) : ALL_LAYERS,
                &others);
    if (others.n > 0 && plan->ntraces == 0 && !logs_are_ours) {
        fprintf(
            stderr,
            "gptl iostack: %s has logs of spans; remove them, or say by -T which ones are those "
            "of this run\n",
            logs);
        result = -1;
    }
    for (size_t i = 0; i < others.n && result == 0; i++)
        result = remove_log(others.words[i].text);
    words_free(&others);
    free(logs);
    return result;
}

/* Apply -S and -Q to layer N of OF; their lists may start with entries for the application. */
static void describe_layer(struct plan *plan, size_t n, size_t of, int layer)
{
    size_t rule = n + (plan->nrules > of ? plan->nrules - of : 0);
    size_t list = n + (plan->lists.n > of ? plan->lists.n - of : 0);
    if (rule < plan->nrules)
        plan->query.sums[layer] = plan->rules[rule].sum;
    if (list < plan->lists.n && plan->query.of_layer[layer].n == 0)
        numbers_parse(&plan->query.of_layer[layer], plan->lists.words[list].text);
}

static int take_named(struct plan *plan, const char *folder, struct words *found)
{
    int result = 0;
    for (size_t i = 0; i < plan->ntraces; i++) {
        const struct trace_group *group = &plan->traces[i];
        for (size_t k = 0; k < group->files.n; k++) {
            const struct word *word = &group->files.words[k];
            char *path = log_path(plan, folder, word);
            int layer = path ? layer_of_log(path) : 0;
            if (layer > 0) {
                describe_layer(plan, i, plan->ntraces, layer);
                words_add(found, path, &word->place);
                continue;
            }
            if (path)
                plan_error(&word->place, "expected a log of spans %s, found %s", path,
                           layer < 0 ? "none: nothing of that layer was measured there"
                                     : "something else");
            free(path);
            result = -1;
        }
    }
    return result;
}

static int compare_words(const void *x, const void *y)
{
    return strcmp(((const struct word *)x)->text, ((const struct word *)y)->text);
}

/* Return whether -S or -Q distinguishes between layers. */
static bool tells_layers_apart(const struct plan *plan)
{
    bool any = false;
    for (size_t i = 0; i < plan->nrules; i++)
        any |= plan->rules[i].sum;
    for (size_t i = 0; i < plan->lists.n; i++)
        any |= strspn(plan->lists.words[i].text, "*") != strlen(plan->lists.words[i].text);
    return any;
}

/* Apply -S and -Q without -T: layers are the ones with logs, from the top. */
static int describe_layers(struct plan *plan, const struct words *found)
{
    unsigned layers = 0;
    size_t n = 0, of = 0;
    for (size_t i = 0; i < found->n; i++) {
        int layer = layer_of_log(found->words[i].text);
        layers |= layer > 0 && layer != GPTL_LAYER_APP ? 1u << layer : 0;
    }
    for (int layer = 0; layer < NLAYERS; layer++)
        of += layers >> layer & 1;
    const size_t told[] = {plan->nrules, plan->lists.n};
    const struct place *places[] = {&plan->stack_place, &plan->query_place};
    for (int i = 0; i < 2 && tells_layers_apart(plan); i++)
        if (told[i] > 0 && told[i] != of && told[i] != of + 1) {
            plan_error(places[i],
                       "%zu layers are described, and %zu have logs: -T must say which "
                       "are which",
                       told[i], of);
            return -1;
        }
    for (int layer = 0; layer < NLAYERS; layer++)
        if (layers >> layer & 1)
            describe_layer(plan, n++, of, layer);
    return 0;
}

static int take_all(struct plan *plan, const char *folder, struct words *found)
{
    take_layers(folder, false, ALL_LAYERS, found);
    if (found->n)
        qsort(found->words, found->n, sizeof *found->words, compare_words);
    if (found->n == 0)
        fprintf(stderr, "gptl iostack: there are no logs in %s: nothing was measured\n", folder);
    return found->n ? describe_layers(plan, found) : -1;
}

/*
 * Return the layers whose logs are read although -T does not name them: the application's, which
 * contains the lines (-T counts from below it), and layers between named ones, which connect them.
 */
static unsigned unnamed_layers(const struct words *named)
{
    unsigned layers = 0, between = 0;
    int first = NLAYERS, last = 0;
    for (size_t i = 0; i < named->n; i++) {
        int layer = layer_of_log(named->words[i].text);
        if (layer <= 0)
            continue;
        layers |= 1u << layer;
        first = layer < first ? layer : first;
        last = layer > last ? layer : last;
    }
    for (int layer = first; layer < last; layer++)
        between |= 1u << layer;
    return (between | 1u << GPTL_LAYER_APP) & ~layers;
}

int engine_logs(struct plan *plan, const char *folder, struct words *logs)
{
    char *place = log_folder(plan, folder);
    int result = plan->ntraces ? take_named(plan, place, logs) : take_all(plan, place, logs);
    if (plan->ntraces)
        take_layers(place, false, unnamed_layers(logs), logs);
    free(place);
    return result;
}
