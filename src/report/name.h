/*
 * name.h - region names as text, JSON and XML. Names contain any bytes except NUL.
 */
#ifndef GPTL_REPORT_NAME_H
#define GPTL_REPORT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/out.h"

/*
 * Return the length of the character at AT, which is not the end of the name. *PLAIN: it is
 * printable, that is, valid UTF-8 and not a control character. Most formats show other bytes as
 * \xNN.
 */
size_t gptl_name_character(const char *at, bool *plain);

/*
 * Return the width of a name in columns, one per character, or print it. Control characters and
 * invalid UTF-8 appear as \xNN, so a name never breaks a line. QUOTE adds double quotes and escapes
 * quotes in the name.
 */
size_t gptl_name_width(const char *name, bool quote);
void gptl_name_text(struct gptl_out *out, const char *name, bool quote);

/*
 * Print a JSON string. Invalid UTF-8 bytes become the four characters \xNN; a backslash before an x
 * in the name becomes \x5c, so the encoding is reversible.
 */
void gptl_name_json(struct gptl_out *out, const char *name);

/* Print like gptl_name_json, but without any <, for a script element of HTML. */
void gptl_name_script(struct gptl_out *out, const char *name);

/*
 * Print the value of an XML attribute without its quotes. Each byte of a character that XML cannot
 * represent, or of invalid UTF-8, becomes \xNN; \x5c is as in JSON.
 */
void gptl_name_xml(struct gptl_out *out, const char *name);

/*
 * Convert a region kind (enum gptl_kind) to its name, NULL for the first two kinds, and back; 0:
 * unknown.
 */
const char *gptl_kind_name(uint32_t kind);
uint32_t gptl_kind_named(const char *name);

#endif
