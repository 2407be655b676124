/*
 * output.h - which formats a report is written in.
 */
#ifndef GPTL_REPORT_OUTPUT_H
#define GPTL_REPORT_OUTPUT_H

#include "report/report.h"

/* Bits of a set. */
enum gptl_format { GPTL_FORMAT_TEXT = 1, GPTL_FORMAT_JSON = 2, GPTL_FORMAT_XML = 4 };

/* The option output: 0 for none. Words that it does not know are reported once. */
unsigned gptl_output_formats(const char *function);

/* As gptl_report_write, but the summary: text, unless no format at all is wanted. */
int gptl_output_summary(const char *function, const struct gptl_profile *profile, const char *path);

#endif
