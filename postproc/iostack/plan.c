/* plan.c - reads configurations: finds flags and the contents of their brackets. */
#include "config.h"

#include "postproc/iostack/plan.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"

enum { MOST_BYTES = 16 << 20, MOST_FILES = 64 };

/* A file being read. */
struct source {
    struct plan *plan;
    const char *at, *end;
    const char *line_begin;
    struct place place; /* place of AT, except for the column */
};

/* ---- Messages ------------------------------------------------------------------------------ */

void plan_error(const struct place *place, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "gptl iostack: %s:%u:%u: ", place->file, place->line, place->column);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}

void plan_warning(struct plan *plan, const struct place *place, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "gptl iostack: %s:%u:%u: warning: ", place->file, place->line, place->column);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    plan->nwarnings++;
}

/* ---- Words and parts ----------------------------------------------------------------------- */

void words_add(struct words *words, char *text, const struct place *place)
{
    words->words = memory_room(words->words, &words->room, words->n + 1, sizeof *words->words);
    words->words[words->n++] = (struct word){text, *place};
}

void words_free(struct words *words)
{
    for (size_t i = 0; i < words->n; i++)
        free(words->words[i].text);
    free(words->words);
}

struct part part_of(const struct value *value)
{
    return (struct part){value, 0, value->n, false};
}

const struct place *part_place(const struct part *part)
{
    return &part->value->places[part->at];
}

size_t part_size(const struct part *part)
{
    return part->end - part->at;
}

const char *part_text(const struct part *part)
{
    return part->value->text + part->at;
}

bool part_is(const struct part *part, const char *text)
{
    return part_size(part) == strlen(text) && strncmp(part_text(part), text, strlen(text)) == 0;
}

char *part_copy(const struct part *part)
{
    char *copy = memory_zeros(part_size(part) + 1, 1);
    memcpy(copy, part_text(part), part_size(part));
    return copy;
}

struct part part_trimmed(struct part part)
{
    while (part.at < part.end && isspace((unsigned char)part.value->text[part.at]))
        part.at++;
    while (part.end > part.at && isspace((unsigned char)part.value->text[part.end - 1]))
        part.end--;
    return part;
}

/* Return the index after the quoted text that begins at I. */
static size_t skip_quoted(const char *text, size_t i, size_t end)
{
    char quote = text[i];
    for (i++; i < end && text[i] != quote; i++)
        if (text[i] == '\\' && i + 1 < end)
            i++;
    return i < end ? i + 1 : end;
}

bool part_next(struct part *rest, char separator, struct part *part)
{
    const char *text = rest->value->text;
    int depth = 0, braces = 0;
    if (rest->over)
        return false;
    size_t i = rest->at;
    while (i < rest->end && (depth > 0 || text[i] != separator)) {
        if (text[i] == '"' || (text[i] == '\'' && braces > 0)) {
            i = skip_quoted(text, i, rest->end);
            continue;
        }
        braces += (text[i] == '{') - (text[i] == '}');
        depth += strchr("[{", text[i]) != NULL || (text[i] == '<' && separator == ',');
        depth -=
            depth > 0 && (strchr("]}", text[i]) != NULL || (text[i] == '>' && separator == ','));
        i++;
    }
    *part = (struct part){rest->value, rest->at, i, false};
    rest->over = i == rest->end;
    rest->at = rest->over ? i : i + 1;
    return true;
}

/* ---- Flags --------------------------------------------------------------------------------- */

static struct place here(const struct source *s)
{
    struct place place = s->place;
    place.column = (unsigned)(s->at - s->line_begin) + 1;
    return place;
}

static void advance(struct source *s)
{
    if (*s->at++ == '\n') {
        s->place.line++;
        s->line_begin = s->at;
    }
}

static void skip_blanks_and_comments(struct source *s)
{
    while (s->at < s->end && (isspace((unsigned char)*s->at) || *s->at == '#'))
        if (*s->at == '#')
            while (s->at < s->end && *s->at != '\n')
                advance(s);
        else
            advance(s);
}

/* Return whether a flag begins here, which ends the previous one even if unclosed. */
static bool is_flag(const char *at, const char *end)
{
    if (end - at < 3 || at[0] != '-' || !isalnum((unsigned char)at[1]))
        return false;
    for (at += 2; at < end && (*at == ' ' || *at == '\t'); at++)
        ;
    return at < end && (*at == '[' || *at == '@');
}

static void add_byte(struct value *value, char c, const struct place *place)
{
    value->text = memory_room(value->text, &value->room, value->n + 2, 1);
    value->places =
        memory_room(value->places, &value->places_room, value->n + 2, sizeof *value->places);
    value->text[value->n] = c;
    value->places[value->n++] = *place;
}

static void end_value(struct value *value, const struct place *place)
{
    add_byte(value, '\0', place);
    value->n--;
}

/* Continue after a line end in brackets, skipping the next line's indentation. */
static bool skip_line_end(struct source *s)
{
    while (s->at < s->end && isspace((unsigned char)*s->at))
        advance(s);
    return !is_flag(s->at, s->end);
}

/* Read a quoted text including the quotes; it ends with its line. */
static void take_quoted(struct source *s, struct value *value)
{
    bool escaped = false;
    char quote = '\0';
    while (s->at < s->end && *s->at != '\n') {
        struct place place = here(s);
        char c = *s->at;
        add_byte(value, c, &place);
        advance(s);
        if (quote && c == quote && !escaped)
            return;
        quote = quote ? quote : c;
        escaped = c == '\\' && !escaped;
    }
}

/* Read the contents of brackets; code keeps its line ends. */
static int take_brackets(struct source *s, char flag, const struct place *begin,
                         struct value *value)
{
    int depth = 1, braces = 0;
    advance(s);
    while (s->at < s->end) {
        struct place place = here(s);
        char c = *s->at;
        if (c == '"' || (c == '\'' && braces > 0)) {
            take_quoted(s, value);
            continue;
        }
        if (c == '\n' && braces == 0) {
            if (skip_line_end(s))
                continue;
            break;
        }
        braces += (c == '{') - (c == '}' && braces > 0);
        depth += braces > 0 || c == '}' ? 0 : (c == '[') - (c == ']');
        advance(s);
        if (depth == 0) {
            end_value(value, &place);
            return 0;
        }
        add_byte(value, c, &place);
    }
    struct place end = here(s);
    end_value(value, &end);
    if (s->at == s->end && braces > 0) {
        plan_error(begin,
                   "expected } and ] for what -%c has opened here, found the end of the file",
                   flag);
        return -1;
    }
    plan_warning(s->plan, &end, "expected ] for the [ of -%c in line %u; it is taken to end here",
                 flag, begin->line);
    return 0;
}

/* Read a word without brackets, such as @romio. */
static void take_word(struct source *s, struct value *value)
{
    struct place place = here(s);
    while (s->at < s->end && !isspace((unsigned char)*s->at)) {
        place = here(s);
        add_byte(value, *s->at, &place);
        advance(s);
    }
    end_value(value, &place);
}

static int take_flag(struct source *s)
{
    struct place place = here(s);
    if (s->end - s->at < 2 || s->at[0] != '-' || !isalnum((unsigned char)s->at[1])) {
        plan_error(&place, "expected a flag (-A -L -O -C -S -T -Q -P -B -R -D -I), found \"%.*s\"",
                   (int)strcspn(s->at, " \t\r\n"), s->at);
        return -1;
    }
    char flag = s->at[1];
    if (flag == '0') {
        plan_warning(s->plan, &place, "-0 is read as -O, with a letter");
        flag = 'O';
    }
    advance(s);
    advance(s);
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
        advance(s);
    struct place begin = here(s);
    struct value value = {0};
    int result = 0;
    if (s->at < s->end && *s->at == '[')
        result = take_brackets(s, flag, &begin, &value);
    else if (s->at < s->end && *s->at == '@' && flag == 'P')
        take_word(s, &value);
    else {
        plan_error(&begin, "expected [ behind -%c, found \"%.*s\"", flag,
                   (int)strcspn(s->at, " \t\r\n"), s->at);
        return -1;
    }
    if (result == 0)
        result = plan_take(s->plan, flag, &place, &value);
    free(value.text);
    free(value.places);
    return result;
}

/* ---- Files --------------------------------------------------------------------------------- */

static char *load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "r");
    size_t room = 0;
    char *text = NULL;
    *size = 0;
    if (!file)
        return NULL;
    for (;;) {
        text = memory_room(text, &room, *size + 65536, 1);
        size_t n = fread(text + *size, 1, room - *size - 1, file);
        *size += n;
        if (n == 0 || *size > MOST_BYTES)
            break;
    }
    int error = ferror(file) ? EIO : *size > MOST_BYTES ? EFBIG : 0;
    fclose(file);
    text[*size < room ? *size : room - 1] = '\0';
    if (error) {
        free(text);
        errno = error;
        return NULL;
    }
    return text;
}

int plan_include(struct plan *plan, const struct place *place, const char *path, bool is_set)
{
    size_t size, nprobes = plan->nprobes;
    for (size_t i = 0; i < plan->files.n; i++)
        if (strcmp(plan->files.words[i].text, path) == 0) {
            plan_error(place, "%s is included already", path);
            return -1;
        }
    if (plan->files.n >= MOST_FILES) {
        plan_error(place, "expected at most %d files", MOST_FILES);
        return -1;
    }
    char *text = load(path, &size);
    if (!text) {
        if (place->line > 0)
            plan_error(place, "cannot read %s: %s", path, strerror(errno));
        else
            fprintf(stderr, "gptl iostack: %s: %s\n", path, strerror(errno));
        return -1;
    }
    struct place none = {path, 1, 1};
    words_add(&plan->files, memory_text(path), &none);
    const char *own = plan->files.words[plan->files.n - 1].text;
    plan->files.words[plan->files.n - 1].place.file = own;
    struct source s = {
        .plan = plan, .at = text, .end = text + size, .line_begin = text, .place = {own, 1, 1}};
    int result = 0;
    for (skip_blanks_and_comments(&s); s.at < s.end && result == 0; skip_blanks_and_comments(&s))
        result = take_flag(&s);
    free(text);
    for (size_t i = nprobes; is_set && i < plan->nprobes; i++)
        plan->probes[i].set = own;
    return result;
}

/* Check that -S and -T specify equal counts for each layer. */
static int check_counts(const struct plan *plan)
{
    size_t before = plan->nrules > plan->ntraces ? plan->nrules - plan->ntraces : 0;
    int result = 0;
    for (size_t i = 0; i < plan->ntraces && i + before < plan->nrules; i++) {
        const struct trace_group *group = &plan->traces[i];
        int64_t count = plan->rules[i + before].count;
        if (count == (int64_t)group->files.n)
            continue;
        plan_error(&group->place, "expected %lld files as -S says of this layer, found %zu",
                   (long long)count, group->files.n);
        result = -1;
    }
    return result;
}

int plan_read(struct plan *plan, const char *path)
{
    *plan = (struct plan){0};
    query_begin(&plan->query);
    struct place command_line = {path, 0, 0};
    return plan_include(plan, &command_line, path, false) ? -1 : check_counts(plan);
}

void plan_free(struct plan *plan)
{
    struct words *all[] = {&plan->files, &plan->application, &plan->libraries,
                           &plan->names, &plan->values,      &plan->lists};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        words_free(all[i]);
    for (size_t i = 0; i < plan->ntraces; i++)
        words_free(&plan->traces[i].files);
    for (size_t i = 0; i < plan->nprobes; i++) {
        struct probe *p = &plan->probes[i];
        free(p->name);
        free(p->file);
        free(p->function);
        free(p->call);
        free(p->expected);
        free(p->code);
    }
    free(plan->traces);
    free(plan->probes);
    free(plan->build);
    free(plan->run);
    query_free(&plan->query);
}
