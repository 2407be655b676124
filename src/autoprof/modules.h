/* modules.h - the object files that this process has loaded, and those that it has unloaded. */
#ifndef GPTL_AUTOPROF_MODULES_H
#define GPTL_AUTOPROF_MODULES_H

#include "core/core.h"

/* Once, when the options are known. */
void gptl_modules_begin(void);

/* What the core asks for an address that it does not know. */
void gptl_modules_find(const void *address, struct gptl_place *place);

#endif
