/*
 * namelist.c - gptlprocess_namelist: reads options from the group &gptlnl of a file.
 *
 * This file parses the group instead of Fortran's READ. Therefore the library does not depend on a
 * compiler's run-time library and supports all compilers, uses no unit of the program, and reports
 * the line of an error (the messages of run-time libraries range from vague to "End of file" for a
 * wrong value).
 *
 * The group is parsed completely before any option changes, and an invalid group changes nothing.
 * The grammar follows the Fortran standard (ISO/IEC 1539-1:2018, 13.11) for scalars and arrays of
 * rank one, plus the `$` and `&end` of older programs.
 */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gptl.h"

#include "core/core.h"

#include "fortran/text.h"

enum { WORD_SIZE = 1024, FILE_SHOWN = 200, MAX_SETTINGS = 4096 };

struct setting {
    int line;
    char key[64];
    char *value;
};

struct reader {
    const char *file;
    FILE *stream;
    int line;
    int mistakes;
    int nsettings;
    struct setting *settings;
    char place[FILE_SHOWN + 64];
};

/* Return the prefix of a message. */
static const char *place(struct reader *r, int line)
{
    snprintf(r->place, sizeof r->place, "gptlprocess_namelist: %.*s line %d", FILE_SHOWN, r->file,
             line);
    return r->place;
}

/* Count and report an error in the current line; return false. */
static bool mistake(struct reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool mistake(struct reader *r, const char *format, ...)
{
    char text[WORD_SIZE + 64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    r->mistakes++;
    gptl_core_error(place(r, r->line), "%s", text);
    return false;
}

/* ---- Characters ---------------------------------------------------------------------------- */

static int next(struct reader *r)
{
    int c = getc(r->stream);
    if (c == '\n')
        r->line++;
    return c;
}

static void back(struct reader *r, int c)
{
    if (c == '\n')
        r->line--;
    if (c != EOF)
        ungetc(c, r->stream);
}

/* Return the next character that is neither blank nor comment, without consuming it. */
static int skip_blanks(struct reader *r)
{
    int c = next(r);
    while (c != EOF && (isspace(c) || c == '!')) {
        if (c == '!')
            while (c != '\n' && c != EOF)
                c = next(r);
        else
            c = next(r);
    }
    back(r, c);
    return c;
}

static bool ends_word(int c)
{
    return c == EOF || isspace(c) || strchr(",;=/!()&$'\"*", c);
}

/* Read a word up to a delimiter; a longer word is truncated. */
static void read_word(struct reader *r, char *word)
{
    int c, n = 0;
    while (c = next(r), !ends_word(c))
        if (n + 1 < WORD_SIZE)
            word[n++] = (char)c;
    back(r, c);
    word[n] = '\0';
}

/* Read a quoted string, in which a doubled quote is one quote. It may continue in the next line. */
static bool read_quoted(struct reader *r, char *word)
{
    int quote = next(r), c, n = 0, begun = r->line;
    while (c = next(r), c != EOF) {
        if (c == quote && (c = next(r), c != quote)) {
            back(r, c);
            while (n > 0 && word[n - 1] == ' ')
                n--;
            word[n] = '\0';
            return true;
        }
        if (c != '\n' && c != '\r' && n + 1 < WORD_SIZE)
            word[n++] = (char)c;
    }
    r->line = begun;
    return mistake(r, "a quote that begins here is not closed");
}

/* ---- Group ----------------------------------------------------------------------------------- */

/* Skip to the position after `&gptlnl` at the start of a line. Return whether it exists. */
static bool find_group(struct reader *r)
{
    char word[WORD_SIZE];
    int c;
    do {
        while (c = next(r), c == ' ' || c == '\t')
            ;
        if (c == '&' || c == '$') {
            read_word(r, word);
            if (strcasecmp(word, "gptlnl") == 0)
                return true;
            c = next(r);
        }
        while (c != '\n' && c != EOF)
            c = next(r);
    } while (c != EOF);
    return false;
}

static void keep(struct reader *r, int line, const char *key, const char *value)
{
    char *copy = strdup(value);
    if (!copy || r->nsettings == MAX_SETTINGS) {
        free(copy);
        mistake(r, "no room for the value of %s", key);
        return;
    }
    struct setting *s = &r->settings[r->nsettings++];
    s->line = line;
    snprintf(s->key, sizeof s->key, "%s", key);
    s->value = copy;
}

/* Skip `(3)` or `(1:2)` after a name. */
static bool skip_subscript(struct reader *r)
{
    if (skip_blanks(r) != '(')
        return true;
    int c = next(r);
    while (c = next(r), c != ')')
        if (!isdigit(c) && !isspace(c) && !strchr(":,+-", c))
            return mistake(r, "a subscript must be a number and end with )");
    return true;
}

/*
 * Read the values of KEY, up to the next name, which is stored in NAME, or the end of the group. A
 * value may have a repeat count, 3*'x', or be missing, which changes nothing. A key that is not an
 * array accepts only one value.
 */
static bool read_values(struct reader *r, const char *key, bool is_array, char *name)
{
    char word[WORD_SIZE];
    int n = 0;
    for (;;) {
        int c = skip_blanks(r), line = r->line;
        name[0] = '\0';
        if (c == EOF || c == '/' || c == '&' || c == '$')
            return true;
        if (c == ',' || c == ';') {
            next(r);
            continue;
        }
        if (c == '\'' || c == '"') {
            if (!read_quoted(r, word))
                return false;
        } else {
            read_word(r, word);
            c = skip_blanks(r);
            if (c == '*' && word[0]) {
                next(r); /* a repeated value counts once */
                continue;
            }
            if ((c == '=' || c == '(') && word[0]) {
                memcpy(name, word, WORD_SIZE);
                return true;
            }
            if (!word[0]) {
                char found[2] = {(char)c, '\0'};
                return mistake(r, "there is a %s where a name or a value should be", found);
            }
        }
        if (++n > 1 && !is_array)
            return mistake(r, "%s has more than one value", key);
        keep(r, line, key, word);
    }
}

/* Parse the group from its name to its end. */
static bool read_group(struct reader *r)
{
    char name[WORD_SIZE], key[WORD_SIZE];
    int begun = r->line;
    if (!read_values(r, "&gptlnl", false, name))
        return false;
    if (r->nsettings)
        return mistake(r, "\"%s\" is a value without a name", r->settings[0].value);
    while (name[0]) {
        for (char *c = name; *c; c++)
            *c = (char)tolower((unsigned char)*c);
        memcpy(key, name, sizeof key);
        if (!skip_subscript(r))
            return false;
        if (skip_blanks(r) != '=')
            return mistake(r, "there is no = behind %s", key);
        next(r);
        if (!read_values(r, key, strcmp(key, "eventlist") == 0, name))
            return false;
    }
    if (skip_blanks(r) != EOF)
        return true;
    r->line = begun;
    return mistake(r, "the group &gptlnl that begins here does not end with /");
}

/* ---- Application ----------------------------------------------------------------------------- */

/* Return whether option KEY exists; *IS_SWITCH is set if it is an on/off option. */
static bool is_option(const char *key, bool *is_switch)
{
    struct gptl_option_text option;
    for (int i = 0; gptl_core_option_text(i, &option); i++)
        if (strcmp(option.key, key) == 0) {
            *is_switch = strcmp(option.value, "on") == 0 || strcmp(option.value, "off") == 0;
            return true;
        }
    return false;
}

/* Convert a Fortran logical value, which starts with T or F, optionally after a dot. */
static const char *switch_value(const char *value)
{
    int c = tolower((unsigned char)value[value[0] == '.']);
    return c == 't' ? "on" : c == 'f' ? "off" : value;
}

static int set_event(const struct setting *s)
{
    int code;
    if (s->value[strspn(s->value, " ")] == '\0')
        return 0; /* unused array elements */
    return GPTLevent_name_to_code(s->value, &code) || GPTLsetoption(code, 1);
}

/* Apply the settings or, if UNKNOWN, only report unknown names. */
static void apply(struct reader *r, bool unknown)
{
    for (int i = 0; i < r->nsettings; i++) {
        struct setting *s = &r->settings[i];
        bool is_event = strcmp(s->key, "eventlist") == 0, is_switch = false;
        if (unknown && (is_event || is_option(s->key, &is_switch)))
            continue;
        if (is_event) {
            r->mistakes += set_event(s) != 0;
            continue;
        }
        is_option(s->key, &is_switch);
        r->mistakes += gptl_core_set_option(place(r, s->line), s->key,
                                            is_switch ? switch_value(s->value) : s->value) != 0;
    }
}

static void process(struct reader *r)
{
    static const char function[] = "gptlprocess_namelist";
    bool found = find_group(r), whole = found && read_group(r);
    if (ferror(r->stream)) {
        r->mistakes++;
        gptl_core_error(function, "cannot read %.*s: %s", FILE_SHOWN, r->file, strerror(errno));
    } else if (!found) {
        r->mistakes++;
        gptl_core_error(function, "there is no group &gptlnl in %.*s", FILE_SHOWN, r->file);
    } else if (whole) {
        apply(r, true);
        if (!r->mistakes)
            apply(r, false);
    }
}

static int process_file(const char *file)
{
    static const char function[] = "gptlprocess_namelist";
    struct reader r = {.file = file, .line = 1};
    r.stream = fopen(file, "re");
    if (!r.stream)
        return gptl_core_error(function, "cannot open %.*s: %s", FILE_SHOWN, file, strerror(errno));
    r.settings = calloc(MAX_SETTINGS, sizeof *r.settings);
    if (r.settings)
        process(&r);
    else
        r.mistakes += gptl_core_error(function, "no memory to read %.*s", FILE_SHOWN, file) != 0;
    for (int i = 0; i < r.nsettings; i++)
        free(r.settings[i].value);
    free(r.settings);
    fclose(r.stream);
    return r.mistakes ? -1 : 0;
}

GPTL_API void FC_FUNC_(gptlprocess_namelist, GPTLPROCESS_NAMELIST)(const char *file,
                                                                   const int *unit, int *ret,
                                                                   int file_length);
void FC_FUNC_(gptlprocess_namelist, GPTLPROCESS_NAMELIST)(const char *file, const int *unit,
                                                          int *ret, int file_length)
{
    (void)unit; /* the caller's unit is not needed */
    struct gptl_string file_ = GPTL_STRING_NONE;
    *ret = gptl_string_take(&file_, "gptlprocess_namelist", file, file_length)
               ? -1
               : process_file(file_.text);
    gptl_string_free(&file_);
}
