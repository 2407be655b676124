/*
 * edits.c - inserts probes into C code. All insertions go into existing lines, so each line keeps
 * its number. A probe before a call is a comma expression around it, which is valid in conditions,
 * initializers, returns and bodies without braces; a probe at the entry of a function is a
 * declaration, which may precede others. So the code needs no more than C89 with gcc's extensions.
 */
#include "config.h"

#include "postproc/iostack/edits.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"
#include "postproc/iostack/cstatements.h"

/*
 * Order of insertions at one place: several probes are in their own order, except CLOSES in
 * reverse. Insertions around a statement enclose insertions around the expression that it begins
 * with.
 */
enum side { OPENS_STATEMENT, OPENS, CLOSES };
enum { MOST_EDITS = 1 << 24 };

static __attribute__((format(printf, 4, 5))) void put(struct edits *edits, size_t at,
                                                      enum side side, const char *format, ...)
{
    char *text = NULL;
    va_list list;
    va_start(list, format);
    if (vasprintf(&text, format, list) < 0)
        text = memory_text("");
    va_end(list);
    edits->edits = memory_room(edits->edits, &edits->room, edits->n + 1, sizeof *edits->edits);
    edits->order++;
    edits->edits[edits->n++] = (struct edit){at,
                                             side == CLOSES            ? -edits->order
                                             : side == OPENS_STATEMENT ? edits->order
                                                                       : edits->order + MOST_EDITS,
                                             text};
}

void edits_free(struct edits *edits)
{
    for (size_t i = 0; i < edits->n; i++)
        free(edits->edits[i].text);
    free(edits->edits);
}

/* ---- Code ---------------------------------------------------------------------------------- */

static const char *layer_constant(int layer)
{
    static const char *const names[] = {
        "GPTL_LAYER_NONE",   "GPTL_LAYER_APP",   "GPTL_LAYER_HDF5", "GPTL_LAYER_PNETCDF",
        "GPTL_LAYER_MPI",    "GPTL_LAYER_ADIO",  "GPTL_LAYER_COMM", "GPTL_LAYER_CLIENT",
        "GPTL_LAYER_SERVER", "GPTL_LAYER_POSIX", "GPTL_LAYER_DISK"};
    return names[layer];
}

static const char *operation_constant(int operation)
{
    return operation == GPTL_OP_READ    ? "GPTL_OP_READ"
           : operation == GPTL_OP_WRITE ? "GPTL_OP_WRITE"
                                        : "GPTL_OP_OTHER";
}

/*
 * Return a probe's statements on one line; the caller frees them. LINE is the position in the
 * application.
 */
static char *code_of(const struct probe *probe, unsigned line)
{
    char *code = NULL;
    int n = 0;
    if (probe->act == ACT_CODE) {
        code = memory_text(probe->code);
        for (char *c = code; *c; c++)
            if (*c == '\n' || *c == '\r')
                *c = ' ';
        return code;
    }
    if (probe->act == ACT_END)
        n = asprintf(&code, "GPTLprobe_end(%s);", layer_constant(probe->layer));
    else if (probe->layer == GPTL_LAYER_APP)
        n = asprintf(&code, "GPTLprobe_begin(%s, %s); GPTLprobe_offset(%s, %u);",
                     layer_constant(probe->layer), operation_constant(probe->operation),
                     layer_constant(probe->layer), line);
    else
        n = asprintf(&code, "GPTLprobe_begin(%s, %s);", layer_constant(probe->layer),
                     operation_constant(probe->operation));
    return n < 0 ? memory_text("") : code;
}

static size_t end_of(const struct ctokens *c, size_t token)
{
    return c->tokens[token].at + c->tokens[token].size;
}

/* ---- Probes at calls ----------------------------------------------------------------------- */

static int edit_before_call(struct edits *edits, const struct ctokens *c, const struct probe *probe,
                            size_t call)
{
    size_t close = c->tokens[ctokens_next(c, call)].other;
    char *code = code_of(probe, c->tokens[call].line);
    put(edits, c->tokens[call].at, OPENS, "(__extension__ ({ %s 0; }), ", code);
    put(edits, end_of(c, close), CLOSES, ")");
    free(code);
    return 0;
}

static int edit_after_call(struct edits *edits, const struct ctokens *c, const struct probe *probe,
                           size_t call, const char *path)
{
    bool body;
    size_t open = ctokens_next(c, call), close = c->tokens[open].other;
    size_t first = statement_begin(c, call, &body);
    const struct function *f = ctokens_function(c, call);
    char *code = code_of(probe, c->tokens[call].line);
    if (statement_is_call(c, first, call, close)) {
        size_t semicolon = ctokens_next(c, close);
        if (body)
            put(edits, c->tokens[first].at, OPENS_STATEMENT, "{ ");
        put(edits, end_of(c, semicolon), body ? CLOSES : OPENS_STATEMENT, body ? " %s }" : " %s",
            code);
    } else if (ctokens_is(c, first, "return") && f && f->returns_nothing) {
        plan_error(&probe->place,
                   "%s:%u: the call is what a function without a value returns; put the probe "
                   "before it, or at the function's end",
                   path, c->tokens[call].line);
        free(code);
        return -1;
    } else {
        size_t n = edits->n;
        put(edits, c->tokens[call].at, OPENS, "__extension__ ({ __auto_type gptl_value_%zu = ", n);
        put(edits, end_of(c, close), CLOSES, "; %s gptl_value_%zu; })", code, n);
    }
    free(code);
    return 0;
}

/* ---- Probes of functions ------------------------------------------------------------------- */

static int edit_entry(struct edits *edits, const struct ctokens *c, const struct probe *probe,
                      const struct function *f)
{
    char *code = code_of(probe, c->tokens[f->open].line);
    put(edits, end_of(c, f->open), OPENS,
        " __attribute__((__unused__)) int gptl_probe_%zu = __extension__ ({ %s 0; });", edits->n,
        code);
    free(code);
    return 0;
}

/* Insert code before a return, whose value may be any expression. */
static void edit_return(struct edits *edits, const struct ctokens *c, const char *code,
                        size_t token)
{
    size_t semicolon = statement_end(c, token);
    if (semicolon == SIZE_MAX)
        return;
    put(edits, c->tokens[token].at, OPENS_STATEMENT, "{ %s ", code);
    put(edits, end_of(c, semicolon), CLOSES, " }");
}

/*
 * Insert code at all exits. Ending a span uses a variable with a cleanup, which covers any exit;
 * user code is inserted at each exit.
 */
static int edit_exits(struct edits *edits, const struct ctokens *c, const struct probe *probe,
                      const struct function *f)
{
    if (probe->act == ACT_END) {
        put(edits, end_of(c, f->open), OPENS,
            " __attribute__((__unused__, __cleanup__(GPTLprobe_leave))) const int gptl_probe_%zu = "
            "%s;",
            edits->n, layer_constant(probe->layer));
        return 0;
    }
    char *code = code_of(probe, c->tokens[f->close].line);
    size_t last = f->open;
    for (size_t i = f->open; i < f->close; i = ctokens_next(c, i)) {
        last = i;
        if (ctokens_is(c, i, "return"))
            edit_return(edits, c, code, i);
    }
    /* Code after a final return is unreachable. */
    bool body;
    size_t first = statement_begin(c, last, &body);
    if (body || !ctokens_is(c, first, "return"))
        put(edits, c->tokens[f->close].at, OPENS_STATEMENT, "%s ", code);
    free(code);
    return 0;
}

/* ---- Finding ------------------------------------------------------------------------------- */

struct matches {
    size_t *tokens; /* calls, or names of functions */
    size_t n, room;
};

static void add_match(struct matches *m, size_t token)
{
    m->tokens = memory_room(m->tokens, &m->room, m->n + 1, sizeof *m->tokens);
    m->tokens[m->n++] = token;
}

static const struct function *function_named(const struct ctokens *c, const char *name,
                                             size_t *count)
{
    const struct function *found = NULL;
    *count = 0;
    for (size_t i = 0; i < c->nfunctions; i++)
        if (ctokens_is(c, c->functions[i].name, name)) {
            found = &c->functions[i];
            ++*count;
        }
    return found;
}

static void find_calls(struct matches *m, const struct ctokens *c, const struct probe *probe,
                       const struct numbers *lines)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct function *f =
            statement_has_call(c, i, probe->call) ? ctokens_function(c, i) : NULL;
        if (f && (!probe->function || ctokens_is(c, f->name, probe->function)) &&
            (!lines || numbers_have(lines, c->tokens[i].line)))
            add_match(m, i);
    }
}

static void find_definitions(struct matches *m, const struct ctokens *c, const char *name)
{
    for (size_t i = 0; i < c->nfunctions; i++)
        if (ctokens_is(c, c->functions[i].name, name))
            add_match(m, c->functions[i].name);
}

/* Write "12 in main, 40 in other" within the available space. */
static void list_matches(char *text, size_t size, const struct ctokens *c, const struct matches *m)
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < m->n && used + 1 < size; i++) {
        const struct function *f = ctokens_function(c, m->tokens[i]);
        const struct token *name = f ? &c->tokens[f->name] : NULL;
        used += (size_t)snprintf(text + used, size - used, "%sline %u%s%.*s", i ? ", " : "",
                                 c->tokens[m->tokens[i]].line, f ? " in " : "",
                                 name ? (int)name->size : 0, name ? c->text + name->at : "");
    }
}

static int refuse(const struct probe *probe, const char *path, const struct ctokens *c,
                  const struct matches *m, const char *what, const char *name)
{
    char list[1500];
    list_matches(list, sizeof list, c, m);
    if (m->n == 0)
        plan_error(&probe->place, "expected %s of %s%s%s in %s, found none", what, name,
                   probe->function && probe->call ? " in " : "",
                   probe->function && probe->call ? probe->function : "", path);
    else if (probe->nth > m->n)
        plan_error(&probe->place, "expected %u times %s of %s in %s, found %zu: %s", probe->nth,
                   what, name, path, m->n, list);
    else
        plan_error(&probe->place,
                   "expected one %s of %s in %s, found %zu: %s; -f FUNCTION, [1] to [%zu] or [*] "
                   "chooses",
                   what, name, path, m->n, list, m->n);
    return -1;
}

static int edit_match(struct edits *edits, const struct ctokens *c, const struct probe *probe,
                      const char *path, size_t token)
{
    size_t count;
    const struct function *f;
    if (ctokens_function(c, token)) {
        struct probe end = *probe;
        end.act = ACT_END;
        if (probe->after)
            return edit_after_call(edits, c, probe, token, path);
        int result = edit_before_call(edits, c, probe, token);
        return probe->ends_too ? edit_after_call(edits, c, &end, token, path) : result;
    }
    for (count = 0, f = NULL; count < c->nfunctions && !f; count++)
        if (c->functions[count].name == token)
            f = &c->functions[count];
    return probe->after ? edit_exits(edits, c, probe, f) : edit_entry(edits, c, probe, f);
}

/*
 * Find a name that is called; one that is only defined, such as main, denotes the function itself.
 * Returns the kind.
 */
static const char *find_named(struct matches *m, const struct ctokens *c, const struct probe *probe,
                              const struct numbers *lines)
{
    size_t count;
    const char *name = probe->call ? probe->call : probe->function;
    if (probe->call)
        find_calls(m, c, probe, lines);
    if (m->n > 0 || (probe->call && (probe->function || !function_named(c, name, &count))))
        return "call";
    find_definitions(m, c, name);
    return "definition";
}

size_t edits_count(const struct ctokens *c, const struct probe *probe, const struct numbers *lines)
{
    struct matches m = {0};
    find_named(&m, c, probe, lines);
    free(m.tokens);
    return m.n;
}

static int edit_named(struct edits *edits, const struct ctokens *c, const struct probe *probe,
                      const char *path, const struct numbers *lines)
{
    struct matches m = {0};
    const char *name = probe->call ? probe->call : probe->function;
    const char *what = find_named(&m, c, probe, lines);
    int result = 0;
    bool each = probe->all || (lines && lines->n > 0);
    if (m.n == 0 || (!each && m.n > 1 && probe->nth == 0) || probe->nth > m.n)
        result = lines && m.n == 0 ? 0 : refuse(probe, path, c, &m, what, name);
    else
        for (size_t i = 0; i < m.n && result == 0; i++)
            if (probe->nth == 0 || i + 1 == probe->nth)
                result = edit_match(edits, c, probe, path, m.tokens[i]);
    free(m.tokens);
    return result;
}

/* ---- Probes at lines ----------------------------------------------------------------------- */

static int check_line(const struct ctokens *c, const struct probe *probe, const char *path)
{
    unsigned line = 1;
    const char *at = c->text, *end = c->text + c->size;
    for (; line < probe->line && at < end; at++)
        line += *at == '\n';
    if (line < probe->line || at >= end) {
        plan_error(&probe->place, "expected line %u in %s, found %u lines", probe->line, path,
                   line);
        return -1;
    }
    const char *line_end = memchr(at, '\n', (size_t)(end - at));
    size_t n = line_end ? (size_t)(line_end - at) : (size_t)(end - at);
    if (probe->expected && !memmem(at, n, probe->expected, strlen(probe->expected))) {
        plan_error(&probe->place, "expected \"%s\" in %s:%u, found \"%.*s\"", probe->expected, path,
                   probe->line, n > 100 ? 100 : (int)n, at);
        return -1;
    }
    return 0;
}

/*
 * Return whether `while (...);` may end a do loop: an insertion before it would be outside the
 * body.
 */
static bool ends_do(const struct ctokens *c, size_t token)
{
    size_t open = ctokens_next(c, token);
    return ctokens_is(c, token, "while") && ctokens_is(c, open, "(") &&
           c->tokens[open].other != SIZE_MAX &&
           ctokens_is(c, ctokens_next(c, c->tokens[open].other), ";");
}

/*
 * Return whether the statement before TOKEN is a return of the same block, so that code between the
 * two is unreachable.
 */
static bool follows_return(const struct ctokens *c, size_t token)
{
    bool body;
    size_t before = token > 0 ? ctokens_before(c, token) : SIZE_MAX;
    if (before == SIZE_MAX || !ctokens_is(c, before, ";"))
        return false;
    size_t first = statement_begin(c, before, &body);
    return !body && ctokens_is(c, first, "return");
}

static int edit_line(struct edits *edits, const struct ctokens *c, const struct probe *probe,
                     const char *path)
{
    size_t token = 0;
    bool body;
    if (check_line(c, probe, path))
        return -1;
    while (token < c->n && c->tokens[token].line < probe->line)
        token++;
    /* Earlier constructs must have ended: a directive or a table may extend into the line. */
    const struct token *t = token < c->n ? &c->tokens[token] : NULL;
    if (!t || t->kind == TOKEN_TABLE || t->kind == TOKEN_DIRECTIVE ||
        (token > 0 && c->tokens[token - 1].kind == TOKEN_TABLE && t->line > probe->line)) {
        plan_error(&probe->place, "%s:%u is no line of code", path, probe->line);
        return -1;
    }
    const struct function *f = ctokens_function(c, token);
    if (!f && !(token < c->n && ctokens_is(c, token, "}") && token > 0 &&
                ctokens_function(c, ctokens_before(c, token)))) {
        plan_error(&probe->place, "%s:%u is in no function", path, probe->line);
        return -1;
    }
    size_t first = ctokens_is(c, token, "}") ? token : statement_begin(c, token, &body);
    if (ctokens_is(c, token, "}"))
        body = false;
    if (first != token || ctokens_is(c, token, "else") || ends_do(c, token)) {
        plan_error(
            &probe->place,
            "%s:%u is within a statement that begins in line %u or before; -f and -l find calls",
            path, probe->line, c->tokens[first].line);
        return -1;
    }
    if (!body && follows_return(c, token) && edits->unreachable++ == 0)
        edits->first_unreachable = probe->place;
    char *code = code_of(probe, probe->line);
    size_t semicolon = body ? statement_end(c, token) : SIZE_MAX;
    if (body && semicolon == SIZE_MAX) {
        plan_error(&probe->place, "%s:%u is a body without braces that does not end with ;", path,
                   probe->line);
        free(code);
        return -1;
    }
    put(edits, t->at, OPENS_STATEMENT, body ? "{ %s " : "%s ", code);
    if (body)
        put(edits, end_of(c, semicolon), CLOSES, " }");
    free(code);
    return 0;
}

int edits_find(struct edits *edits, const struct ctokens *c, const struct probe *probe,
               const char *path, const struct numbers *lines)
{
    if (probe->kind == PROBE_LINE)
        return edit_line(edits, c, probe, path);
    return edit_named(edits, c, probe, path, lines);
}

/* ---- Applying ------------------------------------------------------------------------------ */

static int compare_edits(const void *x, const void *y)
{
    const struct edit *a = x, *b = y;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/*
 * Add a header at the start of each edited function's definition, whose line contains nothing else
 * before it.
 */
static void add_headers(struct edits *edits, const struct ctokens *c, const char *path)
{
    size_t n = edits->n;
    char *quoted = memory_zeros(2 * strlen(path) + 1, 1), *to = quoted;
    for (const char *from = path; *from; from++) {
        if (*from == '"' || *from == '\\')
            *to++ = '\\';
        *to++ = *from;
    }
    for (size_t i = 0; i < c->nfunctions; i++) {
        const struct function *f = &c->functions[i];
        size_t at = c->tokens[f->begin].at;
        bool any = false;
        for (size_t k = 0; k < n && !any; k++)
            any = edits->edits[k].at > at && edits->edits[k].at <= end_of(c, f->close);
        if (!any)
            continue;
        bool at_begin = at == 0 || c->text[at - 1] == '\n';
        put(edits, at, OPENS, "%s#include <gptl_probe.h>\n#line %u \"%s\"\n", at_begin ? "" : "\n",
            c->tokens[f->begin].line, quoted);
    }
    free(quoted);
}

char *edits_apply(struct edits *edits, const struct ctokens *c, const char *path, size_t *size)
{
    size_t total = c->size, used = 0, at = 0;
    add_headers(edits, c, path);
    if (edits->n > 0)
        qsort(edits->edits, edits->n, sizeof *edits->edits, compare_edits);
    for (size_t i = 0; i < edits->n; i++)
        total += strlen(edits->edits[i].text);
    char *text = memory_zeros(total + 1, 1);
    for (size_t i = 0; i < edits->n; i++) {
        const struct edit *e = &edits->edits[i];
        memcpy(text + used, c->text + at, e->at - at);
        used += e->at - at;
        at = e->at;
        memcpy(text + used, e->text, strlen(e->text));
        used += strlen(e->text);
    }
    memcpy(text + used, c->text + at, c->size - at);
    *size = used + c->size - at;
    return text;
}
