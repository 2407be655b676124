/* expression.c - parses and evaluates the expressions of derived events. */
#include "config.h"

#include "counters/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 }; /* nested parentheses and signs */

struct parser {
    struct gptl_expression *out;
    const char *text, *at;
    bool to_comma;
    int depth;
    gptl_name_finder *find;
    void *arg;
    char *why;
    size_t whysize;
};

static bool sum(struct parser *p);

/* ---- Parsing --------------------------------------------------------------------------------- */

static bool wrong(struct parser *p, const char *at, const char *what)
{
    snprintf(p->why, p->whysize, "column %zu of \"%.200s\": %s", (size_t)(at - p->text) + 1,
             p->text, what);
    return false;
}

static char next(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
    return *p->at == ',' && p->to_comma ? '\0' : *p->at;
}

static bool put(struct parser *p, struct gptl_step step)
{
    if (p->out->nsteps == GPTL_EXPRESSION_STEPS)
        return wrong(p, p->at, "it is too long");
    p->out->step[p->out->nsteps++] = step;
    return true;
}

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static size_t name_length(const char *name)
{
    bool native = false;
    size_t n = 0;
    for (;; n++) {
        char c = name[n], after = c ? name[n + 1] : '\0';
        native |= c == ':' && after == ':';
        bool minus = c == '-' && native && (isalnum((unsigned char)after) || after == '_');
        if (!minus && !is_letter(c) && !isdigit((unsigned char)c) && (!c || !strchr(":.=", c)))
            return n;
    }
}

static bool name(struct parser *p, const char *begin, size_t length)
{
    char why[256];
    if (length == 4 && strncmp(begin, "wall", 4) == 0)
        return put(p, (struct gptl_step){.what = 'w'});
    long index = p->find(p->arg, begin, length, why, sizeof why);
    if (index < 0)
        return wrong(p, begin, why);
    return put(p, (struct gptl_step){.what = 'v', .index = (uint32_t)index});
}

static bool quoted(struct parser *p)
{
    const char *begin = p->at + 1, *end = strchr(begin, '\'');
    if (!end)
        return wrong(p, p->at, "the quote is not closed");
    p->at = end + 1;
    return end > begin ? name(p, begin, (size_t)(end - begin))
                       : wrong(p, begin, "there is no name between the quotes");
}

/*
 * Parse a number. strtod would depend on the program's locale. The result is correctly rounded for
 * up to 15 digits.
 */
static bool number(struct parser *p)
{
    const char *at = p->at;
    double digits = 0, scale = 1;
    bool any = false, point = false;
    for (; isdigit((unsigned char)*at) || (*at == '.' && !point); at++) {
        point |= *at == '.';
        if (*at == '.')
            continue;
        any = true;
        digits = 10 * digits + (*at - '0');
        scale *= point ? 10 : 1;
    }
    long exponent = 0;
    char after = at[0] && (at[1] == '-' || at[1] == '+') ? at[2] : at[0] ? at[1] : '\0';
    if ((*at == 'e' || *at == 'E') && isdigit((unsigned char)after)) {
        char *end;
        exponent = strtol(at + 1, &end, 10);
        at = end;
    }
    if (exponent > 999 || exponent < -999)
        exponent = 999;
    double power = 1;
    for (long i = labs(exponent); i > 0; i--)
        power *= 10;
    double value = exponent < 0 ? digits / (scale * power) : digits / scale * power;
    if (!any || !isfinite(value))
        return wrong(p, p->at, "this is no number that can be used");
    p->at = at;
    return put(p, (struct gptl_step){.what = 'n', .number = value});
}

static bool factor(struct parser *p)
{
    char c = next(p);
    const char *begin = p->at;
    if (isdigit((unsigned char)c) || c == '.')
        return number(p);
    if (is_letter(c)) {
        size_t length = name_length(begin);
        p->at += length;
        return name(p, begin, length);
    }
    if (c == '\'')
        return quoted(p);
    if ((c != '(' && c != '-') || p->depth == DEEPEST)
        return wrong(p, begin,
                     p->depth == DEEPEST ? "this is too deep"
                     : c ? "here a number, the name of an event, wall, or ( should stand"
                         : "something is missing here: a number, the name of an event, wall, or (");
    p->at++;
    p->depth++;
    bool right = c == '-' ? factor(p) && put(p, (struct gptl_step){.what = '~'}) : sum(p);
    p->depth--;
    if (!right || c == '-')
        return right;
    if (next(p) != ')')
        return wrong(p, p->at, "a ) is missing here");
    p->at++;
    return true;
}

static bool term(struct parser *p)
{
    if (!factor(p))
        return false;
    for (char c = next(p); c == '*' || c == '/'; c = next(p)) {
        p->at++;
        if (!factor(p) || !put(p, (struct gptl_step){.what = c}))
            return false;
    }
    return true;
}

static bool sum(struct parser *p)
{
    if (!term(p))
        return false;
    for (char c = next(p); c == '+' || c == '-'; c = next(p)) {
        p->at++;
        if (!term(p) || !put(p, (struct gptl_step){.what = c}))
            return false;
    }
    return true;
}

bool gptl_expression_read(struct gptl_expression *out, const char *text, const char **end,
                          gptl_name_finder *find, void *arg, char *why, size_t whysize)
{
    struct parser p = {out, text, text, end != NULL, 0, find, arg, why, whysize};
    out->nsteps = 0;
    if (!sum(&p))
        return false;
    if (next(&p))
        return wrong(&p, p.at, "an operator (+ - * /) should stand here");
    if (end)
        *end = p.at;
    return true;
}

/* ---- Evaluation ------------------------------------------------------------------------------ */

static double apply(char what, double a, double b)
{
    switch (what) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    default:
        return b != 0 ? a / b : NAN;
    }
}

double gptl_expression_value(const struct gptl_expression *expression, const int64_t *value,
                             double wall)
{
    double stack[GPTL_EXPRESSION_STEPS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < expression->nsteps; i++) {
        const struct gptl_step *step = &expression->step[i];
        switch (step->what) {
        case 'n':
            stack[n++] = step->number;
            break;
        case 'w':
            stack[n++] = wall;
            break;
        case 'v':
            stack[n++] = value[step->index] < INT64_MAX ? (double)value[step->index] : NAN;
            break;
        case '~':
            stack[n - 1] = -stack[n - 1];
            break;
        default:
            stack[n - 2] = apply(step->what, stack[n - 2], stack[n - 1]);
            n--;
        }
    }
    return n == 1 && isfinite(stack[0]) ? stack[0] : NAN;
}
