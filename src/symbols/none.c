/* none.c - replaces this module in builds without libdw's headers: all lookups fail. */
#include "config.h"

#include "symbols/symbols.h"

#include <stddef.h>

struct gptl_symbols {
    char unused;
};

static struct gptl_symbols none;

struct gptl_symbols *gptl_symbols_open(void)
{
    return &none;
}

void gptl_symbols_close(struct gptl_symbols *symbols)
{
    (void)symbols;
}

int gptl_symbols_debug_dir(struct gptl_symbols *symbols, const char *folder)
{
    (void)symbols, (void)folder;
    return 0;
}

enum gptl_symbol_state gptl_symbols_find(struct gptl_symbols *symbols,
                                         const struct gptl_symbol_module *module, uint64_t offset,
                                         struct gptl_symbol *out)
{
    (void)symbols, (void)module, (void)offset, (void)out;
    return GPTL_SYMBOL_NO_LIBRARY;
}

enum gptl_symbol_state gptl_symbols_each(struct gptl_symbols *symbols,
                                         const struct gptl_symbol_module *module, bool with_files,
                                         void (*each)(void *arg, const struct gptl_symbol *symbol),
                                         void *arg)
{
    (void)symbols, (void)module, (void)with_files, (void)each, (void)arg;
    return GPTL_SYMBOL_NO_LIBRARY;
}

const char *gptl_symbols_build_id(struct gptl_symbols *symbols, const char *path)
{
    (void)symbols, (void)path;
    return NULL;
}
