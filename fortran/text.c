#include "config.h"

#include "fortran/text.h"

#include <stdlib.h>
#include <string.h>

#include "core/core.h"

static int reserve(struct gptl_string *s, const char *function, int length)
{
    size_t size = (size_t)length + 1;
    s->text = length < 0 ? NULL : size <= sizeof s->space ? s->space : malloc(size);
    if (!s->text)
        return gptl_core_error(function, "no memory for a string of %d characters", length);
    s->size = (int)size;
    s->text[0] = '\0';
    return 0;
}

int gptl_string_take(struct gptl_string *s, const char *function, const char *text, int length)
{
    int n = length < 0 ? length : (int)strnlen(text, (size_t)length);
    while (n > 0 && text[n - 1] == ' ')
        n--;
    if (reserve(s, function, n))
        return -1;
    memcpy(s->text, text, (size_t)n);
    s->text[n] = '\0';
    return 0;
}

int gptl_string_make(struct gptl_string *s, const char *function, int length)
{
    return reserve(s, function, length);
}

void gptl_string_give(const struct gptl_string *s, char *text, int length)
{
    if (!s->text || !s->text[0])
        return; /* there was an error */
    size_t n = strnlen(s->text, (size_t)length);
    memcpy(text, s->text, n);
    memset(text + n, ' ', (size_t)length - n);
}

void gptl_string_free(struct gptl_string *s)
{
    if (s->text != s->space)
        free(s->text);
}
