/*
 * output.h - which formats a report is written in.
 */
#ifndef GPTL_REPORT_OUTPUT_H
#define GPTL_REPORT_OUTPUT_H

#include <stdbool.h>

#include "report/report.h"

struct gptl_formats {
    bool text, json;
};

/* The option output. Words that it does not know are reported once. */
struct gptl_formats gptl_output_formats(const char *function);

/* As gptl_report_write, but the summary: text, unless no format at all is wanted. */
int gptl_output_summary(const char *function, const struct gptl_profile *profile, const char *path);

#endif
