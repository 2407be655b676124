/*
 * output.h - the formats of a report.
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
    GPTL_FORMAT_RANKS = 8, /* JSON reports of all ranks of a job in one file */
};

/*
 * Return the formats requested by the option output for a process; 0: none. Each unknown word is
 * reported once.
 */
unsigned gptl_output_formats(const char *function);

/*
 * Return the formats of a merged report of NRANKS; 0 if each rank reports separately. Merged
 * reports lack an XML form.
 */
unsigned gptl_output_merged_formats(const char *function, int nranks);

/* Append the JSON report of PROFILE to OUT. Return 0, or -1 when out of memory. */
int gptl_output_put_json(struct gptl_out *out, const struct gptl_profile *profile);

/* Print WHAT. Return 0, or -1 when out of memory. Write errors stay in OUT. */
typedef int gptl_output_writer(struct gptl_out *out, const void *what);

/*
 * Write the text form of WHAT to PATH and the JSON form to PATH.json, as gptl_report_write does;
 * NULL omits a form.
 */
int gptl_output_write(const char *function, const char *path, gptl_output_writer *text,
                      gptl_output_writer *json, const void *what);

#endif
