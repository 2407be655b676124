/* ranks_file.h - the JSON reports of all ranks in one file. */
#ifndef GPTL_RANKS_RANKS_FILE_H
#define GPTL_RANKS_RANKS_FILE_H

#include "ranks/ranks.h"
#include "report/report.h"

/*
 * Collective. PROFILE NULL: this rank has none. Rank 0 has the PATH. Returns 0 on all ranks, or -1 on
 * all after an error, which FUNCTION reports on rank 0.
 */
int gptl_ranks_put_file(const char *function, const struct gptl_transport *transport,
                        const struct gptl_profile *profile, const char *path);

#endif
