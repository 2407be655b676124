/*
 * measured.c - adds measured times to the regions of a prediction by matching the names of call
 * paths.
 */
#include "config.h"

#include "postproc/predict/prediction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/predict/predicted.h"
#include "postproc/read/inputs.h"

static int no_memory(const char *who)
{
    fprintf(stderr, "%s: there is not enough memory for what was measured\n", who);
    return -1;
}

/* Return the signature's regions; names are borrowed. */
static struct predicted_region *make_regions(const struct signature *signature)
{
    struct predicted_region *regions = calloc((size_t)signature->nregions + 1, sizeof *regions);
    for (uint32_t i = 0; regions && i < signature->nregions; i++) {
        regions[i].name = signature->regions[i].name;
        regions[i].parent = signature->regions[i].parent;
    }
    return regions;
}

/*
 * Take the times of the regions that also occur in PATHS. Returns their number, or -1 if out of
 * memory.
 */
static int take(struct prediction *prediction, const struct paths *paths)
{
    int matched = 0;
    struct predicted_region *regions = make_regions(prediction->signature);
    uint32_t *match =
        regions ? predicted_match(regions, prediction->signature->nregions, paths) : NULL;
    for (uint32_t i = 0; match && i < paths->npaths; i++) {
        if (match[i] == PREDICTED_NONE)
            continue;
        prediction->measured[match[i]].seconds += 1e-9 * (double)paths->paths[i].figures.total;
        prediction->measured[match[i]].known = true;
        matched += i > 0; /* not the root, which every program has */
    }
    free(regions);
    int result = match ? matched : -1;
    free(match);
    return result;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Return whether PROFILE belongs to the traced program, or lacks a program name. */
static bool is_same_program(const struct signature *signature, const struct gptl_profile *profile)
{
    const char *measured = profile->process.program, *traced = signature->program;
    return !measured || !traced || !*measured || !*traced || strcmp(measured, "unknown") == 0 ||
           strcmp(name_of(measured), name_of(traced)) == 0;
}

/*
 * Keep the reports of the traced ranks: a signature of rank 2 contains the costs of rank 2. Returns
 * 0, or -1 after a message.
 */
static int select_profiles(const struct signature *signature, const char *who,
                           struct gptl_profile **profiles, int *nprofiles)
{
    int kept = 0, traced = signature->nranks > 0 ? (int)signature->nranks : 1;
    for (int i = 0; i < *nprofiles; i++) {
        if (!is_same_program(signature, profiles[i])) {
            fprintf(stderr,
                    "%s: --measured: program '%s' was measured, but '%s' was traced (expected "
                    "reports of the traced program)\n",
                    who, profiles[i]->process.program, signature->program);
            return -1;
        }
        if (traced > 1 || *nprofiles == 1 || signature->rank < 0 ||
            profiles[i]->process.rank == signature->rank)
            profiles[kept++] = profiles[i];
    }
    *nprofiles = kept;
    if (kept == traced)
        return 0;
    fprintf(stderr,
            "%s: --measured: reports of %d processes, but %d were traced (expected one report of "
            "each traced rank)\n",
            who, kept, traced);
    return -1;
}

/* Find hosts with more ranks than cores, and preemptions. Returns 0, or -1 if out of memory. */
static int find_sharing(struct prediction_sharing *sharing, struct gptl_profile *const *profiles,
                        int nprofiles)
{
    for (int i = 0; i < nprofiles; i++) {
        const struct gptl_profile *profile = profiles[i];
        unsigned ranks = 0;
        if (profile->cores == 0)
            continue;
        for (int k = 0; k < nprofiles; k++)
            ranks += strcmp(profiles[k]->host, profile->host) == 0;
        if (profile->process.elapsed > 0)
            sharing->preemptions =
                fmax(sharing->preemptions, (double)profile->preemptions / profile->process.elapsed);
        if (ranks <= profile->cores || sharing->host)
            continue;
        sharing->ranks = ranks;
        sharing->cores = profile->cores;
        sharing->host = strdup(profile->host);
        if (!sharing->host)
            return -1;
    }
    return 0;
}

/* Take the times of PROFILES (borrowed). Returns 0, or -1 after a message. */
static int take_profiles(struct prediction *prediction, const char *who,
                         struct gptl_profile **profiles, int nprofiles)
{
    struct paths paths;
    if (select_profiles(prediction->signature, who, profiles, &nprofiles))
        return -1;
    int result = paths_make(&paths, (const struct gptl_profile *const *)profiles, nprofiles);
    if (result == 0)
        result = find_sharing(&prediction->sharing, profiles, nprofiles);
    if (result == 0)
        result = take(prediction, &paths);
    paths_free(&paths);
    if (result < 0)
        return no_memory(who);
    if (result > 0 || prediction->signature->nregions <= 1)
        return 0;
    fprintf(stderr,
            "%s: --measured: no region of the signature is in the reports (expected a run with the "
            "same regions)\n",
            who);
    return -1;
}

static int take_inputs(struct prediction *prediction, const char *who, const struct inputs *inputs)
{
    struct gptl_profile **profiles = malloc(((size_t)inputs->nprofiles + 1) * sizeof(*profiles));
    if (!profiles)
        return no_memory(who);
    memcpy(profiles, inputs->profiles, (size_t)inputs->nprofiles * sizeof(*profiles));
    int result = take_profiles(prediction, who, profiles, inputs->nprofiles);
    free(profiles);
    return result;
}

int prediction_measure(struct prediction *prediction, const char *who, char *const *arguments,
                       int narguments)
{
    struct inputs inputs;
    prediction->measured =
        calloc((size_t)prediction->signature->nregions + 1, sizeof *prediction->measured);
    if (!prediction->measured)
        return no_memory(who);
    int result = inputs_find(&inputs, who, arguments, narguments);
    inputs.takes_summaries = false;
    if (result == 0)
        result = inputs_read(&inputs, who, 0);
    if (result == 0)
        result = take_inputs(prediction, who, &inputs);
    inputs_free(&inputs);
    return result;
}
