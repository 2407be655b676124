/* stamp.h - what the system says of time and memory of the process. */
#ifndef GPTL_CORE_STAMP_H
#define GPTL_CORE_STAMP_H

#include "core/names.h"

/* Says on stderr when the process has grown since the last time, by the option mem_growth. */
void gptl_stamp_growth(struct gptl_name region, const char *event);

#endif
