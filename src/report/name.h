/*
 * name.h - region names as text, as JSON and as XML. Names hold any bytes but NUL.
 */
#ifndef GPTL_REPORT_NAME_H
#define GPTL_REPORT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/out.h"

/*
 * The length of the character at AT, which is not the end of a name. PLAIN tells whether it is one
 * that can be shown: UTF-8 and no control character. Otherwise the bytes stand as \xNN in most formats.
 */
size_t gptl_name_character(const char *at, bool *plain);

/*
 * In the text report control characters and bytes that are not UTF-8 stand as \xNN, so that a name
 * never breaks a line. QUOTE puts it in double quotes and escapes those in it. The width is in
 * columns, a character each.
 */
size_t gptl_name_width(const char *name, bool quote);
void gptl_name_text(struct gptl_out *out, const char *name, bool quote);

/*
 * A JSON string. Bytes that are not UTF-8 stand as the four characters \xNN; the backslash of a
 * name that itself has \x stands as \x5c, so that the name can be had back exactly.
 */
void gptl_name_json(struct gptl_out *out, const char *name);

/* The same as gptl_name_json without any <, so that it can stand in a script element of HTML. */
void gptl_name_script(struct gptl_out *out, const char *name);

/*
 * What stands between the quotes of an XML attribute. XML cannot hold all characters: those that it
 * cannot stand as \xNN, each byte, as do bytes that are not UTF-8; \x5c as in JSON.
 */
void gptl_name_xml(struct gptl_out *out, const char *name);

/* The name of a kind (enum gptl_kind) of regions; NULL for the first two. And back; 0: unknown. */
const char *gptl_kind_name(uint32_t kind);
uint32_t gptl_kind_named(const char *name);

#endif
