/*
 * counters.c - events: their names, their numbers, and what was counted.
 *
 * Without PAPI nothing counts: names of derived events are known, everything else says so.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "gptl.h"

#include "core/core.h"

static const char without[] = "this library was built without counters";

static const struct {
    int number;
    const char *name;
} derived[] = {
    {GPTL_IPC, "GPTL_IPC"},         {GPTL_CI, "GPTL_CI"},       {GPTL_FPC, "GPTL_FPC"},
    {GPTL_FPI, "GPTL_FPI"},         {GPTL_LSTPI, "GPTL_LSTPI"}, {GPTL_DCMRT, "GPTL_DCMRT"},
    {GPTL_LSTPDCM, "GPTL_LSTPDCM"}, {GPTL_L2MRT, "GPTL_L2MRT"}, {GPTL_LSTPL2M, "GPTL_LSTPL2M"},
    {GPTL_L3MRT, "GPTL_L3MRT"},
};

enum { NDERIVED = sizeof derived / sizeof *derived };

int GPTL_PAPIlibraryinit(void)
{
    return gptl_core_error("GPTL_PAPIlibraryinit", "%s", without);
}

int GPTLevent_name_to_code(const char *name, int *code)
{
    const char *function = "GPTLevent_name_to_code";
    if (!name || !code)
        return gptl_core_error(function, "an argument is NULL");
    for (int i = 0; i < NDERIVED; i++)
        if (strcasecmp(name, derived[i].name) == 0) {
            *code = derived[i].number;
            return 0;
        }
    return gptl_core_error(function, "the event \"%.200s\" is not known: %s", name, without);
}

int GPTLevent_code_to_name(int code, char *name)
{
    const char *function = "GPTLevent_code_to_name";
    if (!name)
        return gptl_core_error(function, "an argument is NULL");
    for (int i = 0; i < NDERIVED; i++)
        if (code == derived[i].number) {
            strcpy(name, derived[i].name);
            return 0;
        }
    return gptl_core_error(function, "the event %d is not known: %s", code, without);
}

int GPTLget_eventvalue(const char *timer, const char *event, int t, double *value)
{
    const char *function = "GPTLget_eventvalue";
    (void)t;
    if (!timer || !event || !value)
        return gptl_core_error(function, "an argument is NULL");
    return gptl_core_error(function, "no value of \"%.200s\": %s", event, without);
}
