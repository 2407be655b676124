/* salvage_read.c - reads the salvage file of a killed process. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/amounts.h"
#include "core/function.h"
#include "core/ledger.h"
#include "core/metrics.h"
#include "core/salvage_image.h"

/* ---- Keyed counters ------------------------------------------------------------------------ */

static const char *row_name(const struct gptl_salvage_image *image,
                            const struct gptl_ledger_row *row)
{
    if (row->number == GPTL_LEDGER_REST)
        return GPTL_LEDGER_REST_NAME;
    if (row->size == 0)
        return NULL;
    const char *name = gptl_salvage_bytes_at(image, (uint64_t)(uintptr_t)row->name, row->size);
    return name && name[row->size - 1] == '\0' ? name : "(unreadable)";
}

static int copy_rows(const struct gptl_salvage_image *image, const struct gptl_ledger_row *rows,
                     uint64_t n, struct gptl_accounts *out)
{
    for (uint64_t i = 0; i < n; i++)
        if (rows[i].ledger && gptl_accounts_add(out, &rows[i], row_name(image, &rows[i])))
            return -1;
    return 0;
}

static int copy_accounts(const struct gptl_salvage_image *image, struct gptl_accounts *out)
{
    for (uint64_t i = 0; i < image->header->nthreads && i < image->size; i++) {
        const struct gptl_thread *t = gptl_salvage_thread_at(image, i);
        const struct gptl_ledger_table *table =
            t && t->ledger ? gptl_salvage_at_pointer(image, t->ledger, sizeof *table) : NULL;
        if (!table || table->room > image->size ||
            !gptl_salvage_at_pointer(image, t->ledger,
                                     sizeof *table + (uint64_t)table->room * sizeof *table->rows))
            continue;
        if (copy_rows(image, table->rest, GPTL_NLEDGERS, out) ||
            copy_rows(image, table->rows, table->room, out))
            return -1;
    }
    gptl_core_accounts_join(out);
    return 0;
}

/* ---- Functions ----------------------------------------------------------------------------- */

/* Lists are followed up to the maximum number of elements: a damaged one may be a ring. */

static const struct gptl_kept_module *module_at(const struct gptl_salvage_image *image,
                                                uint64_t address)
{
    const struct gptl_kept_module *m = gptl_salvage_at(image, address, sizeof *m);
    uint64_t size = m ? (uint64_t)m->label_size + m->path_size + m->build_id_size : 0;
    if (!m || !m->label_size || !m->path_size || !m->build_id_size ||
        !gptl_salvage_at(image, address, sizeof *m + size))
        return NULL;
    const char *end = m->text + size;
    return m->text[m->label_size - 1] == '\0' && end[-1] == '\0' &&
                   m->text[m->label_size + m->path_size - 1] == '\0'
               ? m
               : NULL;
}

static int copy_modules(const struct gptl_salvage_image *image, struct gptl_function_copies *out)
{
    uint64_t most = image->size / sizeof(struct gptl_kept_module), n = 0;
    for (int pass = 0; pass < 2; pass++) {
        const struct gptl_kept_module *m = module_at(image, image->header->modules);
        for (n = 0; m && n < most && m->index == n; n++) {
            if (pass == 1 && !gptl_function_copy_module(m, &out->modules[out->nmodules++]))
                return -1;
            m = module_at(image, (uint64_t)(uintptr_t)m->next);
        }
        if (pass == 0 && !(out->modules = calloc(n + 1, sizeof *out->modules)))
            return -1;
    }
    return 0;
}

static int copy_function(const struct gptl_salvage_image *image, const struct gptl_kept_function *f,
                         struct gptl_function_copies *out)
{
    uint32_t id, kind;
    const char *name = gptl_salvage_name_at(image, f->region, &id, &kind);
    const struct gptl_kept_module *m = module_at(image, (uint64_t)(uintptr_t)f->module);
    if (!name || !m || m->index >= out->nmodules || f->left_out)
        return 0;
    struct gptl_function *to = &out->functions[out->nfunctions++];
    to->region = id;
    to->module = m->index;
    to->offset = f->offset;
    to->address = strdup(name);
    return to->address ? 0 : -1;
}

static int copy_functions(const struct gptl_salvage_image *image, struct gptl_function_copies *out)
{
    uint64_t most = image->size / sizeof(struct gptl_kept_function), n = 0;
    if (copy_modules(image, out))
        return -1;
    for (int pass = 0; pass < 2; pass++) {
        const struct gptl_kept_function *f =
            gptl_salvage_at(image, image->header->functions, sizeof *f);
        for (n = 0; f && n < most; n++) {
            if (pass == 1 && copy_function(image, f, out))
                return -1;
            f = gptl_salvage_at_pointer(image, f->next, sizeof *f);
        }
        if (pass == 0 && !(out->functions = calloc(n + 1, sizeof *out->functions)))
            return -1;
    }
    gptl_core_sort_functions(out);
    return 0;
}

static int copy_metrics(struct gptl_salvage_image *image, struct gptl_metrics *out)
{
    const struct gptl_kept_metrics *kept =
        gptl_salvage_at(image, image->header->metrics, sizeof *kept);
    if (!kept || !gptl_salvage_at(image, image->header->metrics, kept->size))
        return 0;
    int rc = gptl_metrics_read(kept, kept->size, out);
    image->nslots = out->nslots;
    image->has_amounts = out->nslots && gptl_amounts_at(kept, &image->first_amount);
    return rc;
}

/* ---- The file ------------------------------------------------------------------------------ */

int gptl_core_salvage_read(const char *path, struct gptl_copy **copies, int *ncopies,
                           struct gptl_function_copies *functions, struct gptl_metrics *metrics,
                           struct gptl_accounts *accounts, struct gptl_process *process,
                           struct gptl_clock_finding *clock, bool *is_partial, char *why,
                           size_t whysize)
{
    struct gptl_salvage_image image = {0};
    const char *wrong = gptl_salvage_map(path, &image);
    uint64_t now = 0;
    memset(functions, 0, sizeof *functions);
    memset(metrics, 0, sizeof *metrics);
    *accounts = (struct gptl_accounts){0};
    if (!wrong && (copy_metrics(&image, metrics) != 0 ||
                   gptl_salvage_copy_threads(&image, copies, ncopies, &now) != 0 ||
                   copy_functions(&image, functions) != 0 || copy_accounts(&image, accounts) != 0))
        wrong = "there is no memory for its content";
    if (wrong) {
        snprintf(why, whysize, "%s: %s", path, wrong);
        return -1;
    }
    const struct gptl_salvage_header *h = image.header;
    if (h->reported) {
        gptl_core_copy_free(*copies, *ncopies);
        gptl_core_functions_free(functions);
        gptl_core_metrics_free(metrics);
        gptl_core_accounts_free(accounts);
        snprintf(why, whysize, "%s: nothing is lost: its process reported what is in it", path);
        return 1;
    }
    *process = (struct gptl_process){
        .pid = (long)h->pid,
        .rank = (int)h->rank,
        .program = h->program,
        .started = h->started,
        .elapsed = (double)(now - h->started_at) * h->seconds_per_tick,
        .memory = image.size,
        .budget = (size_t)gptl_core_option(GPTL_OPT_BUDGET),
    };
    *is_partial = h->is_partial != 0;
    *clock = (struct gptl_clock_finding){
        .name = h->clock,
        .source = h->clock_source,
        .kernel = h->clock_kernel,
        .cost = h->clock_cost,
        .resolution = h->clock_resolution,
        .seconds_per_tick = h->seconds_per_tick,
        .monotonic = true,
        .rejected = "",
    };
    return 0;
}
