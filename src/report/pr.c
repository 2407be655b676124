/* pr.c - the public functions that write reports, and the report at program end. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "gptl.h"

#include "core/claim.h"
#include "core/own_stack.h"
#include "core/rundir.h"
#include "report/output.h"
#include "report/report.h"

enum { PATH_SIZE = 4096 };

/* Return whether the options leave the report to other ranks. */
static bool is_left_to_others(int rank)
{
    if (gptl_core_option(GPTL_OPT_ONLYPRINT_RANK0) && rank != 0)
        return true;
    return rank % gptl_core_option(GPTL_OPT_RANK_STRIDE) != 0;
}

/* A report requested by the program; RANK is used if no launcher provides a rank. */
struct request {
    const char *function, *path;
    int rank, result;
};

static int report_now(const char *function, const char *path, int rank)
{
    struct gptl_process process;
    struct gptl_profile profile;
    gptl_core_process(&process);
    if (!process.on)
        return gptl_core_error(function, "the library is not initialized");
    int result = 0;
    if (!is_left_to_others(process.rank >= 0 ? process.rank : rank)) {
        if (gptl_report_take(&profile))
            return gptl_core_error(function, "no memory for the report, which is not written");
        result = gptl_report_write_named(function, &profile, path);
        gptl_report_free(&profile);
    }
    if (result == 0)
        gptl_core_reported();
    return result;
}

static void pr_file(void *request)
{
    struct request *r = request;
    r->result = report_now(r->function, r->path, r->rank);
}

static void pr(void *request)
{
    struct request *r = request;
    struct gptl_process process;
    char path[PATH_SIZE];
    gptl_core_process(&process);
    gptl_report_path(path, sizeof path, r->rank, &process);
    r->result = path[0] ? report_now(r->function, path, r->rank) : -1;
}

static int report(void (*make)(void *), struct request request)
{
    struct gptl_work work;
    gptl_core_work_begin(&work);
    gptl_own_stack_call(make, &request);
    gptl_core_work_end(&work);
    return request.result;
}

int GPTLpr(int procid)
{
    if (procid < 0)
        return report(pr_file, (struct request){.function = "GPTLpr"});
    return report(pr, (struct request){.function = "GPTLpr", .rank = procid});
}

int GPTLpr_file(const char *file)
{
    if (!file || !*file)
        return gptl_core_error("GPTLpr_file", "no file name");
    return report(pr_file, (struct request){.function = "GPTLpr_file", .path = file});
}

int GPTLpr_set_append(void)
{
    gptl_core_saw_fork("GPTLpr_set_append", false);
    gptl_core_set_append(true);
    return 0;
}

int GPTLpr_query_append(void)
{
    gptl_core_saw_fork("GPTLpr_query_append", false);
    return gptl_core_option(GPTL_OPT_APPEND) != 0;
}

int GPTLpr_set_write(void)
{
    gptl_core_saw_fork("GPTLpr_set_write", false);
    gptl_core_set_append(false);
    return 0;
}

int GPTLpr_query_write(void)
{
    gptl_core_saw_fork("GPTLpr_query_write", false);
    return !GPTLpr_query_append();
}

int GPTLprint_mode_query(void)
{
    gptl_core_saw_fork("GPTLprint_mode_query", true);
    return gptl_core_option(GPTL_OPT_APPEND) ? GPTLprint_append : GPTLprint_write;
}

int GPTLprint_mode_set(int mode)
{
    const char *function = "GPTLprint_mode_set";
    gptl_core_saw_fork(function, true);
    if (mode != GPTLprint_write && mode != GPTLprint_append)
        return gptl_core_error(function, "invalid mode '%d' (expected %d or %d)", mode,
                               GPTLprint_write, GPTLprint_append);
    gptl_core_set_append(mode == GPTLprint_append);
    return 0;
}

/* ---- End of the program ---------------------------------------------------------------------- */

/*
 * Append the process number in a forked or spawned process, which would overwrite another process's
 * file.
 */
static void add_pid(char *path, size_t size, const struct gptl_process *process)
{
    size_t length = strlen(path);
    if (process->shares_names && !strstr(gptl_core_string(GPTL_STR_OUTPUT_PATH), "{pid}"))
        snprintf(path + length, size - length, ".%ld", process->pid);
    gptl_report_claim(path, size, process->pid);
}

static const char automatic[] = "automatic report";

int gptl_report_write_automatic(struct gptl_profile *profile)
{
    char path[PATH_SIZE];
    int rank = profile->process.rank >= 0 ? profile->process.rank : 0;
    gptl_report_path(path, sizeof path - 32, rank, &profile->process);
    add_pid(path, sizeof path, &profile->process);
    int result = path[0] ? gptl_report_write(automatic, profile, path) : -1;
    if (result == 0)
        gptl_core_salvage_done();
    return result;
}

/*
 * Return whether this process changed its user or root and lost access to the directory of its run.
 */
static bool is_locked_out(void)
{
    const char *run = gptl_core_string(GPTL_STR_RUN_DIR);
    return *run && !gptl_rundir_is_own(run);
}

/*
 * Write the automatic report. Return 0 when a report was written, 1 when none was due,
 * -1 after an error.
 */
static int automatic_report(void)
{
    struct gptl_process process;
    struct gptl_profile profile;
    gptl_core_process(&process);
    int rank = process.rank >= 0 ? process.rank : 0;
    /*
     * A short process without measurements must not wait for the calibration of clock and overhead.
     */
    if (gptl_output_formats(automatic) == 0 || is_left_to_others(rank) || !gptl_core_has_measured())
        return 1;
    if (is_locked_out())
        return -1; /* its measurements stay in its salvage file */
    if (gptl_report_take(&profile))
        return gptl_core_error(automatic, "no memory for the report, which is not written");
    int result = profile.ncopies > 0 ? gptl_report_write_automatic(&profile) : 1;
    gptl_report_free(&profile);
    return result;
}

/* Store the rank early, because a report for a killed process needs it. */
static void setup(void)
{
    gptl_core_set_rank(gptl_core_launched_rank());
}

const struct gptl_room gptl_report_room = {
    .name = "report",
    .setup = setup,
    .automatic_report = automatic_report,
};
