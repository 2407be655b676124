/*
 * expression.h - what a derived event is: an expression of other events, wall-clock seconds and
 * numbers, computed from sums when it is printed. Reports and tools use this too.
 *
 *     sum    = term { ("+" | "-") term }
 *     term   = factor { ("*" | "/") factor }
 *     factor = number | name | "wall" | "(" sum ")" | "-" factor
 *
 * A name begins with a letter or _ and goes on with letters, digits, _ : . and =. Once it has a ::,
 * a - before a letter or digit is part of it, as in perf::PAGE-FAULTS: subtract with blanks around
 * the -. Any other name stands between single quotes.
 */
#ifndef GPTL_COUNTERS_EXPRESSION_H
#define GPTL_COUNTERS_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GPTL_EXPRESSION_STEPS = 256 };

/* In reverse Polish notation. */
struct gptl_expression {
    uint32_t nsteps;
    struct gptl_step {
        char what; /* one of + - * / or: n number, w wall, v value, ~ minus sign */
        uint32_t index;
        double number;
    } step[GPTL_EXPRESSION_STEPS];
};

/* Where a name was found, or -1 with what is wrong in WHY. */
typedef long gptl_name_finder(void *arg, const char *name, size_t length, char *why,
                              size_t whysize);

/*
 * Reads TEXT up to its end or, if END is given, up to a comma, where *END points then. Returns true;
 * false when it makes no sense, and WHY tells what and in which column.
 */
bool gptl_expression_read(struct gptl_expression *out, const char *text, const char **end,
                          gptl_name_finder *find, void *arg, char *why, size_t whysize);

/*
 * The value, NaN where there is none. VALUE has those that the finder's answers are indexes of; INT64_MAX is a
 * sum that has no room, of which nothing is derived.
 */
double gptl_expression_value(const struct gptl_expression *expression, const int64_t *value,
                             double wall);

#endif
