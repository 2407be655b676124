/* analysis.h - turns logs into rows, pictures or a page. */
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
    bool has_view; /* the user selected the rows */
    int64_t which; /* index of the client or server of a picture */
    bool html;
    const char *output; /* NULL: stdout */
};

/* Select the rows named NAME. Returns false if the name is unknown. */
bool analysis_take_view(struct analysis *analysis, const char *name);
/* Analyze the logs. Returns an exit status. */
int analyze(const struct analysis *analysis, char *const *logs, size_t nlogs);

#endif
