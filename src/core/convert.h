/* convert.h - a thread's times in ticks of another clock. */
#ifndef GPTL_CORE_CONVERT_H
#define GPTL_CORE_CONVERT_H

#include "core/thread.h"

/* By the owner: expresses all that was measured in ticks of CLOCK, which is the thread's from now on. */
void gptl_convert_thread(struct gptl_thread *t, const struct gptl_clock *clock);

#endif
