/*
 * escape.h - region names in formats with special characters. A nonprintable character is written
 * as \xNN, and a backslash before an x as \x5c, as in JSON reports, so that names can be decoded.
 */
#ifndef GPTL_POSTPROC_ESCAPE_H
#define GPTL_POSTPROC_ESCAPE_H

#include "report/out.h"

struct escape {
    const char *instead[128]; /* replacement of an ASCII character; NULL: unchanged */
    const char *backslash;    /* spelling of the backslash of \xNN */
};

/* Pass the encoded pieces of NAME to PUT. */
typedef void escape_sink(void *to, const char *bytes, size_t size);
void escape_pieces(const struct escape *escape, const char *name, escape_sink *put, void *to);

void escape_put(struct gptl_out *out, const struct escape *escape, const char *name);

#endif
