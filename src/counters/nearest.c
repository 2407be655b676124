/* nearest.c - finds the event names with the smallest edit distance to an unknown name. */
#include "config.h"

#include "counters/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "counters/papi.h"

enum { NEAREST = 3, LONGEST = 127 };

struct search {
    const char *name;
    int most; /* largest accepted edit distance */
    struct {
        int changes;
        char name[LONGEST + 1];
    } best[NEAREST];
};

/* Return the edit distance from A to B, ignoring case. */
static int changes(const char *a, const char *b)
{
    int row[LONGEST + 1];
    int n = (int)strnlen(b, LONGEST);
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 1; a[i - 1] && i <= LONGEST; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            int least = diagonal + !same;
            least = row[j] + 1 < least ? row[j] + 1 : least;
            least = row[j - 1] + 1 < least ? row[j - 1] + 1 : least;
            diagonal = row[j];
            row[j] = least;
        }
    }
    return row[n];
}

static bool see(void *arg, const char *name)
{
    struct search *s = arg;
    if (strlen(name) > LONGEST)
        return true;
    /* A name without its prefix counts as similar: TOT_INS, PAGE-FAULTS. */
    int n = changes(s->name, name);
    if (strlen(s->name) >= 4 && strcasestr(name, s->name))
        n = 1;
    for (int i = 0; i < NEAREST && n <= s->most; i++) {
        if (n >= s->best[i].changes)
            continue;
        memmove(&s->best[i + 1], &s->best[i], (size_t)(NEAREST - 1 - i) * sizeof *s->best);
        s->best[i].changes = n;
        snprintf(s->best[i].name, sizeof s->best[i].name, "%s", name);
        break;
    }
    return true;
}

bool gptl_nearest_names(const char *name, char *out, size_t size)
{
    struct search s = {.name = name, .most = (int)strnlen(name, LONGEST) / 3};
    for (int i = 0; i < NEAREST; i++)
        s.best[i].changes = LONGEST + 1;
    gptl_papi_each_name(see, &s);
    size_t n = 0;
    out[0] = '\0';
    for (int i = 0; i < NEAREST && s.best[i].name[0] && n < size; i++) {
        bool last = i + 1 == NEAREST || !s.best[i + 1].name[0];
        n += (size_t)snprintf(out + n, size - n, "%s%s",
                              i == 0 ? ""
                              : last ? " or "
                                     : ", ",
                              s.best[i].name);
    }
    return n > 0;
}
