/* ranks_file.h - writes the JSON reports of all ranks to one file. */
#ifndef GPTL_RANKS_RANKS_FILE_H
#define GPTL_RANKS_RANKS_FILE_H

#include "ranks/ranks.h"
#include "report/report.h"

/*
 * Collective. PROFILE NULL: this rank lacks a report. PATH matters on rank 0 only. Return 0 on all
 * ranks, or -1 on all ranks after an error, reported for FUNCTION on rank 0.
 */
int gptl_ranks_put_file(const char *function, const struct gptl_transport *transport,
                        const struct gptl_profile *profile, const char *path);

#endif
