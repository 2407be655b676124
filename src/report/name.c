/* name.c - region names as text and as JSON. */
#include "config.h"

#include "report/name.h"

#include <string.h>

/* The length of the UTF-8 character at S, within N bytes; 0 when there is none. */
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
    /* Overlong forms, surrogates, and what lies beyond Unicode. */
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

/* What comes next of a name in a text report: LENGTH bytes, escaped or as they are. */
static bool next_text(const unsigned char *s, size_t n, bool quote, size_t *length)
{
    *length = utf8_length(s, n);
    if (*length == 0) {
        *length = 1;
        return true;
    }
    return is_control(s, *length) || (quote && (*s == '"' || *s == '\\'));
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

/* One character that JSON does not take as it is; returns its length in bytes. */
static size_t put_special(struct gptl_out *out, const unsigned char *s, size_t n)
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

void gptl_name_json_bytes(struct gptl_out *out, const char *bytes, size_t length)
{
    const unsigned char *s = (const unsigned char *)bytes, *end = s + length;
    gptl_out_char(out, '"');
    while (s < end) {
        const unsigned char *plain = s;
        while (s < end && *s >= 0x20 && *s < 0x7f && *s != '"' && *s != '\\')
            s++;
        gptl_out_bytes(out, (const char *)plain, (size_t)(s - plain));
        if (s < end)
            s += put_special(out, s, (size_t)(end - s));
    }
    gptl_out_char(out, '"');
}

void gptl_name_json(struct gptl_out *out, const char *name)
{
    gptl_name_json_bytes(out, name, strlen(name));
}
