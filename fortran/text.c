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

int gptl_string_give(const struct gptl_string *s, const char *function, char *text, int length,
                     int rc)
{
    if (!s->text[0])
        return rc; /* the function has failed */
    size_t n = strlen(s->text), room = (size_t)length;
    memcpy(text, s->text, n < room ? n : room);
    if (n < room)
        memset(text + n, ' ', room - n);
    return n <= room
               ? rc
               : gptl_core_error(function, "\"%s\" has more than %d characters", s->text, length);
}

void gptl_string_free(struct gptl_string *s)
{
    if (s->text != s->space)
        free(s->text);
}
