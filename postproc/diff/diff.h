/*
 * diff.h - gptl diff: compares two runs of a program, or sets of runs of two versions.
 *
 * All profiles of all runs are merged into one struct paths, so regions.h defines which paths are
 * equal. Each path (or region) has one value per run, and each side has the median of its values.
 */
#ifndef GPTL_POSTPROC_DIFF_H
#define GPTL_POSTPROC_DIFF_H

#include <stdbool.h>
#include <stdint.h>

#include "postproc/read/inputs.h"
#include "postproc/paths/paths.h"
#include "report/out.h"
#include "report/report.h"

enum diff_side { DIFF_A, DIFF_B, DIFF_SIDES };

enum diff_metric {
    DIFF_TOTAL,
    DIFF_SELF,
    DIFF_CALLS,
    DIFF_COUNT, /* inclusive count of the compared event */
    DIFF_OWN,   /* exclusive count of the compared event */
    DIFF_METRICS
};

struct diff_options {
    bool compared[DIFF_METRICS]; /* metrics to compare; the others are only shown */
    const char *event;           /* event whose counts are compared; NULL: none */
    bool flat;                   /* by region */
    bool slowest;                /* a run's time is the time of its slowest thread, not the sum */
    bool all;                    /* also show rows that did not change */
    double threshold;            /* changes below this fraction of the run are hidden */
    double min;                  /* changes below this many seconds, or events, are hidden */
    /* Permitted slowdown of B, or increase in events; negative: unlimited. */
    double fail_part, fail_seconds, fail_events;
};

/* ---- Runs (diff_runs.c) -------------------------------------------------------------------- */

struct diff_run {
    char *path; /* a file, or a directory with one file for each process */
    enum diff_side side;
    struct inputs inputs;
    uint32_t first; /* index of its first profile in the profiles of all runs */
};

struct diff_runs {
    struct diff_run *runs; /* side A first; within a side in chronological order */
    uint32_t nruns[DIFF_SIDES];
    const struct gptl_profile **profiles; /* run by run */
    uint32_t nprofiles;
    enum diff_side first; /* side whose runs all precede the runs of the other; DIFF_SIDES: none */
};

/* Read the runs in PATHS, N[DIFF_A] and N[DIFF_B] of them. Returns 0, or -1 after a message. */
int diff_runs_read(struct diff_runs *runs, char **paths, const uint32_t *n);
void diff_runs_free(struct diff_runs *runs);

/* ---- Caveats about the comparison (diff_notes.c) ---------------------------------------------- */

struct diff_notes {
    char **texts;
    uint32_t n;
};

/*
 * List the differences between A and B other than their values. Returns 0, or -1 if out of memory.
 */
int diff_notes_make(struct diff_notes *notes, const struct diff_runs *runs, bool slowest);
void diff_notes_free(struct diff_notes *notes);

/* ---- Figures (diff_figures.c) ---------------------------------------------------------------- */

enum diff_verdict {
    DIFF_SAME, /* also: the change is too small or within noise */
    DIFF_MORE, /* slower; more calls */
    DIFF_LESS,
    DIFF_ADDED,
    DIFF_VANISHED,
    DIFF_UNKNOWN, /* changed, but too few runs to exclude noise */
};

struct diff_figure {
    double of[DIFF_SIDES];    /* medians; times in nanoseconds */
    double error[DIFF_SIDES]; /* of estimated times: half width of the confidence interval */
    double chance;            /* p-value, see noise_test; 1 if not tested */
    bool varies[DIFF_SIDES];  /* between the runs of that side */
    enum diff_verdict verdict;
};

/* A path or a region; in row 0, all regions. */
struct diff_row {
    const char *name;
    const struct gptl_function *function;
    struct diff_figure figure[DIFF_METRICS];
    uint32_t seen[DIFF_SIDES]; /* number of runs that contain it */
    uint32_t parent, level;    /* as in the paths; regions have 0 and 1 */
    bool changed;              /* has a relevant change */
    bool shown;                /* it or a descendant has changed */
};

struct diff {
    const struct diff_options *options;
    const struct diff_runs *runs;
    struct diff_notes notes;
    struct paths paths;
    struct diff_figure elapsed;
    struct diff_row *rows;
    uint32_t nrows;
    uint32_t *order; /* visible rows in the order of their lines */
    uint32_t nshown;
    const struct metric_column *event; /* compared event; NULL: none */
    double limit;                      /* smaller changes of times are hidden; nanoseconds */
    double event_limit;                /* smaller changes of events are hidden */
    bool can_tell;                     /* there are enough runs to detect noise */
    uint32_t ntested;                  /* figures in the noise test */
    uint32_t nchanged;                 /* changed rows, without row 0 and the whole run */
    uint32_t nhidden;                  /* rows that differ but are hidden */
    uint32_t nfailed;                  /* figures in which B exceeds the permitted increase */
    const char *failed;                /* name of the first failed row */
    bool identical;                    /* all values are equal */
};

/*
 * Compare the runs. Returns 0, -1 if out of memory, or 1 after a message; always free the result.
 */
int diff_make(struct diff *diff, const struct diff_runs *runs, const struct diff_options *options);
void diff_free(struct diff *diff);

/* Return whether the values are equal in all runs of each side. */
static inline bool diff_is_exact(const struct diff_figure *figure)
{
    return !figure->varies[DIFF_A] && !figure->varies[DIFF_B];
}

static inline bool diff_is_of_event(int metric)
{
    return metric == DIFF_COUNT || metric == DIFF_OWN;
}

static inline double diff_limit(const struct diff *diff, int metric)
{
    return metric == DIFF_CALLS ? 0 : diff_is_of_event(metric) ? diff->event_limit : diff->limit;
}

/* B less A. */
static inline double diff_change(const struct diff_figure *figure)
{
    return figure->of[DIFF_B] - figure->of[DIFF_A];
}

/* ---- Outputs (diff_table.c, diff_json.c) ------------------------------------------------------- */

void diff_table_write(struct gptl_out *out, const struct diff *diff);
void diff_json_write(struct gptl_out *out, const struct diff *diff);

/* Return "slower", "faster", "same", "?", …; for calls "more" and "fewer". */
const char *diff_verdict_word(enum diff_verdict verdict, enum diff_metric metric);

#endif
