/*
 * report.h - public header of the report module: converts a profile to report files.
 *
 * A profile contains everything a report states about one process. Its source is the running
 * library or a salvage file. Writers read nothing else.
 */
#ifndef GPTL_REPORT_REPORT_H
#define GPTL_REPORT_REPORT_H

#include <limits.h>
#include <stdbool.h>

#include "core/measured.h"
#include "counters/expression.h"

/* An option with its value in the syntax of GPTL_OPTIONS. */
struct gptl_setting {
    const char *key, *value;
    bool changed; /* differs from its default */
};

/*
 * Copies in a profile contain nanoseconds, independent of the clock. Therefore sums are identical
 * here and in a reader of the JSON report.
 */
struct gptl_profile {
    struct gptl_process process;
    struct gptl_clock_finding clock;
    struct gptl_overhead overhead;
    bool has_overhead;   /* overhead was measured */
    const char *library; /* version of the measuring library; NULL: this one */
    const char *host;    /* where the report was made */
    unsigned cores;      /* processors available to the process; 0: unknown */
    uint64_t
        preemptions; /* involuntary context switches of all threads; meaningless without cores */
    const char *job; /* job name from the batch system; NULL: none, or unknown */
    const char **command; /* arguments, starting with the program name; NULL: unknown */
    uint32_t narguments;
    struct gptl_setting *options; /* all options; NULL: unknown */
    uint32_t noptions;
    const char *unwrapped; /* functions that are called but not wrapped, or NULL */
    const char *salvaged;  /* salvage file that is the source of this profile, or NULL */
    bool is_partial;       /* the salvage file lacked space for some data */
    struct gptl_copy *copies;
    int ncopies;
    struct gptl_module *modules;
    uint32_t nmodules;
    struct gptl_function *functions; /* in the order of their region numbers */
    uint32_t nfunctions;
    struct gptl_metrics metrics; /* counted in each copy (nslots); the profile owns the memory */
    struct gptl_expression *expressions; /* of derived metrics, indexed by metric */
    struct gptl_account *accounts;       /* rows of ledgers, in the order of gptl_account_compare */
    size_t naccounts;
    struct gptl_report_block *blocks; /* memory of gptl_report_alloc */
};

/* Create the profile of this process. Return 0, or -1 when out of memory. */
int gptl_report_take(struct gptl_profile *profile);

/*
 * Create the profile from salvage file PATH; the string PATH must outlive it. Return 0; 1 if the
 * process reported everything itself; -1 if the file is unreadable, with the reason in WHY.
 */
int gptl_report_take_salvaged(struct gptl_profile *profile, const char *path, char *why,
                              size_t whysize);

/*
 * Parse the expressions of derived metrics; an invalid one makes its metric refused. Any code that
 * fills in metrics must call this. Return 0, or -1 when out of memory.
 */
int gptl_report_prepare_metrics(struct gptl_profile *profile);

/*
 * Free the copies and the memory of gptl_report_alloc, but no other memory referenced by the
 * profile.
 */
void gptl_report_free(struct gptl_profile *profile);

/*
 * Allocate zeroed memory, or a copy of a text, that lives as long as PROFILE; NULL when out of
 * memory.
 */
void *gptl_report_alloc(struct gptl_profile *profile, size_t size);
char *gptl_report_keep(struct gptl_profile *profile, const char *text, size_t length);
/* Transfer the memory of gptl_report_alloc from FROM to PROFILE. */
void gptl_report_join(struct gptl_profile *profile, struct gptl_profile *from);

/* Return the version of the measuring library. */
const char *gptl_report_library(const struct gptl_profile *profile);

/* Return the function of REGION, or NULL. */
const struct gptl_function *gptl_report_function(const struct gptl_profile *profile,
                                                 uint32_t region);

/*
 * Return an option that applies to a report of PROFILE: the value set for this process
 * (environment, --set), otherwise the value in the profile.
 */
long long gptl_report_option(const struct gptl_profile *profile, enum gptl_option_id id);

/*
 * Write PROFILE in the formats of the option output: text to PATH, JSON to PATH.json, XML to
 * PATH.xml. FUNCTION is the name in messages. Each file appears under its name only when complete.
 * Return 0, or -1 after an error.
 */
int gptl_report_write(const char *function, const struct gptl_profile *profile, const char *path);
/*
 * Do the same for a file that the program names: PATH always receives the text, and the option adds
 * the other formats. PATH NULL means text to stderr.
 */
int gptl_report_write_named(const char *function, const struct gptl_profile *profile,
                            const char *path);

/* Return whether the option output names any format; otherwise no report is written. */
bool gptl_report_is_wanted(const char *function);

/*
 * Expand the tokens of FROM for PROCESS; ID replaces {rank}, or "merged" if ID is negative. PATH is
 * "" after an error, reported for FUNCTION.
 */
void gptl_report_expand(const char *function, const char *from, char *path, size_t size, int id,
                        const struct gptl_process *process);

/* Store the path given by the option output.path for PROCESS. ID replaces {rank}. */
void gptl_report_path(char *path, size_t size, int id, const struct gptl_process *process);

/*
 * Resolve conflicts between processes under `gptl run` with equal paths: the first process gets the
 * path, and later ones get it with their process number PID added, and with another number if two PID
 * namespaces have the same.
 */
void gptl_report_claim(char *path, size_t size, long pid);

/*
 * Return the place to which FUNCTION writes the report for PATH. Under `gptl run`, a report not
 * requested by the program is written to the directory of the run, and `gptl run` moves it when the
 * command has ended. If PATH follows the option output.path, create its parent directories.
 */
const char *gptl_report_place(const char *function, const char *path, char place[PATH_MAX]);

/*
 * Return whether `gptl run` may have ended before FUNCTION wrote PLACE, so that the file is never
 * moved.
 */
bool gptl_report_is_late(const char *function, const char *place);

/* Remove the files of a report. */
void gptl_report_remove(const char *place);

/*
 * Remove the incomplete automatic report at PLACE if `gptl run` makes the whole one from the salvage
 * file.
 */
void gptl_report_retract(const char *function, const char *place);

/* Record for `gptl run` that FUNCTION wrote a report to PATH, or to PATH with an extension. */
void gptl_report_wrote(const char *function, const char *path);

/* Write PROFILE as the automatic report of this process. Return 0, or -1 after an error. */
int gptl_report_write_automatic(struct gptl_profile *profile);

extern const struct gptl_room gptl_report_room;

#endif
