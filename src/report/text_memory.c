/* text_memory.c - the library's own memory, and the load of its hash tables. */
#include "config.h"

#include "report/text.h"

static double megabytes(size_t bytes)
{
    return (double)bytes / (1024 * 1024);
}

/* Return the number of shown paths, without the ones reserved by the library. */
static unsigned long number_of_paths(const struct gptl_view *view)
{
    unsigned long n = 0;
    for (uint32_t row = 1; row < view->copy->nnodes; row++)
        n += gptl_view_is_node(view, row);
    return n;
}

static void put_memory(struct gptl_text *text)
{
    const struct gptl_process *process = &text->profile->process;
    struct gptl_out *out = text->out;
    gptl_out_format(out, "\nMemory used by the library: %.3f MB of at most %.3f MB\n",
                    megabytes(process->memory), megabytes(process->budget));
    gptl_out_format(out, "  %-10s %12.3f MB  %lu %s\n", "names", megabytes(process->names_memory),
                    (unsigned long)process->nregions,
                    gptl_text_plural(process->nregions, "region", "regions"));
    for (int i = 0; i < text->profile->ncopies; i++) {
        const struct gptl_copy *copy = &text->profile->copies[i];
        unsigned long paths = number_of_paths(&text->views[i]);
        gptl_out_format(out, "  thread %-3d %12.3f MB  %lu %s", copy->thread,
                        megabytes(copy->memory), paths, gptl_text_plural(paths, "path", "paths"));
        if (copy->nthreads_served > 1)
            gptl_out_format(out, ", %lu threads one after another",
                            (unsigned long)copy->nthreads_served);
        gptl_out_char(out, '\n');
    }
}

static void put_tables(struct gptl_text *text)
{
    struct gptl_out *out = text->out;
    gptl_out_literal(out, "\nHash tables (paths in slots; longest search in steps; cache of names "
                          "by address):\n");
    for (int i = 0; i < text->profile->ncopies; i++) {
        const struct gptl_copy *copy = &text->profile->copies[i];
        double filled = copy->table_slots ? 100.0 * copy->table_used / copy->table_slots : 0;
        gptl_out_format(out,
                        "  thread %-3d %lu of %lu slots used (%.0f %%), longest search %lu, "
                        "cache %llu\n",
                        copy->thread, (unsigned long)copy->table_used,
                        (unsigned long)copy->table_slots, filled,
                        (unsigned long)copy->longest_probe, (unsigned long long)copy->cache_slots);
    }
}

void gptl_text_memory(struct gptl_text *text)
{
    put_memory(text);
    if (text->style.collision && text->profile->ncopies > 0)
        put_tables(text);
}
