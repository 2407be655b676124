/* rooms.c - the list of modules linked into this library. */
#include "config.h"

#include "autoprof/autoprof.h"
#include "core/core.h"
#include "counters/counters.h"
#include "ranks/ranks.h"
#include "report/report.h"

const struct gptl_room *const gptl_rooms[] = {&gptl_autoprof_room, &gptl_counters_room,
                                              &gptl_ranks_room, &gptl_report_room, NULL};
