/* value.h - values of options as text. */
#ifndef GPTL_CORE_VALUE_H
#define GPTL_CORE_VALUE_H

#include <stdbool.h>
#include <stddef.h>

/* The types of options.def. */
enum gptl_value_type {
    GPTL_VALUE_BOOL,
    GPTL_VALUE_INT,
    GPTL_VALUE_BYTES,
    GPTL_VALUE_CLOCK,
    GPTL_VALUE_METHOD,
    GPTL_VALUE_LAYOUT,
    GPTL_VALUE_ABI,
    GPTL_VALUE_CALLS
};

/* A row of options.def. */
struct gptl_value_row {
    int number;
    const char *key;
    enum gptl_value_type type;
    long long initial, least, most;
    const char *doc;
};

void gptl_value_text(const struct gptl_value_row *row, long long value, char *text, size_t size);
/* Parse TEXT. Return false if it is not a value of this option. */
bool gptl_value_parse(const struct gptl_value_row *row, const char *text, long long *value);
/* Describe the valid values, for a message. */
void gptl_value_allowed(const struct gptl_value_row *row, char *text, size_t size);

#endif
