/* autoprof.c - module for functions that compiler instrumentation hooks report by address. */
#include "config.h"

#include "autoprof/autoprof.h"

#include "autoprof/modules.h"

static void setup(void)
{
    gptl_core_set_finder(gptl_modules_find);
}

const struct gptl_room gptl_autoprof_room = {
    .name = "autoprof",
    .setup = setup,
    .begin = gptl_modules_begin,
};
