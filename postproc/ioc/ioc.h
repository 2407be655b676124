/*
 * ioc.h - interface of the tools for the log of I/O calls: options, the log, and the start and end
 * of the output. A tool is a file with one function, and a row in the table of ioc.c.
 */
#ifndef GPTL_POSTPROC_IOC_IOC_H
#define GPTL_POSTPROC_IOC_IOC_H

#include <stdbool.h>
#include <stdint.h>

#include "postproc/ioc/files.h"
#include "postproc/ioc/log.h"
#include "postproc/ioc/rows.h"
#include "postproc/ioc/walk.h"
#include "postproc/plot/plot.h"

#include "report/out.h"

struct ioc {
    const char *tool; /* name of the tool */
    /* Options. */
    struct selection selection;
    enum rows_format format;
    enum picture picture;
    const char *output; /* NULL: stdout */
    const char *path;   /* argument of `file` */
    int64_t step;       /* nanoseconds; 0: chosen automatically */
    long top;           /* 0: the tool's default */
    bool each;          /* also a row for each process */
    bool in_page;       /* the picture is part of a page, which shows the notes itself */

    struct log log;
    struct files files;
    struct gptl_out *out; /* NULL if the output is a picture */
};

/*
 * The tools return an exit status of commands.h, and print nothing more after an inner function
 * returns -1.
 */
int ioc_rate(struct ioc *ioc);
int ioc_ops(struct ioc *ioc);
int ioc_sizes(struct ioc *ioc);
int ioc_file(struct ioc *ioc);
int ioc_dump(struct ioc *ioc);
int ioc_regions(struct ioc *ioc);
int ioc_summary(struct ioc *ioc);
int ioc_html(struct ioc *ioc);

/* Tools with operands other than a log; arguments as for main, with the tool's name first. */
int ioc_salvage(int argc, char **argv);
int ioc_check(int argc, char **argv);

/* ---- Between the files of this directory ---------------------------------------------------- */

/*
 * Start the output with caveats about the data: lost, damaged or invisible calls. A table and JSON
 * contain them first; other formats print them on stderr. Call it after reading everything. JSON is
 * started up to the place of the tool's own members, each after a comma.
 */
void ioc_begin(struct ioc *ioc);
void ioc_end(struct ioc *ioc);

/*
 * Return the caveats as a NULL-terminated array; free each sentence, and the array. ALL: for
 * programs, with full lists instead of counts.
 */
char **ioc_notes(const struct log *log, bool all);

#endif
