/* stamp.h - time and memory of the process according to the system. */
#ifndef GPTL_CORE_STAMP_H
#define GPTL_CORE_STAMP_H

#include "core/names.h"

/*
 * Print a line on stderr if the process has grown since the last time by the percentage of the
 * option mem_growth.
 */
void gptl_stamp_growth(struct gptl_name region, const char *event);

#endif
