/*
 * escape.h - region names in formats where some characters mean something else. What cannot be
 * shown stands as \xNN, a backslash before an x as \x5c, as in JSON reports: so a name can be had
 * back.
 */
#ifndef GPTL_POSTPROC_ESCAPE_H
#define GPTL_POSTPROC_ESCAPE_H

#include "report/out.h"

struct escape {
    const char *instead[128]; /* of an ASCII character; NULL: itself */
    const char *backslash;    /* how the one of \xNN is written */
};

/* Calls PUT with pieces of NAME as they are to be written. */
typedef void escape_sink(void *to, const char *bytes, size_t size);
void escape_pieces(const struct escape *escape, const char *name, escape_sink *put, void *to);

void escape_put(struct gptl_out *out, const struct escape *escape, const char *name);

#endif
