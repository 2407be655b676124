/*
 * filter.c - excludes functions.
 *
 * The first call of any function in a module evaluates the patterns for all its functions. Later
 * calls need only a search among addresses, without names and without allocation.
 */
#include "config.h"

#include "autoprof/filter.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/core.h"
#include "core/descriptor.h"
#include "symbols/symbols.h"

/* ---- Patterns ------------------------------------------------------------------------------ */

enum verb { EXCLUDE, INCLUDE };
enum subject { NAME, SOURCE };

struct pattern {
    struct pattern *next;
    char text[];
};

struct patterns {
    struct pattern *globs;
    char **exact; /* sorted */
    size_t nexact, capacity;
};

static struct patterns patterns[2][2]; /* indexed by verb and subject */
static size_t npatterns;

static bool is_glob(const char *text)
{
    return strpbrk(text, "*?[\\") != NULL;
}

static bool add_exact(struct patterns *to, const char *text)
{
    if (to->nexact == to->capacity) {
        size_t capacity = to->capacity ? 2 * to->capacity : 64;
        char **more = realloc(to->exact, capacity * sizeof *more);
        if (!more)
            return false;
        to->exact = more;
        to->capacity = capacity;
    }
    to->exact[to->nexact] = strdup(text);
    return to->exact[to->nexact] && ++to->nexact;
}

static bool add_glob(struct patterns *to, const char *text)
{
    size_t size = strlen(text) + 1;
    struct pattern *pattern = malloc(sizeof *pattern + size);
    if (!pattern)
        return false;
    memcpy(pattern->text, text, size);
    pattern->next = to->globs;
    to->globs = pattern;
    return true;
}

static void add_pattern(enum verb verb, const char *text)
{
    enum subject subject = strncmp(text, "file:", 5) == 0 ? SOURCE : NAME;
    struct patterns *to = &patterns[verb][subject];
    if (subject == SOURCE)
        text += 5;
    if (!*text)
        return;
    if (is_glob(text) ? add_glob(to, text) : add_exact(to, text))
        npatterns++;
    else
        gptl_core_error("filter", "no memory for the patterns");
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool matches(const struct patterns *among, const char *text)
{
    if (among->nexact && bsearch(&text, among->exact, among->nexact, sizeof *among->exact, by_text))
        return true;
    for (const struct pattern *p = among->globs; p; p = p->next)
        if (fnmatch(p->text, text, 0) == 0)
            return true;
    return false;
}

/* ---- Sources of patterns --------------------------------------------------------------------- */

static char *trim(char *text)
{
    char *end = text + strlen(text);
    while (*text == ' ' || *text == '\t')
        text++;
    while (end > text && strchr(" \t\r\n", end[-1]))
        *--end = '\0';
    return text;
}

/* Add patterns separated by commas. */
static void read_list(enum verb verb, const char *list)
{
    char *copy = strdup(list);
    for (char *rest = copy, *word; rest && (word = strsep(&rest, ","));)
        add_pattern(verb, trim(word));
    free(copy);
}

/* Parse LINE of a filter file, which starts with a letter; false on a syntax error. */
static bool read_line(char *line)
{
    static const char *const verbs[] = {"exclude", "include"};
    for (int verb = 0; verb < 2; verb++) {
        size_t n = strlen(verbs[verb]);
        if (strncmp(line, verbs[verb], n) != 0 || (line[n] != ' ' && line[n] != '\t'))
            continue;
        add_pattern((enum verb)verb, trim(line + n));
        return true;
    }
    return false;
}

static void read_file(const char *path)
{
    int fd = gptl_descriptor_open(path, O_RDONLY, 0);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!file) {
        gptl_core_error_job("filter", "%s: %s; no function is left out by it", path,
                            strerror(errno));
        return;
    }
    char *line = NULL;
    size_t size = 0;
    unsigned long number = 0;
    while (getline(&line, &size, file) >= 0) {
        char *text = trim(line);
        number++;
        if (*text && *text != '#' && !read_line(text))
            gptl_core_error_job(
                "filter", "%s:%lu: \"%.60s\" is not \"exclude PATTERN\" or \"include PATTERN\"",
                path, number, text);
    }
    free(line);
    fclose(file);
}

void gptl_filter_begin(void)
{
    const char *path = gptl_core_string(GPTL_STR_FILTER);
    if (*path)
        read_file(path);
    read_list(EXCLUDE, gptl_core_string(GPTL_STR_EXCLUDE));
    read_list(INCLUDE, gptl_core_string(GPTL_STR_INCLUDE));
    for (int i = 0; i < 4; i++)
        if (patterns[i / 2][i % 2].nexact)
            qsort(patterns[i / 2][i % 2].exact, patterns[i / 2][i % 2].nexact, sizeof(char *),
                  by_text);
}

bool gptl_filter_is_on(void)
{
    return npatterns > 0;
}

/* ---- Functions ----------------------------------------------------------------------------- */

/*
 * Remove the parameters: the text from the parenthesis that matches the last closing one. Keep the
 * parentheses of "operator()" itself.
 */
static void cut_parameters(char *name)
{
    char *close = strrchr(name, ')');
    int depth = 0;
    for (char *c = close; c && c > name; c--) {
        depth += (*c == ')') - (*c == '(');
        if (depth > 0)
            continue;
        if (c - name < 8 || strncmp(c - 8, "operator", 8) != 0)
            *c = '\0';
        return;
    }
}

static bool is_named(enum verb verb, const struct gptl_symbol *symbol, const char *readable,
                     const char *shorter)
{
    const struct patterns *names = &patterns[verb][NAME], *sources = &patterns[verb][SOURCE];
    if (matches(names, symbol->name) || (readable && matches(names, readable)) ||
        (shorter && matches(names, shorter)))
        return true;
    if (!symbol->file)
        return false;
    const char *slash = strrchr(symbol->file, '/');
    return matches(sources, symbol->file) || (slash && matches(sources, slash + 1));
}

static bool has_any(enum verb verb)
{
    for (int subject = 0; subject < 2; subject++)
        if (patterns[verb][subject].nexact || patterns[verb][subject].globs)
            return true;
    return false;
}

/*
 * Remove the suffix that compilers append to a clone of a function: "f.avx2", "f.constprop.0", "f
 * [clone .cold]".
 */
static void cut_suffix(char *name, bool is_mangled)
{
    char *end = strstr(name, " [clone ");
    if (!end && !is_mangled)
        end = strchr(name, '.');
    if (end && end > name)
        *end = '\0';
}

static bool is_left_out(const struct gptl_symbol *symbol)
{
    char *readable = gptl_symbols_demangle(symbol->name, symbol->file);
    char *shorter = readable ? strdup(readable) : NULL;
    if (shorter) {
        cut_parameters(shorter);
        cut_suffix(shorter, strncmp(symbol->name, "_Z", 2) == 0);
    }
    bool out = is_named(EXCLUDE, symbol, readable, shorter) ||
               (has_any(INCLUDE) && !is_named(INCLUDE, symbol, readable, shorter));
    free(readable);
    free(shorter);
    return out;
}

struct collection {
    uint64_t *offsets;
    size_t n, capacity;
    bool failed;
};

static void collect(void *arg, const struct gptl_symbol *symbol)
{
    struct collection *to = arg;
    if (to->failed || !is_left_out(symbol))
        return;
    if (to->n == to->capacity) {
        size_t capacity = to->capacity ? 2 * to->capacity : 1024;
        uint64_t *more = realloc(to->offsets, capacity * sizeof *more);
        to->failed = !more;
        if (!more)
            return;
        to->offsets = more;
        to->capacity = capacity;
    }
    to->offsets[to->n++] = symbol->start;
}

static int by_offset(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static struct gptl_left_out *keep(const struct collection *from)
{
    size_t size = sizeof(struct gptl_left_out) + from->n * sizeof(uint64_t);
    struct gptl_left_out *kept =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (kept == MAP_FAILED)
        return NULL;
    kept->size = size;
    kept->n = from->n;
    memcpy(kept->offsets, from->offsets, from->n * sizeof(uint64_t));
    qsort(kept->offsets, kept->n, sizeof(uint64_t), by_offset);
    return kept;
}

struct gptl_left_out *gptl_filter_module(const char *path, const char *build_id)
{
    struct gptl_symbol_module module = {path, build_id};
    struct collection found = {0};
    bool files = patterns[EXCLUDE][SOURCE].nexact || patterns[EXCLUDE][SOURCE].globs ||
                 patterns[INCLUDE][SOURCE].nexact || patterns[INCLUDE][SOURCE].globs;
    struct gptl_symbols *symbols = gptl_symbols_open();
    enum gptl_symbol_state state = symbols
                                       ? gptl_symbols_each(symbols, &module, files, collect, &found)
                                       : GPTL_SYMBOL_NO_MEMORY;
    if (state != GPTL_SYMBOL_FOUND)
        gptl_core_warn("filter", "%s: its functions are not filtered by name: %s", path,
                       gptl_symbols_why(state));
    struct gptl_left_out *kept = found.n && !found.failed ? keep(&found) : NULL;
    gptl_symbols_close(symbols);
    free(found.offsets);
    return kept;
}

void gptl_filter_free(struct gptl_left_out *left_out)
{
    if (left_out)
        munmap(left_out, left_out->size);
}

bool gptl_filter_leaves_out(const struct gptl_left_out *left_out, uint64_t offset)
{
    return left_out && bsearch(&offset, left_out->offsets, left_out->n, sizeof offset, by_offset);
}
