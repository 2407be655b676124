/* resolve.c - finds the names of a profile's functions. */
#include "config.h"

#include "report/resolve.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

char *gptl_report_function_name(struct gptl_symbols *symbols,
                                const struct gptl_symbol_module *module, uint64_t offset,
                                bool demangle, struct gptl_symbol *found,
                                enum gptl_symbol_state *state)
{
    struct gptl_symbol symbol;
    *state = gptl_symbols_find(symbols, module, offset, &symbol);
    if (*state != GPTL_SYMBOL_FOUND)
        return NULL;
    char *name = demangle ? gptl_symbols_demangle(symbol.name, symbol.file)
                          : gptl_symbols_bound(strdup(symbol.name));
    if (!name)
        *state = GPTL_SYMBOL_NO_MEMORY;
    else if (found)
        *found = symbol;
    return name;
}

static void find_name(struct gptl_profile *profile, struct gptl_function *function,
                      struct gptl_symbols *symbols, bool demangle)
{
    if (function->name || function->module >= profile->nmodules)
        return;
    const struct gptl_module *own = &profile->modules[function->module];
    struct gptl_symbol_module module = {own->path, own->build_id};
    struct gptl_symbol symbol;
    enum gptl_symbol_state state;
    char *name =
        gptl_report_function_name(symbols, &module, function->offset, demangle, &symbol, &state);
    if (!name)
        return;
    function->name = gptl_report_keep(profile, name, strlen(name));
    if (function->name && symbol.file) {
        function->file = gptl_report_keep(profile, symbol.file, strlen(symbol.file));
        function->line = function->file ? symbol.line : 0;
    }
    free(name);
}

/* ---- Insertion of names ---------------------------------------------------------------------- */

static const char *shown_name(const struct gptl_profile *profile, uint32_t region,
                              const char *before)
{
    const struct gptl_function *function = gptl_report_function(profile, region);
    return function && function->name ? function->name : before;
}

/*
 * Return the name for an address. Crossed stops, which refer to regions only by name, need this
 * linear search; they are rare.
 */
static const char *name_for_address(const struct gptl_profile *profile, const char *address)
{
    for (uint32_t i = 0; i < profile->nfunctions; i++) {
        const struct gptl_function *function = &profile->functions[i];
        if (function->name && function->address && strcmp(function->address, address) == 0)
            return function->name;
    }
    return address;
}

static void show_names(const struct gptl_profile *profile, struct gptl_copy *copy)
{
    for (uint32_t i = 1; i < copy->nnodes; i++)
        copy->nodes[i].name = shown_name(profile, copy->nodes[i].region, copy->nodes[i].name);
    for (uint32_t i = 0; i < copy->ncrossings; i++) {
        struct gptl_crossing *crossing = &copy->crossings[i];
        crossing->stopped = name_for_address(profile, crossing->stopped);
        crossing->inside = name_for_address(profile, crossing->inside);
    }
}

/* The host's thread must not be cancelled while files are open, and its errno is preserved. */
void gptl_report_resolve_by(struct gptl_profile *profile, struct gptl_symbols *symbols,
                            bool demangle)
{
    int cancel, error = errno;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    for (uint32_t i = 0; i < profile->nfunctions; i++)
        find_name(profile, &profile->functions[i], symbols, demangle);
    for (int i = 0; i < profile->ncopies && profile->nfunctions > 0; i++)
        show_names(profile, &profile->copies[i]);
    pthread_setcancelstate(cancel, &cancel);
    errno = error;
}

void gptl_report_resolve(struct gptl_profile *profile, bool demangle)
{
    if (profile->nfunctions == 0)
        return;
    struct gptl_symbols *symbols = gptl_symbols_open();
    if (!symbols)
        return;
    gptl_report_resolve_by(profile, symbols, demangle);
    gptl_symbols_close(symbols);
}
