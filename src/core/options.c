/*
 * options.c - values of the options, from GPTLsetoption, GPTLsetutr and GPTL_OPTIONS.
 *
 * pairs.c parses the grammar. The environment takes precedence over the program.
 */
#include "config.h"

#include "core/options.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gptl.h"

#include "core/abi.h"
#include "core/clock.h"
#include "core/meter.h"
#include "core/names.h"
#include "core/own_stack.h"
#include "core/plain.h"
#include "core/pairs.h"
#include "core/rundir.h"
#include "core/state.h"
#include "core/value.h"

static const struct gptl_value_row rows[] = {
#define OPTION(id, number, key, type, initial, least, most, doc)                                   \
    {number, key, GPTL_VALUE_##type, initial, least, most, doc},
#define STRING_OPTION(id, key, initial, doc)
#include "core/options.def"
#undef OPTION
#undef STRING_OPTION
};

static const struct string_row {
    const char *key, *initial, *doc;
} string_rows[] = {
#define OPTION(id, number, key, type, initial, least, most, doc)
#define STRING_OPTION(id, key, initial, doc) {key, initial, doc},
#include "core/options.def"
#undef OPTION
#undef STRING_OPTION
};

enum { STRING_SIZE = GPTL_PAIR_VALUE, WORD_SIZE = GPTL_PAIR_KEY };

/*
 * Given texts. A process pays for each page that it writes to, so texts that are not given stay
 * untouched.
 */
static char strings[GPTL_NSTRINGS][STRING_SIZE];
static bool is_given[GPTL_NSTRINGS];
static bool from_environment[GPTL_NOPTIONS];

const _Atomic(long long) *gptl_core_option_at(enum gptl_option_id id)
{
    return &gptl_g.options[id];
}

long long gptl_core_option(enum gptl_option_id id)
{
    return atomic_load_explicit(&gptl_g.options[id], memory_order_relaxed);
}

bool gptl_core_string_is_set(enum gptl_string_id id)
{
    return is_given[id];
}

const char *gptl_core_string(enum gptl_string_id id)
{
    return is_given[id] ? strings[id] : string_rows[id].initial;
}

static void set(int id, long long value)
{
    atomic_store_explicit(&gptl_g.options[id], value, memory_order_relaxed);
}

/* ---- Values as text ------------------------------------------------------------------------ */

bool gptl_core_option_text(int i, struct gptl_option_text *out)
{
    if (i < GPTL_NOPTIONS) {
        long long value = gptl_core_option((enum gptl_option_id)i);
        out->key = rows[i].key;
        out->doc = rows[i].doc;
        out->changed = value != rows[i].initial;
        gptl_value_text(&rows[i], value, out->value, sizeof out->value);
        return true;
    }
    i -= GPTL_NOPTIONS;
    if (i >= GPTL_NSTRINGS)
        return false;
    out->key = string_rows[i].key;
    out->doc = string_rows[i].doc;
    out->changed = strcmp(gptl_core_string(i), string_rows[i].initial) != 0;
    snprintf(out->value, sizeof out->value, "%s", gptl_core_string(i));
    return true;
}

bool gptl_core_option_is_set(enum gptl_option_id id)
{
    return from_environment[id];
}

bool gptl_core_option_is_default(const char *key, const char *text)
{
    char initial[WORD_SIZE];
    for (int i = 0; i < GPTL_NSTRINGS; i++)
        if (strcmp(key, string_rows[i].key) == 0)
            return strcmp(text, string_rows[i].initial) == 0;
    for (int i = 0; i < GPTL_NOPTIONS; i++)
        if (strcmp(key, rows[i].key) == 0) {
            gptl_value_text(&rows[i], rows[i].initial, initial, sizeof initial);
            return strcmp(text, initial) == 0;
        }
    return false;
}

bool gptl_core_option_read(enum gptl_option_id id, const char *key, const char *text,
                           long long *value)
{
    return strcmp(key, rows[id].key) == 0 && gptl_value_parse(&rows[id], text, value);
}

/* ---- Keys ---------------------------------------------------------------------------------- */

/* Return the number of single-character changes that turn B into A. */
static int distance(const char *a, const char *b)
{
    int row[WORD_SIZE + 1];
    int n = (int)strnlen(b, WORD_SIZE);
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 1; a[i - 1] && i <= WORD_SIZE; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[n];
}

static const char *nearest_key(const char *key)
{
    const char *nearest = "";
    int least = INT_MAX;
    struct gptl_option_text option;
    for (int i = 0; gptl_core_option_text(i, &option); i++) {
        int d = distance(key, option.key);
        if (d < least) {
            least = d;
            nearest = option.key;
        }
    }
    return nearest;
}

/*
 * Return the option KEY and its value in TEXT, or -1 after an error, which is silent if FROM is
 * NULL.
 */
static int parse_by_key(const char *key, const char *text, const char *from,
                        __typeof__(gptl_core_error) *error, long long *value)
{
    char allowed[256];
    for (int i = 0; i < GPTL_NOPTIONS; i++) {
        if (strcmp(key, rows[i].key) != 0)
            continue;
        if (gptl_value_parse(&rows[i], text, value))
            return i;
        gptl_value_allowed(&rows[i], allowed, sizeof allowed);
        if (from)
            error(from, "%s=%s: the value must be %s", key, text, allowed);
        return -1;
    }
    if (from)
        error(from, "there is no option \"%s\"; did you mean \"%s\"?", key, nearest_key(key));
    return -1;
}

/*
 * Set the run directory. A process that may not write there leaves no files elsewhere: it was given
 * another user, or another root.
 */
static void use_run_directory(const char *directory)
{
    static_assert(STRING_SIZE >= PATH_MAX, "a path is a string");
    char *own = strings[GPTL_STR_RUN_DIR];
    bool is_locked_out = *directory && !gptl_rundir_find(directory, own);
    if (!is_locked_out && *own)
        return;
    *own = '\0';
    set(GPTL_OPT_SALVAGE, 0);
    if (is_locked_out) {
        snprintf(strings[GPTL_STR_OUTPUT], STRING_SIZE, "none");
        is_given[GPTL_STR_OUTPUT] = true;
    }
}

/* Set a text; a text with a default cannot be empty. Return whether VALUE is valid. */
static bool set_string(enum gptl_string_id id, const char *value, const char *from)
{
    const char *initial = string_rows[id].initial;
    if (!*value && *initial) {
        if (from)
            gptl_core_error_job(from, "%s: the value is empty (expected a text, such as %s)",
                                string_rows[id].key, initial);
        return false;
    }
    if (id == GPTL_STR_RUN_DIR)
        use_run_directory(value);
    else
        snprintf(strings[id], STRING_SIZE, "%s", value);
    is_given[id] = true;
    return true;
}

/*
 * Set an option by KEY and VALUE, and return whether both are valid; errors are silent if FROM is
 * NULL. Text from the environment or a command line is the same for all processes of a job.
 */
static bool set_by_key(const char *key, const char *value, const char *from)
{
    for (int i = 0; i < GPTL_NSTRINGS; i++)
        if (strcmp(key, string_rows[i].key) == 0)
            return set_string((enum gptl_string_id)i, value, from);
    long long number;
    int i = parse_by_key(key, value, from, gptl_core_error_job, &number);
    if (i < 0)
        return false;
    set(i, number);
    from_environment[i] = true;
    return true;
}

/* ---- Parsing ------------------------------------------------------------------------------- */

static int parse(const char *text, const char *from)
{
    struct gptl_pair pair;
    int mistakes = 0;
    for (const char *p = text; p && (p = gptl_pair_next(p, &pair));) {
        if (!pair.unclosed) {
            mistakes += !set_by_key(pair.key, pair.value, from);
            continue;
        }
        mistakes++;
        if (from)
            gptl_core_error_job(from, "a quote is not closed in: %s", pair.unclosed);
    }
    return mistakes;
}

/* A change of an option. It is applied on a stack of the library, because it may load libraries. */
struct setting {
    const char *text, *from;
    int (*set)(int number, long long value);
    int number, result;
    long long value;
};

static void set_by_text(void *setting)
{
    struct setting *s = setting;
    gptl_lock();
    s->result = parse(s->text, s->from);
    if (gptl_is_on())
        gptl_options_apply();
    gptl_unlock();
}

static void set_by_number(void *setting)
{
    struct setting *s = setting;
    gptl_lock();
    s->result = s->set(s->number, s->value);
    gptl_unlock();
}

static int set_on_own_stack(void (*do_this)(void *), struct setting setting)
{
    struct gptl_work work;
    gptl_state_load();
    gptl_core_work_begin(&work); /* clocks are loaded and checked */
    gptl_own_stack_call(do_this, &setting);
    gptl_core_work_end(&work);
    return setting.result;
}

int gptl_core_set_options(const char *text, const char *from)
{
    return set_on_own_stack(set_by_text, (struct setting){.text = text, .from = from});
}

bool gptl_options_in_environment(void)
{
    /* NULL for a setuid program, whose user must not set options */
    const char *text = secure_getenv("GPTL_OPTIONS");
    return text && *text;
}

void gptl_options_begin(void)
{
    for (int i = 0; i < GPTL_NOPTIONS; i++) {
        set(i, rows[i].initial);
        from_environment[i] = false;
    }
    for (int i = 0; i < GPTL_NSTRINGS; i++)
        is_given[i] = false;
    /* GPTL_OPTIONS is read again after each GPTLfinalize, but its mistakes are printed once. */
    static uint64_t told;
    if (gptl_options_in_environment()) {
        const char *text = secure_getenv("GPTL_OPTIONS");
        uint64_t hash = gptl_name_hash((struct gptl_name){text, strlen(text), GPTL_KIND_USER});
        parse(text, hash == told ? NULL : "GPTL_OPTIONS");
        told = hash;
    }
    gptl_abi_choose_layout();
}

void gptl_options_suggest_layout(enum gptl_file_layout layout)
{
    if (gptl_core_option(GPTL_OPT_LAYOUT) == GPTL_LAYOUT_AUTO)
        set(GPTL_OPT_LAYOUT, layout);
}

void gptl_core_set_append(bool on)
{
    gptl_lock();
    gptl_state_load();
    set(GPTL_OPT_APPEND, on);
    gptl_unlock();
}

/* ---- The API ------------------------------------------------------------------------------- */

static int row_of_number(int number)
{
    for (int i = 0; i < GPTL_NOPTIONS; i++)
        if (rows[i].number == number && number >= 0)
            return i;
    return -1;
}

static int out_of_range(const char *function, const char *key, long long value, long long least,
                        long long most, const char *remedy)
{
    return gptl_core_error(function, "invalid value '%lld' for %s (expected %lld %s %lld)%s", value,
                           key, least, most == least + 1 ? "or" : "to", most, remedy);
}

/*
 * Set option I on behalf of the program; WHAT names the option in messages, and REMEDY ends a
 * message about its range.
 */
static int set_value(const char *function, const char *what, int i, long long value,
                     const char *remedy)
{
    const struct gptl_clock *clock =
        rows[i].type == GPTL_VALUE_CLOCK && value ? gptl_clock_wanted((int)value) : NULL;
    if (gptl_g.explicit_nesting > 0)
        return gptl_core_error(function, "%s comes after GPTLinitialize", what);
    if (!clock && (value < rows[i].least || value > rows[i].most))
        return out_of_range(function, rows[i].key, value, rows[i].least, rows[i].most, remedy);
    const char *unfit = clock ? gptl_clock_check(clock) : NULL;
    if (unfit)
        return gptl_core_error(function, "the clock %s cannot be used: %s", clock->name, unfit);
    if (!from_environment[i])
        set(i, value);
    else if (!clock)
        return 0; /* the environment's clock may have become available */
    if (gptl_is_on())
        gptl_options_apply();
    return 0;
}

/* Set the option `append` by the values that climate models use. */
static int set_print_mode(const char *function, const char *what, long long value)
{
    if (value != GPTLprint_write && value != GPTLprint_append)
        return out_of_range(function, "print_mode", value, GPTLprint_write, GPTLprint_append, "");
    return set_value(function, what, GPTL_OPT_APPEND, value == GPTLprint_append, "");
}

/* Set the option with NUMBER in gptl.h; WHAT and REMEDY as for set_value. */
static int set_numbered(const char *what, int number, long long value, const char *remedy)
{
    const char *function = "GPTLsetoption";
    if (number == GPTLprint_mode)
        return set_print_mode(function, what, value);
    int i = row_of_number(number);
    if (i >= 0 || gptl_g.explicit_nesting > 0)
        return set_value(function, what, i >= 0 ? i : 0, value, remedy);
    if ((number >= GPTL_IPC && number <= GPTL_L3MRT) || number < 0 || number > 1 << 20) {
        if (value != 0 && value != 1)
            return out_of_range(function, what, value, 0, 1, remedy);
        int rc = gptl_meter_set(function, number, value != 0);
        if (rc == 0 && gptl_is_on())
            gptl_options_apply();
        return rc;
    }
    return gptl_core_error(function, "there is no %s", what);
}

static int set_option(int number, long long value)
{
    char what[32];
    snprintf(what, sizeof what, "option %d", number);
    return set_numbered(what, gptl_abi_option(number), value, "");
}

static int set_plain_option(int number, long long value)
{
    char what[32];
    snprintf(what, sizeof what, "option %d", number);
    const char *remedy = gptl_abi_remedy(number);
    return set_numbered(what, gptl_abi_plain_option("GPTLsetoption", number), value, remedy);
}

int GPTLsetoption(int option, int value)
{
    return set_on_own_stack(set_by_number,
                            (struct setting){.set = set_option, .number = option, .value = value});
}

int gptl_plain_GPTLsetoption(int option, int value)
{
    return set_on_own_stack(
        set_by_number, (struct setting){.set = set_plain_option, .number = option, .value = value});
}

static int set_clock(int number, long long unused)
{
    (void)unused;
    const char *function = "GPTLsetutr";
    if (gptl_clock_by_number(number) || gptl_g.explicit_nesting > 0)
        return set_value(function, "it", GPTL_OPT_CLOCK, number, "");
    if (number == GPTLpapitime)
        return gptl_core_error(
            function, "the clock papitime comes with the counter library, which is not here");
    return gptl_core_error(function, "there is no clock %d", number);
}

int GPTLsetutr(int clock)
{
    return set_on_own_stack(set_by_number, (struct setting){.set = set_clock, .number = clock});
}

int gptl_core_set_option(const char *function, const char *key, const char *value)
{
    long long number;
    for (int i = 0; i < GPTL_NSTRINGS; i++)
        if (strcmp(key, string_rows[i].key) == 0)
            return gptl_core_error(function, "%s is a text, which only GPTL_OPTIONS can set", key);
    gptl_lock();
    gptl_state_load();
    int i = parse_by_key(key, value, function, gptl_core_error, &number);
    int rc = i < 0 ? -1 : set_value(function, key, i, number, "");
    gptl_unlock();
    return rc;
}
