/* value.c - values of options as text: printed, parsed, and listed. */
#include "config.h"

#include "core/value.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"

/*
 * Return the words for the values of an option, from its least value on; NULL for an option without
 * words.
 */
static const char *const *words_of(const struct gptl_value_row *row)
{
    static const char *const methods[] = {"first_parent", "last_parent", "most_frequent",
                                          "full_tree"};
    static const char *const layouts[] = {"auto", "gptl", "gptl8", "cesm"};
    static const char *const abis[] = {"auto", "gptl8", "cesm"};
    static const char *const calls[] = {"off", "calls", "all"};
    switch (row->type) {
    case GPTL_VALUE_METHOD:
        return methods;
    case GPTL_VALUE_LAYOUT:
        return layouts;
    case GPTL_VALUE_ABI:
        return abis;
    case GPTL_VALUE_CALLS:
        return calls;
    default:
        return NULL;
    }
}

void gptl_value_text(const struct gptl_value_row *row, long long value, char *text, size_t size)
{
    const struct gptl_clock *clock;
    switch (row->type) {
    case GPTL_VALUE_BOOL:
        snprintf(text, size, "%s", value ? "on" : "off");
        break;
    case GPTL_VALUE_METHOD:
    case GPTL_VALUE_LAYOUT:
    case GPTL_VALUE_ABI:
    case GPTL_VALUE_CALLS:
        snprintf(text, size, "%s", words_of(row)[value - row->least]);
        break;
    case GPTL_VALUE_CLOCK:
        clock = value ? gptl_clock_by_number((int)value) : NULL;
        snprintf(text, size, "%s", clock ? clock->name : "best");
        break;
    default:
        if (value == INT_MAX && row->initial == INT_MAX)
            snprintf(text, size, "none");
        else
            snprintf(text, size, "%lld", value);
    }
}

static bool is_word(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcasecmp(text, *words) == 0)
            return true;
    return false;
}

static bool parse_bool(const char *text, long long *value)
{
    static const char *const yes[] = {"1", "on", "yes", "true", ".true.", NULL};
    static const char *const no[] = {"0", "off", "no", "false", ".false.", NULL};
    *value = is_word(text, yes);
    return *value || is_word(text, no);
}

static bool parse_number(const char *text, enum gptl_value_type type, long long *value)
{
    char *end;
    *value = strtoll(text, &end, 10);
    if (end == text)
        return false;
    if (type == GPTL_VALUE_BYTES && *end) {
        const char *units = "kmg", *unit = strchr(units, tolower((unsigned char)*end));
        if (!unit || *value < 0 || *value > LLONG_MAX >> 30)
            return false;
        *value <<= 10 * (unit - units + 1);
        end++;
    }
    return *end == '\0';
}

static bool parse_word(const struct gptl_value_row *row, const char *text, long long *value)
{
    const char *const *words = words_of(row);
    for (long long i = row->least; i <= row->most; i++)
        if (strcasecmp(text, words[i - row->least]) == 0) {
            *value = i;
            return true;
        }
    return false;
}

bool gptl_value_parse(const struct gptl_value_row *row, const char *text, long long *value)
{
    switch (row->type) {
    case GPTL_VALUE_BOOL:
        return parse_bool(text, value);
    case GPTL_VALUE_METHOD:
    case GPTL_VALUE_LAYOUT:
    case GPTL_VALUE_ABI:
    case GPTL_VALUE_CALLS:
        return parse_word(row, text, value);
    case GPTL_VALUE_CLOCK: {
        const struct gptl_clock *clock = gptl_clock_by_name(text);
        *value = clock ? clock->number : 0;
        return clock || strcmp(text, "best") == 0;
    }
    default:
        if (row->initial == INT_MAX && strcasecmp(text, "none") == 0) {
            *value = INT_MAX;
            return true;
        }
        return parse_number(text, row->type, value) && *value >= row->least && *value <= row->most;
    }
}

void gptl_value_allowed(const struct gptl_value_row *row, char *text, size_t size)
{
    int n = 0;
    switch (row->type) {
    case GPTL_VALUE_BOOL:
        snprintf(text, size, "on or off");
        break;
    case GPTL_VALUE_METHOD:
    case GPTL_VALUE_LAYOUT:
    case GPTL_VALUE_ABI:
    case GPTL_VALUE_CALLS:
        for (long long i = row->least; i <= row->most && n < (int)size; i++)
            n += snprintf(text + n, size - (size_t)n, "%s%s",
                          i == row->least ? "" : (i == row->most ? " or " : ", "),
                          words_of(row)[i - row->least]);
        break;
    case GPTL_VALUE_CLOCK:
        n = snprintf(text, size, "best");
        for (int i = 0; gptl_clock_at(i) && n < (int)size; i++)
            n += snprintf(text + n, size - (size_t)n, ", %s", gptl_clock_at(i)->name);
        break;
    default:
        snprintf(text, size, "a number from %lld to %lld%s", row->least, row->most,
                 row->type == GPTL_VALUE_BYTES ? ", with K, M or G behind it if you like" : "");
    }
}
