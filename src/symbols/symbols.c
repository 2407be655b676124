/* symbols.c - the requested modules, each opened once. */
#include "config.h"

#include "symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/module.h"

struct gptl_symbols {
    struct gptl_debug_dirs dirs;
    struct gptl_elf *modules; /* most recently used first */
};

static int insert_dir(struct gptl_debug_dirs *dirs, const char *folder)
{
    char **more = realloc(dirs->dirs, (dirs->n + 1) * sizeof *more);
    if (!more)
        return -1;
    dirs->dirs = more;
    char *copy = strdup(folder);
    if (!copy)
        return -1;
    /* insert before the system's directory, which stays last */
    size_t at = dirs->n > 0 ? dirs->n - 1 : 0;
    memmove(more + at + 1, more + at, (dirs->n - at) * sizeof *more);
    more[at] = copy;
    dirs->n++;
    return 0;
}

struct gptl_symbols *gptl_symbols_open(void)
{
    struct gptl_symbols *symbols = calloc(1, sizeof *symbols);
    if (symbols && insert_dir(&symbols->dirs, "/usr/lib/debug")) {
        gptl_symbols_close(symbols);
        return NULL;
    }
    return symbols;
}

void gptl_symbols_close(struct gptl_symbols *symbols)
{
    if (!symbols)
        return;
    while (symbols->modules) {
        struct gptl_elf *next = symbols->modules->next;
        gptl_elf_free(symbols->modules);
        symbols->modules = next;
    }
    for (size_t i = 0; i < symbols->dirs.n; i++)
        free(symbols->dirs.dirs[i]);
    free(symbols->dirs.dirs);
    free(symbols);
}

int gptl_symbols_debug_dir(struct gptl_symbols *symbols, const char *folder)
{
    return insert_dir(&symbols->dirs, folder);
}

/* Return the open module, moved to the front of the list; NULL when out of memory. */
static struct gptl_elf *open_module(struct gptl_symbols *symbols, const struct gptl_libdw *dw,
                                    const struct gptl_symbol_module *module)
{
    const char *build_id = module->build_id ? module->build_id : "";
    struct gptl_elf **at = &symbols->modules;
    while (*at &&
           (strcmp((*at)->path, module->path) != 0 || strcmp((*at)->build_id, build_id) != 0))
        at = &(*at)->next;
    struct gptl_elf *elf = *at;
    if (elf)
        *at = elf->next;
    else
        elf = gptl_elf_new(dw, &symbols->dirs, module);
    if (elf) {
        elf->next = symbols->modules;
        symbols->modules = elf;
    }
    return elf;
}

enum gptl_symbol_state gptl_symbols_find(struct gptl_symbols *symbols,
                                         const struct gptl_symbol_module *module, uint64_t offset,
                                         struct gptl_symbol *out)
{
    const struct gptl_libdw *dw = gptl_libdw();
    if (!dw)
        return GPTL_SYMBOL_NO_LIBRARY;
    struct gptl_elf *elf = open_module(symbols, dw, module);
    if (!elf)
        return GPTL_SYMBOL_NO_MEMORY;
    if (elf->state != GPTL_SYMBOL_FOUND)
        return elf->state;
    const struct gptl_elf_function *function = gptl_elf_function(elf, offset);
    if (!function)
        return elf->stripped ? GPTL_SYMBOL_STRIPPED : GPTL_SYMBOL_NO_FUNCTION;
    *out = (struct gptl_symbol){.name = function->name, .start = function->start};
    bool is_stub = function->source != function->start;
    gptl_elf_line(elf, is_stub ? function->source : offset, out);
    return GPTL_SYMBOL_FOUND;
}

enum gptl_symbol_state gptl_symbols_each(struct gptl_symbols *symbols,
                                         const struct gptl_symbol_module *module, bool with_files,
                                         void (*each)(void *arg, const struct gptl_symbol *symbol),
                                         void *arg)
{
    const struct gptl_libdw *dw = gptl_libdw();
    if (!dw)
        return GPTL_SYMBOL_NO_LIBRARY;
    struct gptl_elf *elf = open_module(symbols, dw, module);
    if (!elf)
        return GPTL_SYMBOL_NO_MEMORY;
    for (size_t i = 0; elf->state == GPTL_SYMBOL_FOUND && i < elf->nfunctions; i++) {
        const struct gptl_elf_function *function = &elf->functions[i];
        struct gptl_symbol symbol = {.name = function->name, .start = function->start};
        if (with_files)
            gptl_elf_line(elf, function->source, &symbol);
        each(arg, &symbol);
    }
    return elf->state;
}

const char *gptl_symbols_build_id(struct gptl_symbols *symbols, const char *path)
{
    const struct gptl_libdw *dw = gptl_libdw();
    const struct gptl_symbol_module any = {path, NULL};
    struct gptl_elf *elf = dw ? open_module(symbols, dw, &any) : NULL;
    return elf && elf->module ? elf->own_id : NULL;
}
