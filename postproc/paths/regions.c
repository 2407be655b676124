/*
 * regions.c - matches regions between profiles.
 *
 * Each function gets a key of two strings and a number. Sorting by the keys groups equal functions.
 * Names of other regions are matched through a hash table.
 */
#include "config.h"

#include "postproc/paths/regions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/name.h"

/* A function of one profile, from which its key is computed. */
struct entry {
    const struct gptl_function *function;
    const struct gptl_module *module;
    uint32_t profile;
    bool by_place;           /* all profiles have the same build of its module */
    const char *name, *file; /* file: last component; "" if it does not distinguish functions */
    uint32_t ordinal;        /* among the functions of its profile with the same name and file */
};

static const char *shown_name(const struct gptl_function *function)
{
    return function->name ? function->name : function->address;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_places(const struct entry *a, const struct entry *b)
{
    int order = strcmp(a->module->label, b->module->label);
    return order ? order : compare_numbers(a->function->offset, b->function->offset);
}

/* ---- Builds -------------------------------------------------------------------------------- */

static int compare_labels(const void *a, const void *b)
{
    return strcmp((*(const struct gptl_module *const *)a)->label,
                  (*(const struct gptl_module *const *)b)->label);
}

static bool same_build(const struct gptl_module *a, const struct gptl_module *b)
{
    if (*a->build_id || *b->build_id)
        return strcmp(a->build_id, b->build_id) == 0;
    return *a->path && strcmp(a->path, b->path) == 0;
}

/* Return the modules of all profiles sorted by label, or NULL if out of memory. */
static const struct gptl_module **sorted_modules(const struct gptl_profile *const *profiles,
                                                 int nprofiles, size_t *n)
{
    *n = 0;
    for (int p = 0; p < nprofiles; p++)
        *n += profiles[p]->nmodules;
    const struct gptl_module **modules = malloc((*n + 1) * sizeof *modules);
    size_t at = 0;
    for (int p = 0; p < nprofiles && modules; p++)
        for (uint32_t m = 0; m < profiles[p]->nmodules; m++)
            modules[at++] = &profiles[p]->modules[m];
    if (modules)
        qsort(modules, *n, sizeof *modules, compare_labels);
    return modules;
}

/*
 * Keep one module for each label that denotes the same build in all profiles. Returns their number.
 */
static size_t keep_same_builds(const struct gptl_module **modules, size_t n)
{
    size_t kept = 0;
    for (size_t from = 0, to; from < n; from = to) {
        bool same = true;
        for (to = from + 1; to < n && compare_labels(&modules[from], &modules[to]) == 0; to++)
            same = same && same_build(modules[from], modules[to]);
        if (same)
            modules[kept++] = modules[from];
    }
    return kept;
}

static int mark_by_place(struct entry *entries, size_t nentries,
                         const struct gptl_profile *const *profiles, int nprofiles)
{
    size_t n;
    const struct gptl_module **modules = sorted_modules(profiles, nprofiles, &n);
    if (!modules)
        return -1;
    n = keep_same_builds(modules, n);
    for (size_t i = 0; i < nentries; i++)
        entries[i].by_place =
            bsearch(&entries[i].module, modules, n, sizeof *modules, compare_labels) != NULL;
    free(modules);
    return 0;
}

/* ---- Keys ---------------------------------------------------------------------------------- */

/* Compare the keys; functions matched by place precede the others. */
static int compare_entries(const struct entry *a, const struct entry *b)
{
    if (a->by_place != b->by_place)
        return a->by_place ? -1 : 1;
    if (a->by_place)
        return compare_places(a, b);
    int order = strcmp(a->name, b->name);
    return order ? order : strcmp(a->file, b->file);
}

static int compare_in_profiles(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = compare_entries(a, b);
    if (order == 0)
        order = compare_numbers(a->profile, b->profile);
    return order ? order : compare_places(a, b);
}

static int compare_keys(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = compare_entries(a, b);
    if (order == 0)
        order = compare_numbers(a->ordinal, b->ordinal);
    return order ? order : compare_numbers(a->profile, b->profile);
}

/* Drop the files from the keys of a name if the source of one of its functions is unknown. */
static void drop_files(struct entry *entries, size_t n)
{
    for (size_t from = 0, to; from < n; from = to) {
        bool all = true;
        for (to = from; to < n && strcmp(entries[from].name, entries[to].name) == 0 &&
                        entries[from].by_place == entries[to].by_place;
             to++)
            all = all && *entries[to].file;
        for (size_t i = from; i < to && !all; i++)
            entries[i].file = "";
    }
}

static void make_keys(struct entry *entries, size_t n)
{
    qsort(entries, n, sizeof *entries, compare_in_profiles);
    size_t named = 0;
    while (named < n && entries[named].by_place)
        named++;
    drop_files(entries + named, n - named);
    qsort(entries + named, n - named, sizeof *entries, compare_in_profiles);
    for (size_t i = named + 1; i < n; i++)
        if (entries[i].profile == entries[i - 1].profile &&
            compare_entries(&entries[i], &entries[i - 1]) == 0)
            entries[i].ordinal = entries[i - 1].ordinal + 1;
    qsort(entries, n, sizeof *entries, compare_keys);
}

static struct entry *collect(const struct gptl_profile *const *profiles, int nprofiles, size_t *n)
{
    *n = 0;
    for (int p = 0; p < nprofiles; p++)
        *n += profiles[p]->nfunctions;
    struct entry *entries = malloc((*n + 1) * sizeof *entries);
    size_t at = 0;
    for (int p = 0; p < nprofiles && entries; p++)
        for (uint32_t f = 0; f < profiles[p]->nfunctions; f++) {
            const struct gptl_function *function = &profiles[p]->functions[f];
            entries[at++] = (struct entry){.function = function,
                                           .module = &profiles[p]->modules[function->module],
                                           .profile = (uint32_t)p,
                                           .name = shown_name(function),
                                           .file = function->file ? last_part(function->file) : ""};
        }
    return entries;
}

static int add_functions(struct regions *regions, const struct gptl_profile *const *profiles)
{
    size_t n;
    struct entry *entries = collect(profiles, regions->nprofiles, &n);
    if (!entries)
        return -1;
    int result = mark_by_place(entries, n, profiles, regions->nprofiles);
    if (result == 0)
        make_keys(entries, n);
    for (size_t i = 0; i < n && result == 0; i++) {
        const struct entry *e = &entries[i];
        if (i == 0 || compare_entries(e, e - 1) != 0 || e->ordinal != e[-1].ordinal)
            regions->region[++regions->nregions] =
                (struct region){e->name, e->function, GPTL_KIND_FUNCTION};
        regions->of[e->profile][e->function->region] = regions->nregions;
        /* If a profile lacks the name of a function, take it from another profile. */
        if (!regions->region[regions->nregions].function->name && e->function->name)
            regions->region[regions->nregions] =
                (struct region){e->name, e->function, GPTL_KIND_FUNCTION};
    }
    free(entries);
    return result;
}

/* ---- Other regions ------------------------------------------------------------------------- */

static uint64_t hash_name(const char *name)
{
    uint64_t h = 0x9e3779b97f4a7c15;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 0x100000001b3;
    return h ^ h >> 29;
}

static uint32_t find_name(struct regions *regions, uint32_t *slots, size_t mask, const char *name,
                          uint32_t kind)
{
    size_t at = (hash_name(name) + kind) & mask;
    while (slots[at] && (regions->region[slots[at]].kind != kind ||
                         strcmp(regions->region[slots[at]].name, name) != 0))
        at = (at + 1) & mask;
    if (!slots[at]) {
        slots[at] = ++regions->nregions;
        regions->region[slots[at]] = (struct region){name, NULL, kind};
    }
    return slots[at];
}

static void add_names(struct regions *regions, const struct gptl_profile *const *profiles,
                      uint32_t *slots, size_t mask)
{
    for (int p = 0; p < regions->nprofiles; p++)
        for (int c = 0; c < profiles[p]->ncopies; c++) {
            const struct gptl_copy *copy = &profiles[p]->copies[c];
            for (uint32_t i = 1; i < copy->nnodes; i++) {
                uint32_t *region = &regions->of[p][copy->nodes[i].region];
                if (!*region && copy->nodes[i].target == i)
                    *region =
                        find_name(regions, slots, mask, copy->nodes[i].name, copy->nodes[i].kind);
            }
        }
}

/* ---- Displayed names ----------------------------------------------------------------------- */

static int compare_shown(const void *left, const void *right)
{
    const struct region *a = *(const struct region *const *)left;
    const struct region *b = *(const struct region *const *)right;
    int order = strcmp(a->name, b->name);
    return order ? order : (a > b) - (a < b);
}

static bool has_source(const struct region *region)
{
    return region->function && region->function->file;
}

/* Return whether the source distinguishes region I from the other N - 1 regions of its name. */
static bool source_tells(struct region *const *of, size_t n, size_t i)
{
    for (size_t j = 0; j < n; j++)
        if (j != i && has_source(of[j]) &&
            strcmp(last_part(of[j]->function->file), last_part(of[i]->function->file)) == 0)
            return false;
    return true;
}

/*
 * Return the name of the I-th of N regions plus a distinguishing suffix, or NULL if out of memory.
 */
static const char *longer_name(struct regions *regions, struct region *const *of, size_t n,
                               size_t i)
{
    const struct gptl_function *function = of[i]->function;
    const char *by = !function ? gptl_kind_name(of[i]->kind)
                     : has_source(of[i]) && n <= 1000 && source_tells(of, n, i)
                         ? last_part(function->file)
                         : function->address;
    size_t size = strlen(of[i]->name) + strlen(by) + 4;
    struct made_name *made = malloc(sizeof *made + size);
    if (!made)
        return NULL;
    snprintf(made->text, size, "%s [%s]", of[i]->name, by);
    made->next = regions->names;
    regions->names = made;
    return made->text;
}

/* Make the names of N regions with the same name unique. */
static int tell_apart(struct regions *regions, struct region **of, size_t n)
{
    const char **names = n > 1 ? calloc(n, sizeof *names) : NULL;
    int result = n > 1 && !names ? -1 : 0;
    for (size_t i = 0; i < n && names && result == 0; i++)
        if (of[i]->function || gptl_kind_name(of[i]->kind)) {
            names[i] = longer_name(regions, of, n, i);
            result = names[i] ? 0 : -1;
        }
    for (size_t i = 0; i < n && names; i++)
        if (names[i])
            of[i]->name = names[i];
    free(names);
    return result;
}

static int tell_all_apart(struct regions *regions)
{
    struct region **order = malloc(((size_t)regions->nregions + 1) * sizeof *order);
    int result = order ? 0 : -1;
    for (uint32_t i = 0; i < regions->nregions && order; i++)
        order[i] = &regions->region[i + 1];
    if (order)
        qsort(order, regions->nregions, sizeof *order, compare_shown);
    for (size_t from = 0, to; order && from < regions->nregions && result == 0; from = to) {
        for (to = from + 1;
             to < regions->nregions && strcmp(order[from]->name, order[to]->name) == 0;)
            to++;
        result = tell_apart(regions, order + from, to - from);
    }
    free(order);
    return result;
}

/* ---- All regions --------------------------------------------------------------------------- */

static uint32_t highest_region(const struct gptl_profile *profile)
{
    uint32_t highest = 0;
    for (int c = 0; c < profile->ncopies; c++)
        for (uint32_t i = 1; i < profile->copies[c].nnodes; i++)
            if (profile->copies[c].nodes[i].region > highest)
                highest = profile->copies[c].nodes[i].region;
    for (uint32_t f = 0; f < profile->nfunctions; f++)
        if (profile->functions[f].region > highest)
            highest = profile->functions[f].region;
    return highest;
}

/* Return whether regions of different kinds may share a name. */
static bool has_kinds(const struct regions *regions)
{
    for (uint32_t i = 1; i <= regions->nregions; i++)
        if (regions->region[i].kind != GPTL_KIND_USER)
            return true;
    return false;
}

int regions_make(struct regions *regions, const struct gptl_profile *const *profiles, int nprofiles)
{
    size_t most = 1, nslots = 64;
    *regions = (struct regions){.of = calloc((size_t)nprofiles + 1, sizeof *regions->of),
                                .nprofiles = nprofiles};
    if (!regions->of)
        return -1;
    for (int p = 0; p < nprofiles; p++) {
        uint32_t highest = highest_region(profiles[p]);
        regions->of[p] = calloc((size_t)highest + 1, sizeof **regions->of);
        most += (size_t)highest + 1;
        if (!regions->of[p])
            return -1;
    }
    while (nslots < 2 * most)
        nslots *= 2;
    regions->region = malloc(most * sizeof *regions->region);
    uint32_t *slots = calloc(nslots, sizeof *slots);
    int result = regions->region && slots ? add_functions(regions, profiles) : -1;
    if (result == 0)
        add_names(regions, profiles, slots, nslots - 1);
    free(slots);
    return result == 0 && has_kinds(regions) ? tell_all_apart(regions) : result;
}

void regions_free(struct regions *regions)
{
    for (int p = 0; p < regions->nprofiles && regions->of; p++)
        free(regions->of[p]);
    free(regions->of);
    free(regions->region);
    while (regions->names) {
        struct made_name *next = regions->names->next;
        free(regions->names);
        regions->names = next;
    }
    memset(regions, 0, sizeof *regions);
}
