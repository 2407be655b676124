/* name.c - region names as text, JSON and XML. */
#include "config.h"

#include "report/name.h"

#include <string.h>

#include "core/core.h"

/* Return the length of the UTF-8 character at S, within N bytes; 0 if it is invalid. */
static size_t utf8_length(const unsigned char *s, size_t n)
{
    static const unsigned char least[] = {0, 0, 0xc2, 0xe0, 0xf0, 0xf5};
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (length == 1)
        return 1;
    if (length > n || s[0] < least[length] || s[0] >= 0xf5)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    /* overlong forms, surrogates, and values beyond Unicode */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return length;
}

static bool is_control(const unsigned char *s, size_t length)
{
    return (length == 1 && (s[0] < 0x20 || s[0] == 0x7f)) ||
           (length == 2 && s[0] == 0xc2 && s[1] < 0xa0);
}

static void put_hex(struct gptl_out *out, const unsigned char *bytes, size_t n, const char *before)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        gptl_out_text(out, before);
        gptl_out_char(out, digits[bytes[i] >> 4]);
        gptl_out_char(out, digits[bytes[i] & 15]);
    }
}

/* Return whether the next LENGTH bytes of a name must be escaped in a text report. */
static bool next_text(const unsigned char *s, size_t n, bool quote, size_t *length)
{
    *length = utf8_length(s, n);
    if (*length == 0) {
        *length = 1;
        return true;
    }
    return is_control(s, *length) || (quote && (*s == '"' || *s == '\\'));
}

size_t gptl_name_character(const char *at, bool *plain)
{
    size_t length;
    *plain = !next_text((const unsigned char *)at, strnlen(at, 4), false, &length);
    return length;
}

size_t gptl_name_width(const char *name, bool quote)
{
    const unsigned char *s = (const unsigned char *)name;
    size_t n = strlen(name), width = quote ? 2 : 0;
    for (size_t length; n > 0; s += length, n -= length)
        width += next_text(s, n, quote, &length) ? 4 * length : 1;
    return width;
}

void gptl_name_text(struct gptl_out *out, const char *name, bool quote)
{
    const unsigned char *s = (const unsigned char *)name;
    if (quote)
        gptl_out_char(out, '"');
    size_t n = strlen(name);
    for (size_t length; n > 0; s += length, n -= length) {
        if (next_text(s, n, quote, &length))
            put_hex(out, s, length, "\\x");
        else
            gptl_out_bytes(out, (const char *)s, length);
    }
    if (quote)
        gptl_out_char(out, '"');
}

/* ---- JSON and XML ---------------------------------------------------------------------------- */

/* Print a character that needs escaping in this format; return its length in bytes. */
typedef size_t special_writer(struct gptl_out *out, const unsigned char *s, size_t n);

static void put_bytes(struct gptl_out *out, const char *bytes, size_t length, const bool *plain,
                      special_writer *put_special)
{
    const unsigned char *s = (const unsigned char *)bytes, *end = s + length;
    while (s < end) {
        const unsigned char *from = s;
        while (s < end && plain[*s])
            s++;
        gptl_out_bytes(out, (const char *)from, (size_t)(s - from));
        if (s < end)
            s += put_special(out, s, (size_t)(end - s));
    }
}

static size_t put_json_special(struct gptl_out *out, const unsigned char *s, size_t n)
{
    size_t length = utf8_length(s, n);
    if (length == 0) {
        put_hex(out, s, 1, "\\\\x");
        return 1;
    }
    if (*s == '\\' && n > 1 && s[1] == 'x')
        gptl_out_literal(out, "\\\\x5c");
    else if (*s == '\\' || *s == '"')
        gptl_out_format(out, "\\%c", *s);
    else if (length == 1)
        put_hex(out, s, 1, "\\u00");
    else
        gptl_out_bytes(out, (const char *)s, length);
    return length;
}

void gptl_name_json(struct gptl_out *out, const char *name)
{
    static const bool plain[256] = {
        [' ' ... '!'] = true, ['#' ... '['] = true, [']' ... '~'] = true};
    gptl_out_char(out, '"');
    put_bytes(out, name, strlen(name), plain, put_json_special);
    gptl_out_char(out, '"');
}

void gptl_name_script(struct gptl_out *out, const char *name)
{
    static const bool plain[256] = {
        [' ' ... '!'] = true, ['#' ... ';'] = true, ['=' ... '['] = true, [']' ... '~'] = true};
    gptl_out_char(out, '"');
    put_bytes(out, name, strlen(name), plain, put_json_special);
    gptl_out_char(out, '"');
}

/* Return the entity for the byte S, or NULL if it needs none. */
static const char *xml_entity(unsigned char s)
{
    switch (s) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\t': /* a parser would convert these three to blanks */
        return "&#9;";
    case '\n':
        return "&#10;";
    case '\r':
        return "&#13;";
    default:
        return NULL;
    }
}

/*
 * Return whether XML cannot represent the character: most control characters, U+FFFE and U+FFFF
 * cannot appear, not even as references.
 */
static bool is_beyond_xml(const unsigned char *s, size_t length)
{
    return (length == 1 && *s < 0x20) ||
           (length == 3 && s[0] == 0xef && s[1] == 0xbf && s[2] >= 0xbe);
}

static size_t put_xml_special(struct gptl_out *out, const unsigned char *s, size_t n)
{
    size_t length = utf8_length(s, n);
    const char *entity = xml_entity(*s);
    if (length == 0)
        put_hex(out, s, length = 1, "\\x");
    else if (entity)
        gptl_out_text(out, entity);
    else if (is_beyond_xml(s, length) || (*s == '\\' && n > 1 && s[1] == 'x'))
        put_hex(out, s, length, "\\x");
    else
        gptl_out_bytes(out, (const char *)s, length);
    return length;
}

void gptl_name_xml(struct gptl_out *out, const char *name)
{
    static const bool plain[256] = {[' ' ... '!'] = true,  ['#' ... '%'] = true,
                                    ['\'' ... ';'] = true, ['='] = true,
                                    ['?' ... '['] = true,  [']' ... '~'] = true};
    put_bytes(out, name, strlen(name), plain, put_xml_special);
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

static const char *const kind_names[GPTL_NKINDS] = {
    [GPTL_KIND_MPI] = "mpi", [GPTL_KIND_IO] = "io", [GPTL_KIND_FOLDED] = "folded"};

const char *gptl_kind_name(uint32_t kind)
{
    return kind < GPTL_NKINDS ? kind_names[kind] : NULL;
}

uint32_t gptl_kind_named(const char *name)
{
    for (uint32_t kind = 0; kind < GPTL_NKINDS; kind++)
        if (kind_names[kind] && strcmp(kind_names[kind], name) == 0)
            return kind;
    return GPTL_KIND_USER;
}
