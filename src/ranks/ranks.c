/*
 * ranks.c - the summary: each rank builds its tree, the trees are merged, and rank 0 writes the
 * result.
 */
#include "config.h"

#include "ranks/ranks.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ranks/gather.h"
#include "ranks/print.h"
#include "ranks/ranks_file.h"
#include "ranks/reduce.h"
#include "report/output.h"
#include "report/report.h"

enum { PATH_SIZE = 4096 };

static int nowhere(void *context, int to, const void *bytes, size_t size)
{
    (void)context, (void)to, (void)bytes, (void)size;
    return -1;
}

static int nobody(void *context, int from, void **bytes, size_t *size)
{
    (void)context, (void)from, (void)bytes, (void)size;
    return -1;
}

static const struct gptl_transport alone = {.size = 1, .send = nowhere, .receive = nobody};

/* ---- Profiles of measurements that GPTLfinalize ended before the merged report --------------- */

static atomic_bool is_expected;
static struct gptl_profile kept;
static bool is_kept;

void gptl_ranks_expect_report(bool expected)
{
    atomic_store(&is_expected, expected);
}

static int keep_report(void)
{
    if (!atomic_load(&is_expected) || is_kept || gptl_report_take(&kept))
        return 1;
    is_kept = true;
    return 0;
}

/* Return whether this process kept a profile; a forked child has its own measurement. */
static bool has_kept(void)
{
    return is_kept && kept.process.pid == (long)getpid();
}

static void finish(void)
{
    if (has_kept() && kept.ncopies > 0)
        gptl_report_write_automatic(&kept);
    if (is_kept)
        gptl_report_free(&kept);
    is_kept = false;
}

const struct gptl_room gptl_ranks_room = {
    .name = "ranks",
    .setup = gptl_ranks_offer_clock,
    .keep_report = keep_report,
    .finish = finish,
};

/* ---- Per-rank work --------------------------------------------------------------------------- */

static int no_memory(const char *function)
{
    return gptl_core_error(function, "no memory for the summary, which is not written");
}

static int write_result(const char *function, const struct gptl_profile *profile,
                        const struct gptl_ranks_tree *tree, const char *path, unsigned formats)
{
    struct gptl_ranks_result result;
    int rc = gptl_ranks_result_make(&result, profile, tree);
    if (rc)
        no_memory(function);
    else
        rc = gptl_output_write(function, path, formats & GPTL_FORMAT_TEXT ? gptl_ranks_text : NULL,
                               formats & GPTL_FORMAT_JSON ? gptl_ranks_json : NULL, &result);
    gptl_ranks_result_free(&result);
    return rc;
}

/*
 * Reduce the trees and write the result to PATH on rank 0. All ranks call this, even after an
 * error: PROFILE is then NULL, and the error is reported.
 */
static int reduce(const char *function, const struct gptl_transport *transport,
                  const struct gptl_profile *profile, const char *path, unsigned formats)
{
    struct gptl_ranks_tree tree = {0};
    const char *why = NULL;
    int rank = profile && profile->process.rank >= 0 ? profile->process.rank : transport->rank;
    if (profile && gptl_ranks_make(&tree, profile, rank))
        no_memory(function);
    int result = gptl_ranks_reduce(transport, &tree, &why);
    if (why)
        gptl_core_error(function, "%s; there is no summary", why);
    if (result == 0 && transport->rank == 0)
        result = write_result(function, profile, &tree, path, formats);
    gptl_ranks_tree_free(&tree);
    result = gptl_ranks_tell(transport, result);
    if (result == 0 && formats & GPTL_FORMAT_RANKS && transport->write_file) {
        char all[PATH_SIZE + 16], place[PATH_MAX] = "";
        snprintf(all, sizeof all, "%s.ranks.json", path);
        if (transport->rank == 0)
            gptl_report_place(function, all, place);
        result = gptl_ranks_put_file(function, transport, profile, place);
    }
    return result;
}

static bool take(const char *function, struct gptl_profile *profile)
{
    bool taken = gptl_report_take(profile) == 0;
    if (!taken)
        no_memory(function);
    return taken;
}

/* Expand the tokens of FILE; PATH is "" after an error. */
static void expand(const char *function, const struct gptl_transport *transport, const char *file,
                   char *path)
{
    struct gptl_process process;
    path[0] = '\0';
    gptl_core_process(&process);
    if (!process.on)
        gptl_core_error(function, "the library is not initialized");
    else if (!file || !*file)
        gptl_core_error(function, "no file name");
    else
        gptl_report_expand(function, file, path, PATH_SIZE,
                           process.rank >= 0 ? process.rank : transport->rank, &process);
}

int gptl_ranks_summary(const char *function, const struct gptl_transport *transport,
                       const char *file)
{
    char path[PATH_SIZE];
    unsigned formats = gptl_output_formats(function);
    if (!transport)
        transport = &alone;
    expand(function, transport, file, path);
    struct gptl_profile profile;
    bool taken = path[0] && take(function, &profile);
    int result = reduce(function, transport, taken ? &profile : NULL, path,
                        GPTL_FORMAT_TEXT | (formats & GPTL_FORMAT_JSON));
    if (taken)
        gptl_report_free(&profile);
    if (result == 0)
        gptl_core_reported();
    return result;
}

/* ---- End of a job ---------------------------------------------------------------------------- */

static const char merged_report[] = "merged report";

bool gptl_ranks_wanted(int size)
{
    return gptl_output_merged_formats(merged_report, size) != 0;
}

/* Return the formats of the merged report; none if rank 0 prints its own reports. */
static unsigned merged_formats(const struct gptl_transport *transport)
{
    struct gptl_process process;
    gptl_core_process(&process);
    return has_kept() || (process.on && gptl_core_report_is_due())
               ? gptl_output_merged_formats(merged_report, transport->size)
               : 0;
}

static bool write_merged(const struct gptl_transport *transport, const struct gptl_profile *profile,
                         unsigned formats)
{
    char path[PATH_SIZE] = "";
    if (profile && transport->rank == 0) /* creates directories, which only rank 0 needs */
        gptl_report_path(path, sizeof path, -1, &profile->process);
    bool failed = transport->rank == 0 && !path[0];
    if (reduce(merged_report, transport, failed ? NULL : profile, path, formats))
        return false;
    gptl_core_reported();
    gptl_core_salvage_done();
    return true;
}

bool gptl_ranks_report(const struct gptl_transport *transport)
{
    struct gptl_process process;
    struct gptl_profile now;
    int formats = gptl_ranks_tell(transport, (int)merged_formats(transport));
    if (formats <= 0)
        return false;
    if (has_kept()) {
        bool written = write_merged(transport, &kept, (unsigned)formats);
        if (written)
            gptl_report_free(&kept);
        is_kept = !written; /* this rank reports it separately */
        return written;
    }
    gptl_core_process(&process);
    bool taken = process.on && take(merged_report, &now);
    bool written = write_merged(transport, taken ? &now : NULL, (unsigned)formats);
    if (taken)
        gptl_report_free(&now);
    return written;
}

/* ---- Profiles from files --------------------------------------------------------------------- */

static int add_profile(struct gptl_gather *gather, const struct gptl_profile *profile, int rank)
{
    struct gptl_ranks_tree one;
    if (gptl_ranks_make(&one, profile, rank))
        return -1;
    int result = gptl_gather_add(gather, &one);
    gptl_ranks_tree_free(&one);
    return result;
}

int gptl_ranks_put_tree(struct gptl_out *out, const struct gptl_profile *profile,
                        const struct gptl_ranks_tree *tree)
{
    struct gptl_ranks_result result;
    int rc = gptl_ranks_result_make(&result, profile, tree);
    if (rc == 0)
        rc = gptl_ranks_text(out, &result);
    gptl_ranks_result_free(&result);
    return rc;
}

int gptl_ranks_put_text(struct gptl_out *out, const struct gptl_profile *const *profiles, int n)
{
    struct gptl_ranks_tree tree = {0};
    struct gptl_gather *gather = gptl_gather_new();
    int rc = gather ? 0 : -1;
    for (int i = 0; i < n && rc == 0; i++) {
        int rank = profiles[i]->process.rank;
        rc = add_profile(gather, profiles[i], rank >= 0 ? rank : i);
    }
    if (rc == 0)
        rc = gptl_gather_take(gather, &tree);
    gptl_gather_free(gather);
    if (rc == 0)
        rc = gptl_ranks_put_tree(out, profiles[0], &tree);
    gptl_ranks_tree_free(&tree);
    return rc;
}
