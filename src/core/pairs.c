/* pairs.c - grammar of options; see pairs.h. */
#include "config.h"

#include "core/pairs.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/*
 * Copy up to a character of STOP outside of quotes, without trailing spaces outside of quotes; two
 * quotes in quotes mean one. Return the position of that character, or NULL if a quote is not
 * closed.
 */
static const char *copy_word(const char *p, const char *stop, char *word, size_t size)
{
    size_t n = 0, kept = 0;
    bool quoted = false;
    for (; *p && (quoted || !strchr(stop, *p)); p++) {
        if (*p == '"' && !(quoted && p[1] == '"')) {
            quoted = !quoted;
            kept = n;
            continue;
        }
        p += *p == '"';
        if (n + 1 < size)
            word[n++] = *p;
        if (quoted || !isspace((unsigned char)*p))
            kept = n;
    }
    word[kept] = '\0';
    return quoted ? NULL : p;
}

const char *gptl_pair_next(const char *text, struct gptl_pair *pair)
{
    while (isspace((unsigned char)*text) || *text == ';')
        text++;
    if (!*text)
        return NULL;
    memcpy(pair->value, "on", 3);
    const char *end = copy_word(text, "=;", pair->key, sizeof pair->key);
    if (end && *end == '=')
        end = copy_word(end + 1 + strspn(end + 1, " \t"), ";", pair->value, sizeof pair->value);
    pair->unclosed = end ? NULL : text;
    return end ? end : text + strlen(text);
}
