/* options.h - the table of options, read by the API, the environment and the documentation. */
#ifndef GPTL_CORE_OPTIONS_H
#define GPTL_CORE_OPTIONS_H

#include <stdbool.h>

#include "core/core.h"

/* Every option back to its default, then GPTL_OPTIONS over that. */
void gptl_options_begin(void);
/* The layout that the program's calls ask for, unless one was chosen. */
void gptl_options_suggest_layout(enum gptl_file_layout layout);
/* Whether the environment asks for the library to be on from load. */
bool gptl_options_in_environment(void);

/* An option has changed: adjusts the gate and the clock. Call with the lock held. */
void gptl_options_apply(void);

#endif
