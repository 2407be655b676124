/* cstatements.h - calls in C, and the statements that contain them. */
#ifndef GPTL_POSTPROC_IOSTACK_CSTATEMENTS_H
#define GPTL_POSTPROC_IOSTACK_CSTATEMENTS_H

#include "postproc/iostack/ctokens.h"

/* Return whether token I is a call of NAME: neither a member nor a declaration. */
bool statement_has_call(const struct ctokens *c, size_t i, const char *name);
/*
 * Return the first token of the statement that contains TOKEN; BODY: it is a body without braces.
 */
size_t statement_begin(const struct ctokens *c, size_t token, bool *body);
/* Return the statement's ;, or SIZE_MAX if it ends otherwise. */
size_t statement_end(const struct ctokens *c, size_t token);
/* Return whether the statement from FIRST on is only the call, with its value ignored or stored. */
bool statement_is_call(const struct ctokens *c, size_t first, size_t call, size_t close);

#endif
