/* cstatements.h - calls in C, and the statements that they are in. */
#ifndef GPTL_POSTPROC_IOSTACK_CSTATEMENTS_H
#define GPTL_POSTPROC_IOSTACK_CSTATEMENTS_H

#include "postproc/iostack/ctokens.h"

/* Whether the token I is NAME where that is called: no member, and no declaration. */
bool statement_has_call(const struct ctokens *c, size_t i, const char *name);
/* The first token of the statement that TOKEN is in; BODY: it is a body without braces. */
size_t statement_begin(const struct ctokens *c, size_t token, bool *body);
/* Its ;, or SIZE_MAX where it is none that ends so. */
size_t statement_end(const struct ctokens *c, size_t token);
/* Whether the statement from FIRST on is the call, with its value left or stored, and nothing else. */
bool statement_is_call(const struct ctokens *c, size_t first, size_t call, size_t close);

#endif
