/*
 * report.h - what the report room offers: a profile goes in, files come out.
 *
 * A profile is everything that a report says of one process, taken from the live library or from a
 * salvage file. Writers read it and nothing else.
 */
#ifndef GPTL_REPORT_REPORT_H
#define GPTL_REPORT_REPORT_H

#include <limits.h>
#include <stdbool.h>

#include "core/measured.h"
#include "counters/expression.h"

/* An option and its value as GPTL_OPTIONS takes it. */
struct gptl_setting {
    const char *key, *value;
    bool changed; /* differs from its default */
};

/*
 * Times in the copies of a profile are nanoseconds, whatever the clock: then sums are the same
 * whether they are made here or by a reader of the JSON report.
 */
struct gptl_profile {
    struct gptl_process process;
    struct gptl_clock_finding clock;
    struct gptl_overhead overhead;
    bool has_overhead;   /* it was measured */
    const char *library; /* version of the library that measured; NULL: this one */
    const char *host;    /* where the report was made */
    unsigned cores;      /* processors that the process may use; 0: not known */
    uint64_t
        preemptions; /* of all its threads, while they could have run; of no meaning without cores */
    const char *job;      /* the batch system's name of it; NULL: none, or not known */
    const char **command; /* its arguments, the program's own name first; NULL: not known */
    uint32_t narguments;
    struct gptl_setting *options; /* all of them; NULL: not known */
    uint32_t noptions;
    const char *unwrapped; /* functions that are called and not measured, or NULL */
    const char *salvaged;  /* the salvage file that this comes from, or NULL */
    bool is_partial;       /* it had no room for all that was measured */
    struct gptl_copy *copies;
    int ncopies;
    struct gptl_module *modules;
    uint32_t nmodules;
    struct gptl_function *functions; /* in the order of their regions' numbers */
    uint32_t nfunctions;
    struct gptl_metrics
        metrics; /* what is counted, nslots of each copy; memory is the profile's own */
    struct gptl_expression *expressions; /* of those of them that are derived, by their places */
    struct gptl_account *accounts;       /* rows of ledgers, in the order of gptl_account_compare */
    size_t naccounts;
    struct gptl_report_block *blocks; /* what gptl_report_alloc gave */
};

/* Takes the profile of this process. Returns 0, or -1 when there is no memory. */
int gptl_report_take(struct gptl_profile *profile);

/*
 * Takes the profile in the salvage file PATH, which must stay. Returns 0; 1 when its process had
 * reported all of it itself; -1 when it cannot be read; WHY tells why.
 */
int gptl_report_take_salvaged(struct gptl_profile *profile, const char *path, char *why,
                              size_t whysize);

/*
 * Makes the expressions of the metrics; those that make no sense become metrics that are refused.
 * Who fills the metrics in calls this. Returns 0, or -1 when there is no memory.
 */
int gptl_report_prepare_metrics(struct gptl_profile *profile);

/* Frees the copies and what gptl_report_alloc gave; nothing else that the profile points to. */
void gptl_report_free(struct gptl_profile *profile);

/* Memory that lives as long as PROFILE, zeros at first, and a copy of a text in it; NULL: none. */
void *gptl_report_alloc(struct gptl_profile *profile, size_t size);
char *gptl_report_keep(struct gptl_profile *profile, const char *text, size_t length);
/* What gptl_report_alloc gave for FROM now lives as long as PROFILE. */
void gptl_report_join(struct gptl_profile *profile, struct gptl_profile *from);

/* Version of the library that measured. */
const char *gptl_report_library(const struct gptl_profile *profile);

/* The function that REGION is, or NULL. */
const struct gptl_function *gptl_report_function(const struct gptl_profile *profile,
                                                 uint32_t region);

/*
 * What a report of PROFILE goes by: what was set for this process (in the environment, by --set),
 * otherwise what the profile says.
 */
long long gptl_report_option(const struct gptl_profile *profile, enum gptl_option_id id);

/*
 * Writes PROFILE in the formats that the option output names: text to PATH, JSON to PATH.json,
 * XML to PATH.xml. PATH NULL means stderr, text only. FUNCTION stands in messages. Each file appears under its name only
 * when it is complete. Returns 0, or -1 after an error.
 */
int gptl_report_write(const char *function, const struct gptl_profile *profile, const char *path);

/* Whether the option output names a format, so that reports are written at all. */
bool gptl_report_is_wanted(const char *function);

/*
 * FROM with its tokens replaced as PROCESS says; ID stands for {rank}, and below 0 "merged" does. PATH is "" after an error,
 * which FUNCTION reports.
 */
void gptl_report_expand(const char *function, const char *from, char *path, size_t size, int id,
                        const struct gptl_process *process);

/* The path that the option output.path gives for PROCESS. ID stands for {rank}. */
void gptl_report_path(char *path, size_t size, int id, const struct gptl_process *process);

/*
 * Under `gptl run` several processes may come to the same path: the first one has it, and to those
 * after it the number of the process, PID, is added.
 */
void gptl_report_claim(char *path, size_t size, long pid);

/*
 * Where FUNCTION writes the report that is to appear as PATH: in the directory of a `gptl run`, which moves
 * it when the command has ended, if the program did not ask for the report itself. Makes the directories
 * above it where PATH follows the option output.path.
 */
const char *gptl_report_place(const char *function, const char *path, char place[PATH_MAX]);

/* Whether `gptl run` may have ended before FUNCTION wrote PLACE, and does not move it any more. */
bool gptl_report_is_late(const char *function, const char *place);

/* Removes the files of a report. */
void gptl_report_remove(const char *place);

/* Leaves word for `gptl run` that FUNCTION wrote a report to PATH, or to it with an ending added. */
void gptl_report_wrote(const char *function, const char *path);

/* Writes PROFILE as the automatic report of this process. Returns 0, or -1 after an error. */
int gptl_report_write_automatic(struct gptl_profile *profile);

extern const struct gptl_room gptl_report_room;

#endif
