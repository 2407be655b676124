/* inserter.c - inserts the selected probes of a configuration into copies of the trees. */
#include "config.h"

#include "postproc/iostack/inserter.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "postproc/ioc/memory.h"
#include "postproc/iostack/edits.h"

extern char **environ;

/* A file that receives probes. */
struct target {
    char *path, *copy, *text, *result;
    size_t size, result_size;
    struct ctokens tokens;
    struct edits edits;
};

struct targets {
    struct target *targets;
    size_t n, room;
};

static void free_targets(struct targets *targets)
{
    for (size_t i = 0; i < targets->n; i++) {
        struct target *t = &targets->targets[i];
        edits_free(&t->edits);
        ctokens_free(&t->tokens);
        free(t->path);
        free(t->copy);
        free(t->text);
        free(t->result);
    }
    free(targets->targets);
}

/* ---- Trees --------------------------------------------------------------------------------- */

/* Add a word of -L that is a $NAME, or defines one, and denotes a directory. */
static int add_library(struct plan *plan, struct trees *trees, const struct word *word)
{
    struct stat status;
    char name[256];
    const char *text = word->text + (*word->text == '$');
    size_t n = strcspn(text, "= \t");
    if ((*word->text != '$' && text[n] == '\0') || n == 0 || n >= sizeof name - 1)
        return 0; /* for example a file of machines */
    snprintf(name, sizeof name, "$%.*s", (int)n, text);
    if (strcmp(name, "$Log") == 0)
        return 0; /* a directory created on demand, which need not be defined */
    char *path = plan_expand(plan, &word->place, name);
    int result = path ? 0 : -1;
    if (path && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        result = trees_add(trees, name + 1, path);
    free(path);
    return result;
}

static int add_trees(struct plan *plan, struct trees *trees)
{
    bool used = false;
    for (size_t i = 0; i < plan->libraries.n; i++)
        if (add_library(plan, trees, &plan->libraries.words[i]))
            return -1;
    for (size_t i = 0; i < plan->nprobes; i++)
        used |= plan->probes[i].chosen && !plan->probes[i].file;
    if (!used)
        return 0;
    if (plan->application.n == 0) {
        fprintf(stderr, "gptl iostack: there are probes without a file, and no -A\n");
        return -1;
    }
    const struct word *source = &plan->application.words[0];
    char *path = plan_expand(plan, &source->place, source->text);
    if (!path)
        return -1;
    char *slash = strrchr(path, '/');
    if (slash)
        slash[slash == path] = '\0';
    int result = trees_add(trees, "APPLICATION", slash ? path : ".");
    free(path);
    return result;
}

/* ---- Files --------------------------------------------------------------------------------- */

static struct target *target_of(struct targets *targets, const struct trees *trees,
                                const struct probe *probe, const char *path)
{
    char *real = realpath(path, NULL);
    if (!real) {
        plan_error(&probe->place, "cannot find %s: %s", path, strerror(errno));
        return NULL;
    }
    for (size_t i = 0; i < targets->n; i++)
        if (strcmp(targets->targets[i].path, real) == 0) {
            free(real);
            return &targets->targets[i];
        }
    struct target t = {.path = real, .copy = trees_copy_of(trees, real)};
    t.text = trees_load(real, &t.size);
    if (!t.copy || !t.text) {
        plan_error(&probe->place,
                   t.copy ? "cannot read %s" : "%s is in none of the trees that -L and -A name",
                   path);
        free(t.copy);
        free(t.text);
        free(real);
        return NULL;
    }
    targets->targets =
        memory_room(targets->targets, &targets->room, targets->n + 1, sizeof *targets->targets);
    ctokens_read(&t.tokens, t.text, t.size);
    targets->targets[targets->n] = t;
    return &targets->targets[targets->n++];
}

static int find_in(struct plan *plan, const struct trees *trees, struct targets *targets,
                   const struct probe *probe, const struct word *file, const struct numbers *lines)
{
    char *path = plan_expand(plan, &file->place, file->text);
    struct target *t = path ? target_of(targets, trees, probe, path) : NULL;
    int result = t ? edits_find(&t->edits, &t->tokens, probe, path, lines) : -1;
    free(path);
    return result;
}

static bool is_source(const struct word *word)
{
    size_t n = strlen(word->text);
    return n > 2 && strcmp(word->text + n - 2, ".c") == 0;
}

/*
 * Insert PROBE into the sources of the application that contain its target: into each one if
 * several are permitted.
 */
static int find_in_application(struct plan *plan, const struct trees *trees,
                               struct targets *targets, const struct probe *probe,
                               const struct numbers *lines)
{
    size_t nsources = 0, nfound = 0;
    const struct words *all = &plan->application;
    const struct word *found = &all->words[0];
    bool each = probe->all || lines;
    for (size_t i = 0; i < all->n; i++)
        nsources += is_source(&all->words[i]);
    if (nsources < 2)
        return find_in(plan, trees, targets, probe, found, lines);
    for (size_t i = 0; i < all->n; i++) {
        const struct word *word = &all->words[i];
        char *path = is_source(word) ? plan_expand(plan, &word->place, word->text) : NULL;
        struct target *t = path ? target_of(targets, trees, probe, path) : NULL;
        free(path);
        if (is_source(word) && !t)
            return -1;
        if (!t || edits_count(&t->tokens, probe, lines) == 0)
            continue;
        found = word;
        nfound++;
        if (each && find_in(plan, trees, targets, probe, word, lines))
            return -1;
    }
    if (nfound == 1 && !each)
        return find_in(plan, trees, targets, probe, found, lines);
    if (lines || (each && nfound > 0))
        return 0;
    plan_error(&probe->place, "expected %s in one file of -A, found it in %zu of %zu%s",
               probe->call ? probe->call : probe->function, nfound, nsources,
               nfound ? "; the file may stand behind before or after" : "");
    return -1;
}

/* Insert one probe. -C restricts where the beginnings and ends of application spans count. */
static int find_one(struct plan *plan, const struct trees *trees, struct targets *targets,
                    const struct probe *probe)
{
    bool is_of_lines = probe->layer == GPTL_LAYER_APP && plan->query.lines.n > 0 &&
                       (probe->metric >= 0 || probe->act == ACT_BEGIN || probe->act == ACT_END);
    const struct numbers *lines = is_of_lines ? &plan->query.lines : NULL;
    struct word file = {probe->file, probe->place};
    if (probe->file)
        return find_in(plan, trees, targets, probe, &file, lines);
    return find_in_application(plan, trees, targets, probe, lines);
}

/* Print the changes of T with diff. */
static int show_difference(const struct target *t)
{
    char *arguments[] = {(char[]){"diff"}, (char[]){"-u"},      (char[]){"--label"},
                         t->path,          (char[]){"--label"}, t->copy,
                         t->path,          (char[]){"-"},       NULL};
    int status, fd = memfd_create("gptl-iostack", MFD_CLOEXEC);
    pid_t pid;
    posix_spawn_file_actions_t actions;
    if (fd < 0 || pwrite(fd, t->result, t->result_size, 0) != (ssize_t)t->result_size)
        return -1;
    fflush(stdout);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fd, 0);
    int error = posix_spawnp(&pid, "diff", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(fd);
    if (error) {
        fprintf(stderr, "gptl iostack: cannot start diff: %s\n", strerror(error));
        return -1;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return 0;
}

static int compare_texts(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

static int write_all(struct trees *trees, const struct targets *targets)
{
    int result;
    char **keep = memory_zeros(targets->n, sizeof *keep);
    for (size_t i = 0; i < targets->n; i++)
        keep[i] = targets->targets[i].copy;
    qsort(keep, targets->n, sizeof *keep, compare_texts);
    result = trees_copy(trees, keep, targets->n);
    for (size_t i = 0; i < targets->n && result == 0; i++) {
        const struct target *t = &targets->targets[i];
        result = trees_write(trees, t->copy, t->path, t->result, t->result_size);
    }
    free(keep);
    return result;
}

static void note_unreachable(const struct targets *targets)
{
    size_t n = 0;
    struct place first = {0};
    for (size_t i = 0; i < targets->n; i++) {
        const struct edits *edits = &targets->targets[i].edits;
        if (n == 0 && edits->unreachable > 0)
            first = edits->first_unreachable;
        n += edits->unreachable;
    }
    if (n > 0)
        fprintf(stderr,
                "gptl iostack: note: %zu probe%s can never execute, directly after a return (the "
                "first is %s:%u); put them before the return\n",
                n, n == 1 ? "" : "s", first.file, first.line);
}

int insert_probes(struct plan *plan, struct trees *trees, const char *folder, bool dry)
{
    struct targets targets = {0};
    int result = 0;
    *trees = (struct trees){.folder = memory_text(folder)};
    if (add_trees(plan, trees))
        return -1;
    for (size_t i = 0; i < plan->nprobes; i++)
        if (plan->probes[i].chosen && find_one(plan, trees, &targets, &plan->probes[i]))
            result = -1;
    note_unreachable(&targets);
    for (size_t i = 0; i < targets.n && result == 0; i++) {
        struct target *t = &targets.targets[i];
        t->result = edits_apply(&t->edits, &t->tokens, t->path, &t->result_size);
        if (dry)
            result = show_difference(t);
    }
    if (result == 0 && !dry)
        result = write_all(trees, &targets);
    free_targets(&targets);
    return result;
}
