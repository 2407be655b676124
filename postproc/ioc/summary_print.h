/* summary_print.h - a summary as text, CSV (files only) or JSON. */
#ifndef GPTL_POSTPROC_IOC_SUMMARY_PRINT_H
#define GPTL_POSTPROC_IOC_SUMMARY_PRINT_H

#include "postproc/ioc/summary.h"

void summary_print(const struct summary *summary, const struct findings *findings);

#endif
