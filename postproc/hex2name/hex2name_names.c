/*
 * hex2name_names.c - the modules of a report, and a cache of the names of its addresses. Each
 * address is looked up once; failures are cached too.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/hex2name/hex2name.h"

struct entry {
    uint64_t offset;
    uint32_t module; /* index plus 1; 0: a bare address */
    bool used, marked;
    enum gptl_symbol_state state;
    char *name;
};

struct hex_names {
    hex_finder *find;
    void *data;
    struct hex_module *modules;
    size_t nmodules;
    struct entry *entries; /* hash table with open addressing, never full */
    size_t size, used;
};

struct hex_names *hex_names_new(hex_finder *find, void *data)
{
    struct hex_names *names = calloc(1, sizeof *names);
    if (names) {
        names->find = find;
        names->data = data;
    }
    return names;
}

void hex_names_free(struct hex_names *names)
{
    if (!names)
        return;
    for (size_t i = 0; i < names->nmodules; i++) {
        free(names->modules[i].label);
        free(names->modules[i].path);
        free(names->modules[i].build_id);
    }
    for (size_t i = 0; i < names->size; i++)
        free(names->entries[i].name);
    free(names->modules);
    free(names->entries);
    free(names);
}

/* ---- Modules --------------------------------------------------------------------------------- */

const struct hex_module *hex_names_modules(const struct hex_names *names, size_t *n)
{
    *n = names->nmodules;
    return names->modules;
}

/* Return a copy of the text from FROM to TO without surrounding spaces. */
static char *trimmed(const char *from, const char *to)
{
    while (from < to && *from == ' ')
        from++;
    while (from < to && to[-1] == ' ')
        to--;
    return strndup(from, (size_t)(to - from));
}

/* Return the last "build id" in the line, because the path before it may contain the same words. */
static const char *find_build_id(const struct hex_line *line)
{
    static const char words[] = " build id ";
    const char *found = NULL, *from = line->text, *end = line->text + line->length;
    while ((from = memmem(from, (size_t)(end - from), words, sizeof words - 1)) != NULL)
        found = ++from;
    return found;
}

int hex_names_add(struct hex_names *names, const char *label, const char *path,
                  const char *build_id, uint32_t part)
{
    struct hex_module *more = realloc(names->modules, (names->nmodules + 1) * sizeof *more);
    if (!more)
        return -1;
    names->modules = more;
    struct hex_module *module = &more[names->nmodules++];
    *module = (struct hex_module){strdup(label), strdup(path), strdup(build_id), part};
    return module->label && module->path && module->build_id ? 0 : -1;
}

int hex_names_add_line(struct hex_names *names, const struct hex_line *line)
{
    const char *text = line->text, *end = text + line->length, *build_id = find_build_id(line);
    while (text < end && *text == ' ')
        text++;
    const char *label = text;
    while (text < end && *text != ' ')
        text++;
    if (line->heading || line->text[0] != ' ' || !build_id || build_id < text)
        return 0;
    char *name = trimmed(label, text), *path = trimmed(text, build_id);
    char *id = trimmed(build_id + strlen("build id"), end);
    int result = -1;
    if (name && path && id)
        result = hex_names_add(names, name, path, strcmp(id, "none") ? id : "", line->part);
    free(name);
    free(path);
    free(id);
    return result;
}

/*
 * Return the distance of a module's report to report PART: first the same report, then an earlier,
 * then a later one.
 */
static uint64_t distance(uint32_t module, uint32_t part)
{
    return module <= part ? part - module : (uint64_t)module << 32;
}

/* Return the index of the module plus 1, or 0 if it does not exist. */
static uint32_t find_module(const struct hex_names *names, const struct hex_address *address,
                            uint32_t part)
{
    uint32_t best = 0;
    for (size_t i = 0; i < names->nmodules; i++) {
        const struct hex_module *module = &names->modules[i];
        if (strlen(module->label) == address->label_length &&
            memcmp(module->label, address->label, address->label_length) == 0 &&
            (best == 0 ||
             distance(module->part, part) < distance(names->modules[best - 1].part, part)))
            best = (uint32_t)i + 1;
    }
    return best;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static struct entry *slot_of(struct entry *entries, size_t size, uint32_t module, uint64_t offset)
{
    uint64_t hash = (offset + (uint64_t)module * 0x100000001b3) * 0x9e3779b97f4a7c15;
    size_t at = (size_t)(hash >> 32) & (size - 1);
    while (entries[at].used && (entries[at].offset != offset || entries[at].module != module))
        at = (at + 1) & (size - 1);
    return &entries[at];
}

static bool grow(struct hex_names *names)
{
    size_t size = names->size ? 2 * names->size : 256;
    struct entry *entries = calloc(size, sizeof *entries);
    if (!entries)
        return false;
    for (size_t i = 0; i < names->size; i++) {
        struct entry *old = &names->entries[i];
        if (old->used)
            *slot_of(entries, size, old->module, old->offset) = *old;
    }
    free(names->entries);
    names->entries = entries;
    names->size = size;
    return true;
}

const char *hex_names_find(struct hex_names *names, const struct hex_address *address,
                           uint32_t part)
{
    uint32_t module = address->label_length > 0 ? find_module(names, address, part) : 0;
    if (module == 0 && address->label_length > 0)
        return NULL;
    if (2 * names->used >= names->size && !grow(names))
        return NULL;
    struct entry *entry = slot_of(names->entries, names->size, module, address->offset);
    if (!entry->used) {
        *entry = (struct entry){address->offset, module, true, address->marked, 0, NULL};
        names->used++;
        entry->name = names->find(names->data, module ? &names->modules[module - 1] : NULL,
                                  address->offset, &entry->state);
    }
    return entry->name;
}

/* ---- Unnamed addresses ----------------------------------------------------------------------- */

enum { SHOWN = 3 };

static int compare(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    if (a->state != b->state)
        return a->state < b->state ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

static void say_group(const struct hex_names *names, const struct entry *entries, size_t n,
                      const char *program)
{
    const struct hex_module *module = entries->module ? &names->modules[entries->module - 1] : NULL;
    fprintf(stderr, "gptl hex2name: %s%s%s: %zu %s without a name (",
            module ? module->label : program, module && *module->path ? ", " : "",
            module ? module->path : "", n, n == 1 ? "address" : "addresses");
    for (size_t i = 0; i < n && i < SHOWN; i++)
        fprintf(stderr, "%s0x%" PRIx64, i ? ", " : "", entries[i].offset);
    fprintf(stderr, "%s): %s%s\n", n > SHOWN ? ", ..." : "", gptl_symbols_why(entries->state),
            module ? "" : " (if it is position-independent, it lay elsewhere in that run)");
}

/* Omits bare addresses that are probably names of the user's, such as the word "facade". */
void hex_names_say_unnamed(const struct hex_names *names, const char *program)
{
    size_t n = 0;
    struct entry *unnamed = malloc((names->used + 1) * sizeof *unnamed);
    if (!unnamed)
        return;
    for (size_t i = 0; i < names->size; i++) {
        const struct entry *entry = &names->entries[i];
        if (entry->used && !entry->name && (entry->module || entry->marked))
            unnamed[n++] = *entry;
    }
    qsort(unnamed, n, sizeof *unnamed, compare);
    for (size_t i = 0, group; i < n; i += group) {
        group = 1;
        while (i + group < n && unnamed[i + group].module == unnamed[i].module &&
               unnamed[i + group].state == unnamed[i].state)
            group++;
        say_group(names, &unnamed[i], group, program);
    }
    free(unnamed);
}
