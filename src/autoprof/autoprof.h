/* autoprof.h - module for functions that compiler instrumentation hooks report by address. */
#ifndef GPTL_AUTOPROF_AUTOPROF_H
#define GPTL_AUTOPROF_AUTOPROF_H

#include "core/core.h"

extern const struct gptl_room gptl_autoprof_room;

#endif
