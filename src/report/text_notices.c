/*
 * text_notices.c - notices that must precede the numbers, regardless of options.
 */
#include "config.h"

#include "report/text.h"

#include <stdio.h>

#include "report/name.h"

const char *gptl_text_plural(uint64_t n, const char *one, const char *several)
{
    return n == 1 ? one : several;
}

/* Format a size in the syntax of the option memory: whole K, M or G. */
static void format_bytes(char *to, size_t size, unsigned long long bytes)
{
    static const char units[] = " KMG";
    int unit = 0;
    while (unit < 3 && bytes % 1024 == 0 && bytes > 0) {
        bytes /= 1024;
        unit++;
    }
    snprintf(to, size, unit ? "%llu%c" : "%llu", bytes, units[unit]);
}

void gptl_text_folded(struct gptl_text *text, uint64_t paths, uint64_t names)
{
    struct gptl_out *out = text->out;
    char budget[32], more[32];
    if (paths == 0 && names == 0)
        return;
    format_bytes(budget, sizeof budget, text->profile->process.budget);
    format_bytes(more, sizeof more, 4ULL * text->profile->process.budget);
    gptl_out_format(out, "WARNING: the memory budget of %s was spent.\n", budget);
    if (paths)
        gptl_out_format(out,
                        "  %llu %s of further paths: their times are under \"(paths beyond the "
                        "memory budget)\", by region.\n",
                        (unsigned long long)paths, gptl_text_plural(paths, "call", "calls"));
    if (names)
        gptl_out_format(out,
                        "  %llu %s of further names: their times are under \"(other)\", where "
                        "they were called.\n",
                        (unsigned long long)names, gptl_text_plural(names, "call", "calls"));
    gptl_out_format(out, "  To see all of them, run with GPTL_OPTIONS=\"memory=%s\".\n\n", more);
}

void gptl_text_notices(struct gptl_text *text)
{
    const struct gptl_profile *profile = text->profile;
    uint64_t paths = 0, names = 0;
    for (int i = 0; i < profile->ncopies; i++) {
        paths += profile->copies[i].folded_paths;
        names += profile->copies[i].folded_names;
    }
    gptl_text_folded(text, paths, names);
    if (profile->unwrapped)
        gptl_out_format(text->out,
                        "NOTE: these functions of MPI are called, but not measured:\n  %s\n\n",
                        profile->unwrapped);
    if (profile->salvaged) {
        gptl_out_format(text->out,
                        "NOTE: process %ld had written no report. This one was made from what it "
                        "left in\n  ",
                        profile->process.pid);
        gptl_name_text(text->out, profile->salvaged, false);
        if (profile->is_partial)
            gptl_out_literal(text->out,
                             "\n  It lacks paths, names and threads that came after the file "
                             "had no more room.\n\n");
        else
            gptl_out_literal(text->out, "\n  It is whole up to the last call that ended.\n\n");
    }
}
