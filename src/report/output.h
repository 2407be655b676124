/*
 * output.h - which formats a report is written in.
 */
#ifndef GPTL_REPORT_OUTPUT_H
#define GPTL_REPORT_OUTPUT_H

#include "report/out.h"
#include "report/report.h"

/* Bits of a set. */
enum gptl_format {
    GPTL_FORMAT_TEXT = 1,
    GPTL_FORMAT_JSON = 2,
    GPTL_FORMAT_XML = 4,
    GPTL_FORMAT_RANKS = 8, /* of a job: the JSON reports of all ranks in one file */
};

/* What the option output says of a process. 0: none. Words that it does not know are reported once. */
unsigned gptl_output_formats(const char *function);

/* And of a job of NRANKS: 0 when each rank is to report by itself. There is no XML of all. */
unsigned gptl_output_merged_formats(const char *function, int nranks);

/* The JSON report of PROFILE, behind what is in OUT. Returns 0, or -1 when there is no memory. */
int gptl_output_put_json(struct gptl_out *out, const struct gptl_profile *profile);

/* Returns 0, or -1 when there is no memory. Errors of writing stay in OUT. */
typedef int gptl_output_writer(struct gptl_out *out, const void *what);

/*
 * What the writers make of WHAT: text to PATH, JSON to PATH.json, as gptl_report_write does; NULL
 * for what is not wanted.
 */
int gptl_output_write(const char *function, const char *path, gptl_output_writer *text,
                      gptl_output_writer *json, const void *what);

#endif
