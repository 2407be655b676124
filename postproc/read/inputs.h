/*
 * inputs.h - the input files of a command: JSON profiles, statistics over ranks and salvage files,
 * distinguished by content, and directories, which represent all such files in them. Statistics in
 * a directory are used only if it contains nothing else, because they describe the same processes.
 */
#ifndef GPTL_POSTPROC_INPUTS_H
#define GPTL_POSTPROC_INPUTS_H

#include <stdbool.h>

#include "postproc/read/summary_read.h"

#include "report/report.h"

/* IO: calls of an I/O recorder that were not written to a log */
enum input_kind { INPUT_PROFILE, INPUT_SALVAGE, INPUT_IO };

struct input {
    char *path;
    enum input_kind kind;
};

struct inputs {
    struct input *files;
    int nfiles;
    struct gptl_profile **profiles; /* set by inputs_read */
    int nprofiles;
    bool takes_summaries; /* the command accepts statistics over ranks */
    struct summary **summaries;
    int nsummaries;
};

/*
 * Find the files of ARGUMENTS; "-" is a profile on stdin. WHO prefixes messages. Returns 0, or -1
 * after a message for each invalid argument; always free the result.
 */
int inputs_find(struct inputs *inputs, const char *who, char *const *arguments, int narguments);

/*
 * Read all inputs; KEEP as in profile_read. A salvage file whose process reported all its data is
 * skipped with a message. Returns 0, or -1 after an error.
 */
int inputs_read(struct inputs *inputs, const char *who, uint32_t keep);

/*
 * Return whether the reports of individual ranks exist next to the only input, statistics over
 * ranks, under the names that the library chooses. FOUND gets them; always free it.
 */
bool inputs_ranks_beside(const struct inputs *inputs, const char *who, uint32_t keep,
                         struct inputs *found);

void inputs_free(struct inputs *inputs);

/* Compare names in natural order, numbers by value: timing.2 before timing.10. */
int inputs_compare_names(const char *a, const char *b);

#endif
