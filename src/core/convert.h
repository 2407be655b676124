/* convert.h - conversion of a thread's times into ticks of another clock. */
#ifndef GPTL_CORE_CONVERT_H
#define GPTL_CORE_CONVERT_H

#include "core/thread.h"

/*
 * Convert all measurements into ticks of CLOCK, which becomes the thread's clock. Called by the
 * owner.
 */
void gptl_convert_thread(struct gptl_thread *t, const struct gptl_clock *clock);

#endif
