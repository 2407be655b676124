/*
 * inputs.h - the files that a command is given: JSON profiles and salvage files, told apart by what
 * is in them, and folders, which stand for all such files in them.
 */
#ifndef GPTL_POSTPROC_INPUTS_H
#define GPTL_POSTPROC_INPUTS_H

#include <stdbool.h>

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

void inputs_free(struct inputs *inputs);

/* Compares names as people do, numbers in them by their values: timing.2 before timing.10. */
int inputs_compare_names(const char *a, const char *b);

#endif
