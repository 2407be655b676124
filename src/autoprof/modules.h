/* modules.h - the object files that this process has loaded or unloaded. */
#ifndef GPTL_AUTOPROF_MODULES_H
#define GPTL_AUTOPROF_MODULES_H

#include "core/core.h"

/* Initialize the module, once, after the options are known. */
void gptl_modules_begin(void);

/* Find the module of an address. The core calls this for an unknown address. */
void gptl_modules_find(const void *address, struct gptl_place *place);

#endif
