/*
 * ioc.h - what the tools on the log of I/O calls share: their options, the log, and how they begin
 * and end what they print. A tool is a file with one function, and a row in the table of ioc.c.
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
    const char *tool; /* its name */
    /* Options. */
    struct selection selection;
    enum rows_format format;
    enum picture picture;
    const char *output; /* NULL: stdout */
    const char *path;   /* of `file` */
    int64_t step;       /* in nanoseconds; 0: chosen here */
    long top;           /* 0: the tool's own choice */
    bool each;          /* a row for each process too */
    bool in_page;       /* what it draws is a part of one, which has said what is to be said */

    struct log log;
    struct files files;
    struct gptl_out *out; /* NULL where a picture is made */
};

/* They return an exit status of commands.h, and print no more after -1 of something else. */
int ioc_rate(struct ioc *ioc);
int ioc_ops(struct ioc *ioc);
int ioc_sizes(struct ioc *ioc);
int ioc_file(struct ioc *ioc);
int ioc_dump(struct ioc *ioc);
int ioc_regions(struct ioc *ioc);
int ioc_summary(struct ioc *ioc);
int ioc_html(struct ioc *ioc);

/* Those that have other arguments than a log: what main would get, with the tool's name first. */
int ioc_salvage(int argc, char **argv);
int ioc_check(int argc, char **argv);

/* ---- Between the files of this folder ------------------------------------------------------- */

/*
 * What must be known before any number: what is lost, damaged, or could not be seen. In a table and
 * in JSON it stands first; for all else it goes to stderr. Call it when all has been read.
 * JSON is begun with it, up to where members of the tool's own go, each after a comma.
 */
void ioc_begin(struct ioc *ioc);
void ioc_end(struct ioc *ioc);

/* The same sentences, one after another: NULL behind the last. Free each, and the array. ALL: for programs, with
 * whatever a sentence would only count. */
char **ioc_notes(const struct log *log, bool all);

#endif
