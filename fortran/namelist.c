/* namelist.c - what process_namelist.f90 asks of the library; all texts end with NUL. */
#include "config.h"

#include "fortran/namelist.h"

#include <string.h>

#include "gptl.h"

#include "core/core.h"

static const char function[] = "gptlprocess_namelist";

int gptl_namelist_is_on(const char *key)
{
    struct gptl_option_text option;
    for (int i = 0; gptl_core_option_text(i, &option); i++)
        if (strcmp(option.key, key) == 0)
            return strcmp(option.value, "on") == 0;
    return 0;
}

int gptl_namelist_set_option(const char *key, const char *value)
{
    return gptl_core_set_option(function, key, value);
}

int gptl_namelist_set_event(const char *event)
{
    int code;
    return GPTLevent_name_to_code(event, &code) ? -1 : GPTLsetoption(code, 1);
}

int gptl_namelist_complain(const char *file, const char *message)
{
    return gptl_core_error(function, "%s: %s", file, message);
}
