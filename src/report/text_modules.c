/*
 * text_modules.c - the placeholder MODULE+address of an unnamed function, and the files of these
 * modules.
 */
#include "config.h"

#include "report/text.h"

#include <stdlib.h>
#include <string.h>

#include "report/name.h"

/* Mark the modules referenced by placeholder names in this report. */
static uint32_t mark_used(const struct gptl_profile *profile, bool *used)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < profile->nfunctions; i++) {
        const struct gptl_function *function = &profile->functions[i];
        if (function->name || used[function->module])
            continue;
        used[function->module] = true;
        n++;
    }
    return n;
}

static size_t widest(const struct gptl_profile *profile, const bool *used, bool path)
{
    size_t width = 0;
    for (uint32_t i = 0; i < profile->nmodules; i++) {
        const struct gptl_module *module = &profile->modules[i];
        size_t n = strlen(path ? module->path : module->label);
        if (used[i] && n > width)
            width = n;
    }
    return width;
}

static void put_padded(struct gptl_out *out, const char *text, size_t width)
{
    size_t n = strlen(text);
    gptl_name_text(out, text, false);
    gptl_out_blanks(out, n < width ? width - n + 2 : 2);
}

int gptl_text_modules(struct gptl_text *text)
{
    const struct gptl_profile *profile = text->profile;
    bool *used = calloc(profile->nmodules + 1, sizeof *used);
    if (!used)
        return -1;
    if (mark_used(profile, used)) {
        size_t labels = widest(profile, used, false), paths = widest(profile, used, true);
        gptl_out_literal(text->out,
                         "\nModules (a function without a name is printed as MODULE+address):\n");
        for (uint32_t i = 0; i < profile->nmodules; i++) {
            const struct gptl_module *module = &profile->modules[i];
            if (!used[i])
                continue;
            gptl_out_literal(text->out, "  ");
            put_padded(text->out, module->label, labels);
            put_padded(text->out, *module->path ? module->path : "unknown", paths);
            gptl_out_literal(text->out, "build id ");
            gptl_out_text(text->out, *module->build_id ? module->build_id : "none");
            gptl_out_char(text->out, '\n');
        }
    }
    free(used);
    return 0;
}
