/* ctokens.c - splits a source file into tokens of C, and finds its functions. */
#include "config.h"

#include "postproc/iostack/ctokens.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"

struct reader {
    struct ctokens *c;
    const char *at, *end;
    unsigned line;
    bool at_line_begin; /* only white space so far */
};

static void add(struct reader *r, enum token_kind kind, const char *begin, unsigned line)
{
    struct ctokens *c = r->c;
    c->tokens = memory_room(c->tokens, &c->room, c->n + 1, sizeof *c->tokens);
    c->tokens[c->n++] = (struct token){.kind = kind,
                                       .at = (size_t)(begin - c->text),
                                       .size = (size_t)(r->at - begin),
                                       .line = line,
                                       .other = SIZE_MAX};
}

/* ---- Tokens -------------------------------------------------------------------------------- */

static void step(struct reader *r)
{
    r->line += *r->at++ == '\n';
}

static bool looking_at(const struct reader *r, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(r->end - r->at) >= n && memcmp(r->at, text, n) == 0;
}

static void skip_comment(struct reader *r)
{
    bool is_line = r->at[1] == '/';
    r->at += 2;
    while (r->at < r->end) {
        if (is_line && *r->at == '\n' && r->at[-1] != '\\')
            return;
        if (!is_line && looking_at(r, "*/")) {
            r->at += 2;
            return;
        }
        step(r);
    }
}

static bool at_comment(const struct reader *r)
{
    return looking_at(r, "/*") || looking_at(r, "//");
}

/* Skip a string or character constant; it ends at the latest with its line. */
static void skip_quoted(struct reader *r)
{
    char quote = *r->at++;
    while (r->at < r->end && *r->at != quote && *r->at != '\n') {
        if (*r->at == '\\' && r->at + 1 < r->end)
            step(r);
        step(r);
    }
    if (r->at < r->end && *r->at == quote)
        r->at++;
}

/* Skip a directive with its continuation lines; a comment in it may span several lines. */
static void skip_directive(struct reader *r)
{
    while (r->at < r->end && *r->at != '\n') {
        if (*r->at == '\\' && r->at + 1 < r->end) {
            step(r);
            if (r->at < r->end && *r->at == '\r')
                step(r);
            step(r);
        } else if (at_comment(r))
            skip_comment(r);
        else if (*r->at == '"')
            skip_quoted(r);
        else
            step(r);
    }
}

/* Skip from a line of %% to the next one. */
static void skip_table(struct reader *r)
{
    int marks = 0;
    while (r->at < r->end && marks < 2) {
        marks += looking_at(r, "%%");
        while (r->at < r->end && *r->at != '\n')
            r->at++;
        if (marks < 2 && r->at < r->end)
            step(r);
    }
}

static void read_token(struct reader *r)
{
    const char *begin = r->at;
    unsigned line = r->line;
    unsigned char c = (unsigned char)*r->at;
    enum token_kind kind = TOKEN_MARK;
    if (r->at_line_begin && c == '#') {
        kind = TOKEN_DIRECTIVE;
        skip_directive(r);
    } else if (r->at_line_begin && looking_at(r, "%%") &&
               (r->at == r->c->text || r->at[-1] == '\n')) {
        kind = TOKEN_TABLE;
        skip_table(r);
    } else if (c == '"' || c == '\'') {
        kind = TOKEN_TEXT;
        skip_quoted(r);
    } else if (isalpha(c) || c == '_' || c == '$' || c >= 128) {
        kind = TOKEN_WORD;
        while (r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '_' ||
                                  *r->at == '$' || (unsigned char)*r->at >= 128))
            r->at++;
    } else if (isdigit(c)) {
        kind = TOKEN_NUMBER;
        while (r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '.'))
            r->at++;
    } else if (looking_at(r, "->"))
        r->at += 2;
    else
        r->at++;
    add(r, kind, begin, line);
    r->at_line_begin = false;
}

static void read_tokens(struct reader *r)
{
    while (r->at < r->end) {
        if (*r->at == '\n') {
            step(r);
            r->at_line_begin = true;
        } else if (isspace((unsigned char)*r->at) || *r->at == '\0')
            r->at++;
        else if (*r->at == '\\' && r->at + 1 < r->end && r->at[1] == '\n') {
            r->at++;
            step(r);
        } else if (at_comment(r))
            skip_comment(r);
        else
            read_token(r);
    }
}

bool ctokens_is(const struct ctokens *c, size_t token, const char *text)
{
    if (token >= c->n)
        return false;
    const struct token *t = &c->tokens[token];
    return t->kind != TOKEN_TEXT && t->size == strlen(text) &&
           memcmp(c->text + t->at, text, t->size) == 0;
}

static bool is_code(const struct ctokens *c, size_t token)
{
    return c->tokens[token].kind != TOKEN_DIRECTIVE && c->tokens[token].kind != TOKEN_TABLE;
}

size_t ctokens_next(const struct ctokens *c, size_t token)
{
    for (token++; token < c->n; token++)
        if (is_code(c, token))
            return token;
    return SIZE_MAX;
}

size_t ctokens_before(const struct ctokens *c, size_t token)
{
    while (token-- > 0)
        if (is_code(c, token))
            return token;
    return SIZE_MAX;
}

/* ---- Brackets ------------------------------------------------------------------------------ */

/* Brackets open at an #if: each #else restarts from there. */
struct opened {
    size_t *tokens;
    size_t n, room;
};

struct branches {
    struct {
        size_t n; /* number of open brackets */
    } * at_if;
    size_t n, room;
};

static bool directive_is(const struct ctokens *c, const struct token *t, const char *word)
{
    const char *at = c->text + t->at + 1;
    while (*at == ' ' || *at == '\t')
        at++;
    return strncmp(at, word, strlen(word)) == 0;
}

/* Undo the braces of a branch before the next branch. */
static void take_directive(const struct ctokens *c, const struct token *t, struct opened *open,
                           struct opened *copies, struct branches *branches)
{
    if (directive_is(c, t, "if")) {
        branches->at_if =
            memory_room(branches->at_if, &branches->room, branches->n + 1, sizeof *branches->at_if);
        branches->at_if[branches->n++].n = open->n;
        copies->tokens =
            memory_room(copies->tokens, &copies->room, copies->n + open->n, sizeof(size_t));
        if (open->n)
            memcpy(copies->tokens + copies->n, open->tokens, open->n * sizeof(size_t));
        copies->n += open->n;
    } else if (branches->n > 0 && directive_is(c, t, "el")) {
        size_t n = branches->at_if[branches->n - 1].n;
        open->tokens = memory_room(open->tokens, &open->room, n, sizeof(size_t));
        if (n)
            memcpy(open->tokens, copies->tokens + copies->n - n, n * sizeof(size_t));
        open->n = n;
    } else if (branches->n > 0 && directive_is(c, t, "endif"))
        copies->n -= branches->at_if[--branches->n].n;
}

static int braces_in(const struct ctokens *c, const struct opened *open)
{
    int n = 0;
    for (size_t i = 0; i < open->n; i++)
        n += ctokens_is(c, open->tokens[i], "{");
    return n;
}

static void match_brackets(struct ctokens *c)
{
    struct opened open = {0}, copies = {0};
    struct branches branches = {0};
    int depth = 0;
    for (size_t i = 0; i < c->n; i++) {
        struct token *t = &c->tokens[i];
        t->depth = depth;
        if (t->kind == TOKEN_DIRECTIVE) {
            take_directive(c, t, &open, &copies, &branches);
            depth = braces_in(c, &open);
            continue;
        }
        char mark = t->kind == TOKEN_MARK && t->size == 1 ? c->text[t->at] : '\0';
        if (mark == '(' || mark == '[' || mark == '{') {
            open.tokens = memory_room(open.tokens, &open.room, open.n + 1, sizeof(size_t));
            open.tokens[open.n++] = i;
            depth += mark == '{';
        } else if (mark == ')' || mark == ']' || mark == '}') {
            const char *wanted = mark == ')' ? "(" : mark == ']' ? "[" : "{";
            if (open.n == 0 || !ctokens_is(c, open.tokens[open.n - 1], wanted))
                continue; /* a macro contains the other one */
            size_t begin = open.tokens[--open.n];
            c->tokens[begin].other = i;
            t->other = begin;
            depth -= mark == '}';
            t->depth = depth;
        }
    }
    free(open.tokens);
    free(copies.tokens);
    free(branches.at_if);
}

/* ---- Functions ----------------------------------------------------------------------------- */

static bool is_word_before_paren(const struct ctokens *c, size_t i)
{
    static const char *const none[] = {"__attribute__", "__attribute", "__declspec",
                                       "_Alignas",      "__asm__",     "asm"};
    if (c->tokens[i].kind != TOKEN_WORD || !ctokens_is(c, ctokens_next(c, i), "("))
        return false;
    for (size_t k = 0; k < sizeof none / sizeof none[0]; k++)
        if (ctokens_is(c, i, none[k]))
            return false;
    return true;
}

/* Return the name of the function defined from BEGIN to OPEN, or SIZE_MAX. */
static size_t name_in(const struct ctokens *c, size_t begin, size_t open)
{
    size_t first = SIZE_MAX;
    for (size_t i = begin; i < open; i = ctokens_next(c, i)) {
        if (ctokens_is(c, i, "="))
            return SIZE_MAX;
        if (!is_word_before_paren(c, i))
            continue;
        size_t paren = ctokens_next(c, i), close = c->tokens[paren].other;
        if (close == SIZE_MAX || close > open)
            return SIZE_MAX;
        if (ctokens_next(c, close) == open)
            return i;
        first = first == SIZE_MAX ? i : first;
        i = close;
    }
    return first; /* K&R parameters precede the body */
}

/*
 * Return whether the tokens from BEGIN to a ; declare K&R parameters rather than ending a
 * declaration.
 */
static bool may_go_on(const struct ctokens *c, size_t begin, size_t semicolon)
{
    size_t name = name_in(c, begin, semicolon);
    if (name == SIZE_MAX)
        return false;
    size_t close = c->tokens[ctokens_next(c, name)].other;
    size_t next = close == SIZE_MAX ? SIZE_MAX : ctokens_next(c, close);
    return next < semicolon && c->tokens[next].kind == TOKEN_WORD &&
           !ctokens_is(c, next, "__attribute__") && !ctokens_is(c, next, "asm") &&
           !ctokens_is(c, next, "__asm__");
}

static bool returns_nothing(const struct ctokens *c, const struct function *f)
{
    bool is_void = false;
    for (size_t i = f->begin; i < f->name; i = ctokens_next(c, i)) {
        is_void |= ctokens_is(c, i, "void");
        if (ctokens_is(c, i, "*"))
            return false;
    }
    return is_void;
}

static void add_function(struct ctokens *c, size_t begin, size_t open)
{
    struct function f = {.begin = begin, .open = open, .close = c->tokens[open].other};
    f.name = begin == SIZE_MAX ? SIZE_MAX : name_in(c, begin, open);
    if (f.name == SIZE_MAX || f.close == SIZE_MAX)
        return;
    /* Start after directives before the name: earlier tokens may be in an inactive branch. */
    for (size_t i = f.name; i-- > begin;)
        if (c->tokens[i].kind == TOKEN_DIRECTIVE) {
            f.begin = ctokens_next(c, i);
            break;
        }
    f.returns_nothing = returns_nothing(c, &f);
    c->functions =
        memory_room(c->functions, &c->functions_room, c->nfunctions + 1, sizeof *c->functions);
    c->functions[c->nfunctions++] = f;
}

static void find_functions(struct ctokens *c)
{
    size_t begin = SIZE_MAX;
    for (size_t i = 0; i < c->n; i++) {
        if (c->tokens[i].kind == TOKEN_TABLE)
            begin = SIZE_MAX;
        if (!is_code(c, i))
            continue;
        bool is_brace = ctokens_is(c, i, "{");
        if (is_brace && begin != SIZE_MAX && c->tokens[begin].kind == TOKEN_WORD &&
            ctokens_is(c, begin, "extern") &&
            c->tokens[ctokens_next(c, begin)].kind == TOKEN_TEXT &&
            ctokens_next(c, ctokens_next(c, begin)) == i) {
            begin = SIZE_MAX; /* extern "C" { */
            continue;
        }
        if (is_brace && c->tokens[i].other != SIZE_MAX) {
            add_function(c, begin, i);
            bool is_function = c->nfunctions > 0 && c->functions[c->nfunctions - 1].open == i;
            i = c->tokens[i].other;
            if (is_function)
                begin = SIZE_MAX;
        } else if (ctokens_is(c, i, ";")) {
            if (begin == SIZE_MAX || !may_go_on(c, begin, i))
                begin = SIZE_MAX;
        } else if (ctokens_is(c, i, "}"))
            begin = SIZE_MAX;
        else if (begin == SIZE_MAX)
            begin = i;
    }
}

void ctokens_read(struct ctokens *c, const char *text, size_t size)
{
    *c = (struct ctokens){.text = text, .size = size};
    struct reader r = {c, text, text + size, 1, true};
    read_tokens(&r);
    match_brackets(c);
    find_functions(c);
}

void ctokens_free(struct ctokens *c)
{
    free(c->tokens);
    free(c->functions);
}

const struct function *ctokens_function(const struct ctokens *c, size_t token)
{
    for (size_t i = 0; i < c->nfunctions; i++)
        if (token > c->functions[i].open && token < c->functions[i].close)
            return &c->functions[i];
    return NULL;
}
