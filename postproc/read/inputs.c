/* inputs.c - the input files of a command. */
#include "config.h"

#include "postproc/read/inputs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "postproc/read/profile_read.h"

#include "postproc/ioc/salvage.h"

#include "core/salvage.h"

/* ---- Names --------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Return the number of digits of the number at *AT, which is advanced past leading zeros. */
static size_t number_at(const char **at)
{
    size_t digits = 0;
    while (**at == '0' && is_digit((*at)[1]))
        ++*at;
    while (is_digit((*at)[digits]))
        digits++;
    return digits;
}

int inputs_compare_names(const char *a, const char *b)
{
    const char *from_a = a, *from_b = b;
    while (*a && *b) {
        if (!is_digit(*a) || !is_digit(*b)) {
            if (*a != *b)
                return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
            a++;
            b++;
            continue;
        }
        size_t na = number_at(&a), nb = number_at(&b);
        int order = na != nb ? (na < nb ? -1 : 1) : memcmp(a, b, na);
        if (order)
            return order;
        a += na;
        b += nb;
    }
    return *a || *b ? (*a ? 1 : -1) : strcmp(from_a, from_b);
}

/* ---- Kinds --------------------------------------------------------------------------------- */

enum { HEAD_SIZE = 64 };

/* Read the first bytes of PATH as text without white space. On failure, errno is the reason. */
static bool read_head(const char *path, char *head)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    size_t n = 0;
    int c;
    errno = 0;
    while (n < HEAD_SIZE && (c = getc(file)) != EOF)
        if (!isspace(c))
            head[n++] = c ? (char)c : '?';
    int error = ferror(file) ? errno : 0;
    fclose(file);
    head[n] = '\0';
    errno = error;
    return error == 0;
}

static bool is_salvage(const char *head)
{
    return strncmp(head, GPTL_SALVAGE_MAGIC, strlen(GPTL_SALVAGE_MAGIC)) == 0;
}

static int no_memory(const char *who)
{
    fprintf(stderr, "%s: there is no memory for the list of files\n", who);
    return -1;
}

static int add_file(struct inputs *inputs, const char *who, const char *path, enum input_kind kind)
{
    struct input *files = realloc(inputs->files, ((size_t)inputs->nfiles + 1) * sizeof *files);
    char *copy = strdup(path);
    if (files)
        inputs->files = files;
    if (!files || !copy) {
        free(copy);
        return no_memory(who);
    }
    files[inputs->nfiles].path = copy;
    files[inputs->nfiles++].kind = kind;
    return 0;
}

/*
 * Add a file. Files other than salvage files are read as profiles, whose reader reports the actual
 * kind. A pipe cannot be inspected in advance.
 */
static int find_file(struct inputs *inputs, const char *who, const char *path, mode_t mode)
{
    char head[HEAD_SIZE + 1];
    enum input_kind kind = INPUT_PROFILE;
    if (S_ISREG(mode) && read_head(path, head) && is_salvage(head))
        kind = ioc_salvage_is_head(head) ? INPUT_IO : INPUT_SALVAGE;
    return add_file(inputs, who, path, kind);
}

/* ---- Directories --------------------------------------------------------------------------- */

static int compare_entries(const struct dirent **a, const struct dirent **b)
{
    return inputs_compare_names((*a)->d_name, (*b)->d_name);
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0;
}

static int may_be_input(const struct dirent *entry)
{
    return strncmp(entry->d_name, GPTL_SALVAGE_PREFIX, strlen(GPTL_SALVAGE_PREFIX)) == 0 ||
           ioc_salvage_is_name(entry->d_name) || ends_with(entry->d_name, ".json");
}

/*
 * Add an entry of a directory. Unrelated JSON files are ignored; salvage files are recognized by
 * name. SUMMARIES: add only statistics over ranks.
 */
static int find_entry(struct inputs *inputs, const char *who, const char *path, bool summaries)
{
    char head[HEAD_SIZE + 1];
    struct stat status;
    if (stat(path, &status) || !S_ISREG(status.st_mode))
        return 0;
    const char *slash = strrchr(path, '/');
    if (summaries)
        return ends_with(path, ".json") && read_head(path, head) && strstr(head, "\"gptl-summary\"")
                   ? add_file(inputs, who, path, INPUT_PROFILE)
                   : 0;
    if (ioc_salvage_is_name(slash ? slash + 1 : path))
        return add_file(inputs, who, path, INPUT_IO);
    if (!ends_with(path, ".json"))
        return add_file(inputs, who, path, INPUT_SALVAGE);
    if (!read_head(path, head)) {
        fprintf(stderr, "%s: %s: %s\n", who, path, strerror(errno));
        return -1;
    }
    if (strstr(head, "\"gptl-profile\"") || strstr(head, "\"gptl-profiles\""))
        return add_file(inputs, who, path, INPUT_PROFILE);
    return 0;
}

static int find_in_folder(struct inputs *inputs, const char *who, const char *folder,
                          bool summaries)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, may_be_input, compare_entries);
    int result = n < 0 ? -1 : 0;
    if (n < 0)
        fprintf(stderr, "%s: %s: %s\n", who, folder, strerror(errno));
    for (int i = 0; i < n; i++) {
        size_t size = strlen(folder) + strlen(entries[i]->d_name) + 2;
        char *path = malloc(size);
        if (path)
            snprintf(path, size, "%s/%s", folder, entries[i]->d_name);
        if (path ? find_entry(inputs, who, path, summaries) : no_memory(who))
            result = -1;
        free(path);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return result;
}

static int find_folder(struct inputs *inputs, const char *who, const char *folder)
{
    int before = inputs->nfiles, result = find_in_folder(inputs, who, folder, false);
    if (result == 0 && inputs->nfiles == before)
        result = find_in_folder(inputs, who, folder, true);
    if (result == 0 && inputs->nfiles == before) {
        fprintf(stderr, "%s: %s: there is no salvage file (%sHOST.PID) and no JSON profile in it\n",
                who, folder, GPTL_SALVAGE_PREFIX);
        result = -1;
    }
    return result;
}

int inputs_find(struct inputs *inputs, const char *who, char *const *arguments, int narguments)
{
    int failed = 0;
    *inputs = (struct inputs){0};
    for (int i = 0; i < narguments; i++) {
        const char *path = arguments[i];
        struct stat status;
        if (strcmp(path, "-") == 0) {
            failed |= add_file(inputs, who, path, INPUT_PROFILE);
        } else if (stat(path, &status)) {
            fprintf(stderr, "%s: %s: %s\n", who, path, strerror(errno));
            failed = -1;
        } else if (S_ISDIR(status.st_mode)) {
            failed |= find_folder(inputs, who, path);
        } else {
            failed |= find_file(inputs, who, path, status.st_mode);
        }
    }
    return failed;
}

/* ---- Reading ------------------------------------------------------------------------------- */

/* Read a salvage file. *PROFILE is NULL without data. Returns -1 after an error. */
static int read_salvage(const char *who, const char *path, struct gptl_profile **profile)
{
    char why[4400];
    *profile = calloc(1, sizeof **profile);
    if (!*profile) {
        fprintf(stderr, "%s: %s: there is no memory for it\n", who, path);
        return -1;
    }
    int result = gptl_report_take_salvaged(*profile, path, why, sizeof why);
    if (result == 0)
        return 0;
    if (result < 0)
        fprintf(stderr, "%s: %s\n", who, why);
    else
        fprintf(stderr, "%s: %s: its process has reported all that it measured\n", who, path);
    free(*profile);
    *profile = NULL;
    return result < 0 ? -1 : 0;
}

static int take_profile(void *to, struct gptl_profile *profile)
{
    struct inputs *inputs = to;
    size_t n = (size_t)inputs->nprofiles;
    if ((n & (n + 1)) == 0 || !inputs->profiles) { /* the capacity is a power of two minus one */
        struct gptl_profile **more =
            n < INT_MAX / 4 ? realloc(inputs->profiles, (2 * n + 1) * sizeof *more) : NULL;
        if (!more)
            return -1;
        inputs->profiles = more;
    }
    inputs->profiles[inputs->nprofiles++] = profile;
    return 0;
}

static int take_summary(void *to, struct summary *summary)
{
    struct inputs *inputs = to;
    size_t n = (size_t)inputs->nsummaries;
    struct summary **more = realloc(inputs->summaries, (n + 1) * sizeof *more);
    if (!more)
        return -1;
    inputs->summaries = more;
    inputs->summaries[inputs->nsummaries++] = summary;
    return 0;
}

/*
 * Warn if some ranks ended before others began, by more than the clock skew between hosts: all
 * ranks of a job coexist in MPI_Init. A run with fewer ranks does not overwrite all files of the
 * previous run.
 */
static void tell_other_runs(const struct inputs *inputs, const char *who)
{
    const double apart = 1; /* seconds */
    const struct gptl_process *latest = NULL, *other = NULL;
    int nothers = 0;
    for (int i = 0; i < inputs->nprofiles; i++) {
        const struct gptl_process *process = &inputs->profiles[i]->process;
        if (process->rank >= 0 && (!latest || process->started > latest->started))
            latest = process;
    }
    for (int i = 0; i < inputs->nprofiles; i++) {
        const struct gptl_process *process = &inputs->profiles[i]->process;
        if (process->rank < 0 || inputs->profiles[i]->salvaged ||
            process->started + process->elapsed + apart >= latest->started)
            continue;
        other = other ? other : process;
        nothers++;
    }
    if (nothers > 0)
        fprintf(stderr,
                "%s: Note: these are files of several runs, as rank %d%s ended before rank %d "
                "began; name those of one\n",
                who, other->rank, nothers > 1 ? " and others" : "", latest->rank);
}

int inputs_read(struct inputs *inputs, const char *who, uint32_t keep)
{
    struct profile_taker taker = {take_profile, inputs->takes_summaries ? take_summary : NULL,
                                  inputs};
    int failed = 0;
    for (int i = 0; i < inputs->nfiles; i++) {
        struct gptl_profile *profile = NULL;
        switch (inputs->files[i].kind) {
        case INPUT_PROFILE:
            failed |= profile_read_all(who, inputs->files[i].path, keep, &taker);
            break;
        case INPUT_SALVAGE:
            failed |= read_salvage(who, inputs->files[i].path, &profile);
            break;
        case INPUT_IO:
            fprintf(stderr, "%s: %s: it has calls for I/O: `gptl ioc salvage` reads it\n", who,
                    inputs->files[i].path);
            failed = -1;
            break;
        }
        if (profile && take_profile(inputs, profile)) {
            profile_free(profile);
            return no_memory(who);
        }
    }
    tell_other_runs(inputs, who);
    return failed;
}

bool inputs_ranks_beside(const struct inputs *inputs, const char *who, uint32_t keep,
                         struct inputs *found)
{
    static const char json[] = ".json", ranks[] = ".ranks.json";
    const struct gptl_process *process = &inputs->summaries[0]->profile.process;
    const char *path = inputs->files[0].path;
    size_t length = strlen(path), end = sizeof json - 1;
    char beside[PATH_MAX];
    *found = (struct inputs){0};
    if (!ends_with(path, json) ||
        (size_t)snprintf(beside, sizeof beside, "%.*s%s", (int)(length - end), path, ranks) >=
            sizeof beside ||
        access(beside, R_OK) != 0)
        return false;
    if (inputs_find(found, who, (char *const[]){beside}, 1) || inputs_read(found, who, keep))
        return false;
    for (int i = 0; i < found->nprofiles; i++)
        if (fabs(found->profiles[i]->process.started - process->started) < 1e-5)
            return true;
    fprintf(stderr, "%s: %s is of another run, and not shown\n", who, beside);
    return false;
}

void inputs_free(struct inputs *inputs)
{
    for (int i = 0; i < inputs->nprofiles; i++)
        profile_free(inputs->profiles[i]);
    for (int i = 0; i < inputs->nsummaries; i++)
        summary_free(inputs->summaries[i]);
    for (int i = 0; i < inputs->nfiles; i++)
        free(inputs->files[i].path);
    free(inputs->profiles);
    free(inputs->summaries);
    free(inputs->files);
    *inputs = (struct inputs){0};
}
