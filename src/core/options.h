/* options.h - the table of options, read by the API, the environment and the documentation. */
#ifndef GPTL_CORE_OPTIONS_H
#define GPTL_CORE_OPTIONS_H

#include <stdbool.h>

#include "core/core.h"

/* Reset every option to its default, then apply GPTL_OPTIONS. */
void gptl_options_begin(void);
/* Use the layout that the program's calls imply, unless the user selected one. */
void gptl_options_suggest_layout(enum gptl_file_layout layout);
/* Return whether the environment requests the library to be on from load. */
bool gptl_options_in_environment(void);

/* Adjust the gate and the clock to changed options. Requires the lock. */
void gptl_options_apply(void);

#endif
