/* clock.h - anchors: readings of the counter and the kernel's clocks at one moment. */
#ifndef GPTL_IOSTACK_CLOCK_H
#define GPTL_IOSTACK_CLOCK_H

#include "core/counter.h"
#include "core/systime.h"
#include "iostack/format.h"

void gptl_iostack_clock_anchor(struct gptl_iostack_anchor *anchor);

#endif
