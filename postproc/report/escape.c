/* escape.c - region names in formats with special characters. */
#include "config.h"

#include "postproc/report/escape.h"

#include <stdbool.h>
#include <string.h>

#include "report/name.h"

static void put_hex(const struct escape *escape, const char *bytes, size_t n, escape_sink *put,
                    void *to)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        char hex[3] = {'x', digits[byte >> 4], digits[byte & 15]};
        put(to, escape->backslash, strlen(escape->backslash));
        put(to, hex, sizeof hex);
    }
}

/* Write a character that needs an escape, and return its length; 0: it needs none. */
static size_t put_special(const struct escape *escape, const char *at, escape_sink *put, void *to)
{
    bool plain;
    size_t length = gptl_name_character(at, &plain);
    if (!plain || (at[0] == '\\' && at[1] == 'x')) {
        put_hex(escape, at, length, put, to);
        return length;
    }
    const char *instead = (unsigned char)*at < 128 ? escape->instead[(unsigned char)*at] : NULL;
    if (!instead)
        return 0;
    put(to, instead, strlen(instead));
    return length;
}

void escape_pieces(const struct escape *escape, const char *name, escape_sink *put, void *to)
{
    const char *from = name, *at = name;
    while (*at) {
        /* Fast path: letters, digits and most other characters. */
        if (*at >= ' ' && *at < 127 && *at != '\\' && !escape->instead[(int)*at]) {
            at++;
            continue;
        }
        put(to, from, (size_t)(at - from));
        from = at;
        size_t special = put_special(escape, at, put, to);
        bool plain;
        at += special ? special : gptl_name_character(at, &plain);
        if (special)
            from = at;
    }
    put(to, from, (size_t)(at - from));
}

static void put_out(void *to, const char *bytes, size_t size)
{
    gptl_out_bytes(to, bytes, size);
}

void escape_put(struct gptl_out *out, const struct escape *escape, const char *name)
{
    escape_pieces(escape, name, put_out, out);
}
