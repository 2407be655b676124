/* work.h - the library's own work, whose time is charged to no region. */
#ifndef GPTL_CORE_WORK_H
#define GPTL_CORE_WORK_H

#include "core/core.h"

/*
 * Begin as gptl_core_work_begin does, in a thread that is inside the library because of this work.
 */
void gptl_work_begin(struct gptl_work *work);

#endif
