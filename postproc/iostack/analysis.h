/* analysis.h - from logs to what is printed, drawn, or shown in a page. */
#ifndef GPTL_POSTPROC_IOSTACK_ANALYSIS_H
#define GPTL_POSTPROC_IOSTACK_ANALYSIS_H

#include "postproc/iostack/draw.h"
#include "postproc/iostack/query.h"
#include "postproc/iostack/views.h"

struct analysis {
    struct query query;
    enum view by;
    enum rows_format format;
    enum drawing drawing;
    uint64_t top;  /* as in struct views */
    bool has_view; /* the user said which rows */
    int64_t which; /* of clients or servers, for the picture */
    bool html;
    const char *output; /* NULL: stdout */
};

/* Whether there are rows of this name, which are those to be shown. */
bool analysis_take_view(struct analysis *analysis, const char *name);
/* Returns an exit status. */
int analyze(const struct analysis *analysis, char *const *logs, size_t nlogs);

#endif
