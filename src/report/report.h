/*
 * report.h - what the report room offers: a profile goes in, files come out.
 *
 * A profile is everything that a report says of one process, taken from the live library or from a
 * salvage file. Writers read it and nothing else.
 */
#ifndef GPTL_REPORT_REPORT_H
#define GPTL_REPORT_REPORT_H

#include <stdbool.h>

#include "core/core.h"

/* Of the files in the folder of salvage files that say which paths are taken. */
#define GPTL_CLAIM_PREFIX "claim."

/* An object file that functions lie in: the program, or a shared library. */
struct gptl_module {
    char *label;    /* what stands for it in names of regions; no two are equal */
    char *path;     /* "" when not known */
    char *build_id; /* in hexadecimal digits; "" when it has none */
};

/* A region that is a function which a compiler's hooks named by its address. */
struct gptl_function {
    uint32_t region; /* as in the copies' nodes */
    uint32_t module; /* index into modules */
    uint64_t offset; /* its address in the module's own terms, as symbol tables have it */
    char *address;   /* LABEL+0xOFFSET: the region's name when no other was found */
    char *name;      /* found for it, demangled; NULL: none */
    char *file;      /* its source; NULL: not known */
    int line;        /* 0: not known */
};

struct gptl_profile {
    struct gptl_process process;
    struct gptl_clock_finding clock;
    struct gptl_overhead overhead;
    bool has_overhead;    /* it was measured */
    const char *salvaged; /* the salvage file that this comes from, or NULL */
    struct gptl_copy *copies;
    int ncopies;
    struct gptl_module *modules;
    uint32_t nmodules;
    struct gptl_function *functions; /* in the order of their regions' numbers */
    uint32_t nfunctions;
};

/* Takes the profile of this process. Returns 0, or -1 when there is no memory. */
int gptl_report_take(struct gptl_profile *profile);
void gptl_report_free(struct gptl_profile *profile);

/*
 * Writes PROFILE in the formats that the option output names: text to PATH, JSON to PATH.json,
 * XML to PATH.xml. PATH NULL means stderr, text only. FUNCTION stands in messages. Each file appears under its name only
 * when it is complete. Returns 0, or -1 after an error.
 */
int gptl_report_write(const char *function, const struct gptl_profile *profile, const char *path);

/*
 * Statistics over the threads of this process, to FILE (tokens as in output.path); -1 after an
 * error that FUNCTION reports.
 */
int gptl_report_summary(const char *function, const char *file);

/*
 * FROM with its tokens replaced as PROCESS says; ID stands for {rank}. PATH is "" after an error,
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

extern const struct gptl_room gptl_report_room;

#endif
