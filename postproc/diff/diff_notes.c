/* diff_notes.c - gptl diff: differences between the runs that may explain different values. */
#include "config.h"

#include "postproc/diff/diff.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/diff/noise.h"

enum { TEXT_SIZE = 1024, LISTED = 3 };

static int __attribute__((format(printf, 2, 3)))
add_note(struct diff_notes *notes, const char *format, ...)
{
    char text[4 * TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char **texts = realloc(notes->texts, ((size_t)notes->n + 1) * sizeof *texts);
    if (texts)
        notes->texts = texts;
    char *copy = strdup(text);
    if (!texts || !copy) {
        free(copy);
        return -1;
    }
    notes->texts[notes->n++] = copy;
    return 0;
}

void diff_notes_free(struct diff_notes *notes)
{
    for (uint32_t i = 0; i < notes->n; i++)
        free(notes->texts[i]);
    free(notes->texts);
    *notes = (struct diff_notes){0};
}

/* ---- Traits: one value per profile or run --------------------------------------------------- */

/* Return a trait; ROOM has space for TEXT_SIZE bytes. */
typedef const char *trait(const struct diff_run *run, const struct gptl_profile *profile,
                          const char *key, char *room);

static const char *program(const struct diff_run *run, const struct gptl_profile *profile,
                           const char *key, char *room)
{
    (void)run, (void)key, (void)room;
    return profile->process.program;
}

static const char *host(const struct diff_run *run, const struct gptl_profile *profile,
                        const char *key, char *room)
{
    (void)run, (void)key, (void)room;
    return profile->host ? profile->host : "unknown";
}

static const char *clock_name(const struct diff_run *run, const struct gptl_profile *profile,
                              const char *key, char *room)
{
    (void)run, (void)key, (void)room;
    return profile->clock.name;
}

static const char *library(const struct diff_run *run, const struct gptl_profile *profile,
                           const char *key, char *room)
{
    (void)run, (void)key, (void)room;
    return gptl_report_library(profile);
}

static const char *arguments(const struct diff_run *run, const struct gptl_profile *profile,
                             const char *key, char *room)
{
    size_t used = 0;
    (void)run, (void)key;
    if (!profile->command)
        return "unknown";
    for (uint32_t i = 1; i < profile->narguments && used + 1 < TEXT_SIZE; i++)
        used += (size_t)snprintf(room + used, TEXT_SIZE - used, "%s%s", i > 1 ? " " : "",
                                 profile->command[i]);
    return used ? room : "none";
}

static const char *processes(const struct diff_run *run, const struct gptl_profile *profile,
                             const char *key, char *room)
{
    (void)profile, (void)key;
    snprintf(room, TEXT_SIZE, "%d", run->inputs.nprofiles);
    return room;
}

static const char *threads(const struct diff_run *run, const struct gptl_profile *profile,
                           const char *key, char *room)
{
    long n = 0;
    (void)profile, (void)key;
    for (int p = 0; p < run->inputs.nprofiles; p++)
        n += run->inputs.profiles[p]->ncopies;
    snprintf(room, TEXT_SIZE, "%ld", n);
    return room;
}

static const char *setting(const struct diff_run *run, const struct gptl_profile *profile,
                           const char *key, char *room)
{
    (void)run, (void)room;
    for (uint32_t i = 0; i < profile->noptions; i++)
        if (strcmp(profile->options[i].key, key) == 0)
            return profile->options[i].value;
    return "unknown";
}

/* ---- Sets of traits ------------------------------------------------------------------------ */

struct set {
    char **texts;
    size_t n;
};

static void free_set(struct set *set)
{
    for (size_t i = 0; i < set->n; i++)
        free(set->texts[i]);
    free(set->texts);
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Make a sorted set without duplicates of the traits of a side. */
static int make_set(struct set *set, const struct diff_runs *runs, enum diff_side side, trait *tell,
                    const char *key)
{
    char room[TEXT_SIZE];
    *set = (struct set){.texts = malloc(((size_t)runs->nprofiles + 1) * sizeof *set->texts)};
    if (!set->texts)
        return -1;
    for (uint32_t r = 0; r < runs->nruns[DIFF_A] + runs->nruns[DIFF_B]; r++) {
        const struct diff_run *run = &runs->runs[r];
        for (int p = 0; p < run->inputs.nprofiles && run->side == side; p++) {
            const char *text = tell(run, run->inputs.profiles[p], key, room);
            if (set->n > 0 && strcmp(set->texts[set->n - 1], text) == 0)
                continue;
            set->texts[set->n] = strdup(text);
            if (!set->texts[set->n])
                return -1;
            set->n++;
        }
    }
    qsort(set->texts, set->n, sizeof *set->texts, compare_texts);
    size_t n = 0;
    for (size_t i = 0; i < set->n; i++)
        if (n > 0 && strcmp(set->texts[n - 1], set->texts[i]) == 0)
            free(set->texts[i]);
        else
            set->texts[n++] = set->texts[i];
    set->n = n;
    return 0;
}

static void join(const struct set *set, char *to)
{
    size_t used = 0;
    *to = '\0';
    for (size_t i = 0; i < set->n && i < LISTED && used + 1 < TEXT_SIZE; i++)
        used +=
            (size_t)snprintf(to + used, TEXT_SIZE - used, "%s%s", i > 0 ? ", " : "", set->texts[i]);
    if (set->n > LISTED && used + 1 < TEXT_SIZE)
        snprintf(to + used, TEXT_SIZE - used, " and %zu more", set->n - LISTED);
}

/* Add a note if the trait differs between the sides. WHAT names it: "threads", "option memory". */
static int compare(struct diff_notes *notes, const struct diff_runs *runs, const char *what,
                   trait *tell, const char *key)
{
    struct set sets[DIFF_SIDES] = {{NULL, 0}, {NULL, 0}};
    int result = 0;
    for (int side = 0; side < DIFF_SIDES && result == 0; side++)
        result = make_set(&sets[side], runs, (enum diff_side)side, tell, key);
    bool same = sets[DIFF_A].n == sets[DIFF_B].n;
    for (size_t i = 0; i < sets[DIFF_A].n && same; i++)
        same = strcmp(sets[DIFF_A].texts[i], sets[DIFF_B].texts[i]) == 0;
    if (result == 0 && !same) {
        char a[TEXT_SIZE], b[TEXT_SIZE];
        join(&sets[DIFF_A], a);
        join(&sets[DIFF_B], b);
        result = add_note(notes, "compared runs differ: %s%s%s %s -> %s", what, *key ? " " : "",
                          key, a, b);
    }
    for (int side = 0; side < DIFF_SIDES; side++)
        free_set(&sets[side]);
    return result;
}

/* Return whether the option affects only reports, not the measurement. */
static bool is_of_reports(const char *key)
{
    static const char *const keys[] = {
        "append", "narrowprint",  "onlyprint_rank0", "output",  "output.path", "percent",
        "persec", "print_method", "rank_stride",     "run.dir", "salvage.dir", "verbose"};
    bool found = strncmp(key, "dopr_", 5) == 0;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        found = found || strcmp(key, keys[i]) == 0;
    return found;
}

static int compare_options(struct diff_notes *notes, const struct diff_runs *runs)
{
    const struct gptl_profile *from = NULL;
    int result = 0;
    for (uint32_t p = 0; p < runs->nprofiles && !from; p++)
        if (runs->profiles[p]->noptions > 0)
            from = runs->profiles[p];
    for (uint32_t i = 0; from && i < from->noptions && result == 0; i++)
        if (!is_of_reports(from->options[i].key))
            result = compare(notes, runs, "option", setting, from->options[i].key);
    return result;
}

/* ---- Mistakes in specifying the runs --------------------------------------------------------- */

static int compare_ints(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

/* Return whether the N profiles with RANKS have distinct, known ranks. */
static bool are_ranks(int *ranks, size_t n)
{
    qsort(ranks, n, sizeof *ranks, compare_ints);
    bool apart = ranks[0] >= 0;
    for (size_t i = 1; i < n; i++)
        apart = apart && ranks[i] != ranks[i - 1];
    return apart;
}

/* Add a note if the files specified as separate runs appear to be the ranks of one run. */
static int suspect_ranks(struct diff_notes *notes, const struct diff_runs *runs,
                         enum diff_side side, int *ranks)
{
    const struct diff_run *run = &runs->runs[side == DIFF_A ? 0 : runs->nruns[DIFF_A]];
    uint32_t n = runs->nruns[side];
    bool single = n > 1;
    for (uint32_t i = 0; i < n; i++) {
        single = single && run[i].inputs.nprofiles == 1;
        ranks[i] = run[i].inputs.profiles[0]->process.rank;
    }
    if (!single || !are_ranks(ranks, n))
        return 0;
    return add_note(notes,
                    "the %u files of %s are of %u different ranks: if they are one run, put them "
                    "into a folder and give that",
                    n, side == DIFF_A ? "A" : "B", n);
}

/* Add a note if a directory appears to contain the profiles of several runs. */
static int suspect_folder(struct diff_notes *notes, const struct diff_run *run, int *ranks)
{
    size_t n = 0;
    for (int p = 0; p < run->inputs.nprofiles; p++)
        if (run->inputs.profiles[p]->process.rank >= 0)
            ranks[n++] = run->inputs.profiles[p]->process.rank;
    if (n < 2 || are_ranks(ranks, n))
        return 0;
    return add_note(notes,
                    "%.200s has several profiles of one rank: if they are of several runs, each "
                    "run needs a folder of its own",
                    run->path);
}

static int suspect(struct diff_notes *notes, const struct diff_runs *runs)
{
    int *ranks = malloc(((size_t)runs->nprofiles + 1) * sizeof *ranks), result = ranks ? 0 : -1;
    for (int side = 0; side < DIFF_SIDES && result == 0; side++)
        result = suspect_ranks(notes, runs, (enum diff_side)side, ranks);
    for (uint32_t r = 0; r < runs->nruns[DIFF_A] + runs->nruns[DIFF_B] && result == 0; r++)
        result = suspect_folder(notes, &runs->runs[r], ranks);
    free(ranks);
    return result;
}

/* ---- All notes ----------------------------------------------------------------------------- */

static int note_killed(struct diff_notes *notes, const struct diff_runs *runs)
{
    int result = 0;
    for (int side = 0; side < DIFF_SIDES && result == 0; side++) {
        uint32_t killed = 0, all = 0;
        for (uint32_t r = 0; r < runs->nruns[DIFF_A] + runs->nruns[DIFF_B]; r++)
            for (int p = 0;
                 runs->runs[r].side == (enum diff_side)side && p < runs->runs[r].inputs.nprofiles;
                 p++, all++)
                killed += runs->runs[r].inputs.profiles[p]->salvaged != NULL;
        if (killed)
            result = add_note(notes, "%s: %u of %u profiles are of processes that were killed",
                              side == DIFF_A ? "A" : "B", killed, all);
    }
    return result;
}

/*
 * Add a note about the order of the runs: only interleaved runs see the same conditions of the
 * machine.
 */
static int note_order(struct diff_notes *notes, const struct diff_runs *runs)
{
    if (runs->first == DIFF_SIDES)
        return 0;
    return add_note(notes,
                    "all runs of %s were made before those of %s: a machine that became slower or "
                    "faster meanwhile looks like the program; let runs take turns",
                    runs->first == DIFF_A ? "A" : "B", runs->first == DIFF_A ? "B" : "A");
}

static int note_few(struct diff_notes *notes, const struct diff_runs *runs)
{
    uint32_t a = runs->nruns[DIFF_A], b = runs->nruns[DIFF_B];
    return add_note(notes,
                    "%u run%s of A and %u of B cannot tell a change from noise (?): give 4 or more "
                    "of each, as in gptl diff A1 A2 A3 A4 -- B1 B2 B3 B4",
                    a, a == 1 ? "" : "s", b);
}

/* Return whether a process of any run has several threads. */
static bool has_threads(const struct diff_runs *runs)
{
    for (size_t r = 0; r < runs->nruns[DIFF_A] + runs->nruns[DIFF_B]; r++)
        for (int p = 0; p < runs->runs[r].inputs.nprofiles; p++)
            if (runs->runs[r].inputs.profiles[p]->ncopies > 1)
                return true;
    return false;
}

int diff_notes_make(struct diff_notes *notes, const struct diff_runs *runs, bool slowest)
{
    static const struct {
        const char *what;
        trait *tell;
    } traits[] = {{"program", program},     {"arguments", arguments}, {"host", host},
                  {"processes", processes}, {"threads", threads},     {"clock", clock_name},
                  {"library", library}};
    int result = 0;
    bool several = has_threads(runs);
    *notes = (struct diff_notes){0};
    for (size_t i = 0; i < sizeof traits / sizeof traits[0] && result == 0; i++) {
        uint32_t before = notes->n;
        result = compare(notes, runs, traits[i].what, traits[i].tell, "");
        several |= traits[i].tell == threads && notes->n > before;
    }
    if (result == 0 && !slowest && several)
        result = add_note(notes, "times are sums over all threads, which run at the same time; "
                                 "--lanes max takes the slowest thread of each path instead");
    if (result == 0)
        result = compare_options(notes, runs);
    if (result == 0)
        result = note_killed(notes, runs);
    if (result == 0)
        result = suspect(notes, runs);
    if (result == 0 && !noise_can_tell((int)runs->nruns[DIFF_A], (int)runs->nruns[DIFF_B]))
        result = note_few(notes, runs);
    else if (result == 0)
        result = note_order(notes, runs);
    return result;
}
