/*
 * diff.h - gptl diff: two runs of a program, or several of each of two versions, side by side.
 *
 * All profiles of all runs are merged into one struct paths, so what is equal is known by the rules of
 * regions.h. Then each path (or region) has a number for each run, and of these the two sides have
 * their medians.
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
    DIFF_COUNT, /* of the event that is compared, inclusive … */
    DIFF_OWN,   /* … and exclusive */
    DIFF_METRICS
};

struct diff_options {
    bool compared[DIFF_METRICS]; /* these are compared; the others are only shown */
    const char *event;           /* whose counts are compared; NULL: none */
    bool flat;                   /* by region */
    bool slowest;                /* a run's time is that of its slowest thread, not the sum */
    bool all;                    /* show also what did not change */
    double threshold;            /* changes below this part of the run are hidden … */
    double min;                  /* … and those below so many seconds, or events */
    /* By which B may be slower, or have more events; negative: as it likes. */
    double fail_part, fail_seconds, fail_events;
};

/* ---- Runs (diff_runs.c) -------------------------------------------------------------------- */

struct diff_run {
    char *path; /* a file, or a folder with one file for each process */
    enum diff_side side;
    struct inputs inputs;
    uint32_t first; /* of its profiles, in those of all runs */
};

struct diff_runs {
    struct diff_run *runs; /* those of A first; each side's in the order in which they were made */
    uint32_t nruns[DIFF_SIDES];
    const struct gptl_profile **profiles; /* run by run */
    uint32_t nprofiles;
    enum diff_side first; /* all of whose runs were before those of the other; DIFF_SIDES: none */
};

/* Reads what PATHS name, N[DIFF_A] and N[DIFF_B] of them. Returns 0, or -1 after a message. */
int diff_runs_read(struct diff_runs *runs, char **paths, const uint32_t *n);
void diff_runs_free(struct diff_runs *runs);

/* ---- What a reader must know before the numbers (diff_notes.c) -------------------------------- */

struct diff_notes {
    char **texts;
    uint32_t n;
};

/* In what A and B differ besides their numbers. Returns 0, or -1 when there is no memory. */
int diff_notes_make(struct diff_notes *notes, const struct diff_runs *runs, bool slowest);
void diff_notes_free(struct diff_notes *notes);

/* ---- Figures (diff_figures.c) ---------------------------------------------------------------- */

enum diff_verdict {
    DIFF_SAME, /* or too little a change, or no more than noise */
    DIFF_MORE, /* slower; more calls */
    DIFF_LESS,
    DIFF_ADDED,
    DIFF_VANISHED,
    DIFF_UNKNOWN, /* there is a change, and too few runs to know whether it is noise */
};

struct diff_figure {
    double of[DIFF_SIDES];    /* medians; times in nanoseconds */
    double error[DIFF_SIDES]; /* of times that are estimated: how far from the true one at most */
    double chance;            /* see noise_test; 1 unless it was tested */
    bool varies[DIFF_SIDES];  /* between the runs of that side */
    enum diff_verdict verdict;
};

/* A path or a region; in row 0, all regions. */
struct diff_row {
    const char *name;
    const struct gptl_function *function;
    struct diff_figure figure[DIFF_METRICS];
    uint32_t seen[DIFF_SIDES]; /* in how many runs */
    uint32_t parent, level;    /* as in the paths; regions have 0 and 1 */
    bool changed;              /* worth a row */
    bool shown;                /* that, or one below it is */
};

struct diff {
    const struct diff_options *options;
    const struct diff_runs *runs;
    struct diff_notes notes;
    struct paths paths;
    struct diff_figure elapsed;
    struct diff_row *rows;
    uint32_t nrows;
    uint32_t *order; /* the rows that are shown, in the order of their lines */
    uint32_t nshown;
    const struct metric_column *event; /* that is compared; NULL: none */
    double limit;                      /* smaller changes, in nanoseconds, are hidden … */
    double event_limit;                /* … and of events */
    bool can_tell;                     /* there are enough runs to tell noise */
    uint32_t ntested;                  /* figures in the test */
    uint32_t nchanged;                 /* rows that changed, row 0 and the whole run not counted */
    uint32_t nhidden;                  /* rows that differ but are not shown */
    uint32_t nfailed;                  /* figures that B is too slow in */
    const char *failed;                /* the name of the first of them */
    bool identical;                    /* no number differs */
};

/* Returns 0, -1 when there is no memory, or 1 after a message; free it also then. */
int diff_make(struct diff *diff, const struct diff_runs *runs, const struct diff_options *options);
void diff_free(struct diff *diff);

/* Whether the same came out of all runs of each side. */
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

/* "slower", "faster", "same", "?", …; of calls "more" and "fewer". */
const char *diff_verdict_word(enum diff_verdict verdict, enum diff_metric metric);

#endif
