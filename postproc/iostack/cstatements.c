/* cstatements.c - calls in C, and the statements that contain them. */
#include "config.h"

#include "postproc/iostack/cstatements.h"

#include <stdint.h>

static bool is_declared_here(const struct ctokens *c, size_t before)
{
    static const char *const words[] = {"return", "else", "do", "case", "goto", "sizeof"};
    if (before == SIZE_MAX || c->tokens[before].kind != TOKEN_WORD)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (ctokens_is(c, before, words[i]))
            return false;
    return true;
}

bool statement_has_call(const struct ctokens *c, size_t i, const char *name)
{
    if (c->tokens[i].kind != TOKEN_WORD || !ctokens_is(c, i, name))
        return false;
    size_t open = ctokens_next(c, i), before = ctokens_before(c, i);
    return ctokens_is(c, open, "(") && c->tokens[open].other != SIZE_MAX &&
           !ctokens_is(c, before, ".") && !ctokens_is(c, before, "->") &&
           !is_declared_here(c, before);
}

/* Return whether CLOSE is the ) of `if (...)` or similar, so that a body follows. */
static bool ends_condition(const struct ctokens *c, size_t close)
{
    static const char *const words[] = {"if", "while", "for", "switch"};
    size_t open = c->tokens[close].other;
    size_t word = open == SIZE_MAX ? SIZE_MAX : ctokens_before(c, open);
    for (size_t i = 0; i < sizeof words / sizeof words[0] && word != SIZE_MAX; i++)
        if (ctokens_is(c, word, words[i]))
            return true;
    return false;
}

/* Return whether COLON ends a label, rather than belonging to ?:. */
static bool ends_label(const struct ctokens *c, size_t colon)
{
    for (size_t i = ctokens_before(c, colon); i != SIZE_MAX; i = ctokens_before(c, i)) {
        if (ctokens_is(c, i, "?"))
            return false;
        if (ctokens_is(c, i, ";") || ctokens_is(c, i, "{") || ctokens_is(c, i, "}") ||
            ctokens_is(c, i, "case") || ctokens_is(c, i, ":"))
            return true;
        if (c->tokens[i].other < i)
            i = c->tokens[i].other;
    }
    return true;
}

/* Return whether TOKEN is in parentheses, as in the head of a loop. */
static bool in_parentheses(const struct ctokens *c, size_t token)
{
    while ((token = ctokens_before(c, token)) != SIZE_MAX && !ctokens_is(c, token, "{")) {
        if (ctokens_is(c, token, "(") || ctokens_is(c, token, "["))
            return true;
        if (c->tokens[token].other < token)
            token = c->tokens[token].other;
    }
    return false;
}

/*
 * Return the first token of the statement that contains TOKEN; BODY: it is a body without braces.
 */
size_t statement_begin(const struct ctokens *c, size_t token, bool *body)
{
    *body = false;
    for (;;) {
        size_t before = ctokens_before(c, token);
        if (before == SIZE_MAX || ctokens_is(c, before, ";") || ctokens_is(c, before, "{") ||
            ctokens_is(c, before, "}") || (ctokens_is(c, before, ":") && ends_label(c, before)))
            return token;
        if (ctokens_is(c, before, "else") || ctokens_is(c, before, "do") ||
            (ctokens_is(c, before, ")") && ends_condition(c, before))) {
            *body = true;
            return token;
        }
        if (c->tokens[before].other < before) /* skip bracketed tokens */
            before = c->tokens[before].other;
        token = before;
    }
}

/* Return the statement's ;, or SIZE_MAX if it ends otherwise. */
size_t statement_end(const struct ctokens *c, size_t token)
{
    for (; token != SIZE_MAX; token = ctokens_next(c, token)) {
        if (ctokens_is(c, token, ";"))
            return token;
        if (ctokens_is(c, token, "}"))
            return SIZE_MAX;
        if (c->tokens[token].other != SIZE_MAX && c->tokens[token].other > token)
            token = c->tokens[token].other;
    }
    return SIZE_MAX;
}

/*
 * Return whether the statement is only the call, with its value ignored or stored: the ; follows
 * immediately.
 */
bool statement_is_call(const struct ctokens *c, size_t first, size_t call, size_t close)
{
    if (!ctokens_is(c, ctokens_next(c, close), ";") || ctokens_is(c, first, "return") ||
        in_parentheses(c, call))
        return false;
    unsigned words = 0;
    for (size_t i = first; i != call && i != SIZE_MAX; i = ctokens_next(c, i)) {
        bool in_brackets = c->tokens[i].other != SIZE_MAX && c->tokens[i].other > i;
        if (in_brackets && c->tokens[i].other > call)
            return false; /* an argument, or in parentheses */
        if (ctokens_is(c, i, "=") && words > 1)
            return false; /* a declaration */
        if (ctokens_is(c, i, "?") || ctokens_is(c, i, ",") || ctokens_is(c, i, "&") ||
            ctokens_is(c, i, "|"))
            return false;
        words += c->tokens[i].kind == TOKEN_WORD &&
                 (i == first || !(ctokens_is(c, ctokens_before(c, i), ".") ||
                                  ctokens_is(c, ctokens_before(c, i), "->")));
        if (in_brackets)
            i = c->tokens[i].other;
    }
    return true;
}
