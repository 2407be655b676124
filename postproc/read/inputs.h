/*
 * inputs.h - the files that a command is given: JSON profiles, statistics over ranks and salvage files,
 * told apart by what is in them, and folders, which stand for all such files in them. Statistics in
 * a folder count only if there is nothing else, since they are of the same processes.
 */
#ifndef GPTL_POSTPROC_INPUTS_H
#define GPTL_POSTPROC_INPUTS_H

#include <stdbool.h>

#include "postproc/read/summary_read.h"

#include "report/report.h"

enum input_kind { INPUT_PROFILE, INPUT_SALVAGE, INPUT_IO }; /* IO: calls that were not written */

struct input {
    char *path;
    enum input_kind kind;
};

struct inputs {
    struct input *files;
    int nfiles;
    struct gptl_profile **profiles; /* what inputs_read made of them */
    int nprofiles;
    bool takes_summaries; /* whom inputs_read is called for has a use for them */
    struct summary **summaries;
    int nsummaries;
};

/*
 * Finds the files that ARGUMENTS mean; "-" is a profile on stdin. WHO begins messages. Returns 0,
 * or -1 after one for each argument that is no input; free it also then.
 */
int inputs_find(struct inputs *inputs, const char *who, char *const *arguments, int narguments);

/*
 * Reads all of them; KEEP as for profile_read. A salvage file whose process had reported all itself
 * is passed over with a message. Returns 0, or -1 after an error.
 */
int inputs_read(struct inputs *inputs, const char *who, uint32_t keep);

/*
 * Whether the reports of single ranks lie beside the statistics over them, the only input, as the
 * library names both. FOUND has them then; free it also otherwise.
 */
bool inputs_ranks_beside(const struct inputs *inputs, const char *who, uint32_t keep,
                         struct inputs *found);

void inputs_free(struct inputs *inputs);

/* Compares names as people do, numbers in them by their values: timing.2 before timing.10. */
int inputs_compare_names(const char *a, const char *b);

#endif
