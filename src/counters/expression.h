/*
 * expression.h - definition of a derived event: an expression of other events, wall-clock seconds
 * and numbers, evaluated on totals at print time. Reports and tools use this parser too.
 *
 * sum = term { ("+" | "-") term }
 *  term = factor { ("*" | "/") factor }
 *  factor = number | name | "wall" | "(" sum ")" | "-" factor
 *
 * A name starts with a letter or _ and continues with letters, digits, _ : . and =. After a ::, a -
 * before a letter or digit belongs to the name, as in perf::PAGE-FAULTS; write blanks around a - to
 * subtract. Any other name must be in single quotes.
 */
#ifndef GPTL_COUNTERS_EXPRESSION_H
#define GPTL_COUNTERS_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GPTL_EXPRESSION_STEPS = 256 };

/* An expression in reverse Polish notation. */
struct gptl_expression {
    uint32_t nsteps;
    struct gptl_step {
        char what; /* one of + - * / or: n number, w wall, v value, ~ unary minus */
        uint32_t index;
        double number;
    } step[GPTL_EXPRESSION_STEPS];
};

/* Return the index of the name, or -1 with the reason in WHY. */
typedef long gptl_name_finder(void *arg, const char *name, size_t length, char *why,
                              size_t whysize);

/*
 * Parse TEXT up to its end or, if END is given, up to a comma, and set *END to that position.
 * Return false on a syntax error, with a description and its column in WHY.
 */
bool gptl_expression_read(struct gptl_expression *out, const char *text, const char **end,
                          gptl_name_finder *find, void *arg, char *why, size_t whysize);

/*
 * Return the value, or NaN if it is undefined. VALUE is indexed by the results of the finder;
 * INT64_MAX marks a saturated sum, from which nothing is derived.
 */
double gptl_expression_value(const struct gptl_expression *expression, const int64_t *value,
                             double wall);

#endif
