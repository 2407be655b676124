/* metrics.c - descriptions of the values other than time, in a form for the salvage file. */
#include "config.h"

#include "core/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/salvage.h"
#include "core/state.h"

static struct gptl_kept_metrics *kept;

/* ---- Keeping ------------------------------------------------------------------------------- */

static const char *const *texts_of(const struct gptl_metric *metric, const char *texts[6])
{
    texts[0] = metric->name;
    texts[1] = metric->description;
    texts[2] = metric->unit;
    texts[3] = metric->component;
    texts[4] = metric->expression;
    texts[5] = metric->why;
    return texts;
}

static size_t text_size(const struct gptl_metrics *metrics)
{
    const char *texts[6];
    size_t size = 0;
    for (uint32_t i = 0; i < metrics->n; i++) {
        texts_of(&metrics->metric[i], texts);
        for (int k = 0; k < 6; k++)
            size += strlen(texts[k]) + 1;
    }
    return size;
}

static void keep_one(const struct gptl_metric *metric, struct gptl_kept_metric *row, char *text,
                     uint32_t *used)
{
    const char *texts[6];
    uint32_t at[6];
    texts_of(metric, texts);
    for (int k = 0; k < 6; k++) {
        size_t size = strlen(texts[k]) + 1;
        at[k] = *used;
        memcpy(text + *used, texts[k], size);
        *used += (uint32_t)size;
    }
    *row = (struct gptl_kept_metric){
        .kind = metric->kind,
        .scope = metric->scope,
        .shown = metric->shown,
        .estimated = metric->estimated,
        .slot = metric->slot,
        .name = at[0],
        .description = at[1],
        .unit = at[2],
        .component = at[3],
        .expression = at[4],
        .why = at[5],
        .least_seconds = metric->least_seconds,
    };
}

bool gptl_metrics_keep(const struct gptl_metrics *metrics, uint32_t namounts)
{
    struct gptl_kept_metrics *new = NULL;
    if (metrics->n > 0) {
        size_t text = text_size(metrics);
        size_t size = sizeof *new + metrics->n * sizeof *new->row + text;
        new = size <= UINT32_MAX ? gptl_mem_kept_pages(size) : NULL;
        if (!new)
            return false;
        new->size = (uint32_t)size;
        new->nslots = metrics->nslots;
        new->namounts = namounts;
        new->text_size = (uint32_t)text;
        uint32_t used = 0;
        for (uint32_t i = 0; i < metrics->n; i++)
            keep_one(&metrics->metric[i], &new->row[i], (char *)&new->row[metrics->n], &used);
        new->n = metrics->n;
    }
    gptl_metrics_forget();
    kept = new;
    gptl_salvage_update();
    return true;
}

void gptl_metrics_forget(void)
{
    if (!kept)
        return;
    struct gptl_kept_metrics *old = kept;
    kept = NULL;
    gptl_salvage_update();
    gptl_mem_free(old, old->size);
}

void gptl_core_lost(uint32_t slot)
{
    gptl_lock();
    for (uint32_t i = 0; kept && i < kept->n; i++)
        if (kept->row[i].kind == GPTL_METRIC_COUNTED && kept->row[i].slot == slot)
            kept->row[i].lost = true;
    gptl_unlock();
}

const struct gptl_kept_metrics *gptl_metrics_kept(void)
{
    return kept;
}

/* ---- Reading ------------------------------------------------------------------------------- */

static bool is_whole(const struct gptl_kept_metrics *from, uint64_t size)
{
    return from && size >= sizeof *from && from->size <= size && from->text_size > 0 &&
           from->nslots <= from->n && from->n <= size / sizeof *from->row &&
           sizeof *from + from->n * sizeof *from->row + from->text_size == from->size &&
           ((const char *)&from->row[from->n])[from->text_size - 1] == '\0';
}

static bool read_one(const struct gptl_kept_metrics *from, uint32_t i, const char *text,
                     struct gptl_metric *to)
{
    const struct gptl_kept_metric *row = &from->row[i];
    const uint32_t at[] = {row->name,      row->description, row->unit,
                           row->component, row->expression,  row->why};
    for (int k = 0; k < 6; k++)
        if (at[k] >= from->text_size)
            return false;
    if (row->kind > GPTL_METRIC_REFUSED || row->scope > GPTL_SCOPE_MACHINE ||
        (row->kind == GPTL_METRIC_COUNTED && row->slot >= from->nslots) ||
        !(row->least_seconds >= 0))
        return false;
    *to = (struct gptl_metric){
        .kind = (enum gptl_metric_kind)row->kind,
        .scope = (enum gptl_scope)row->scope,
        .shown = row->shown,
        .estimated = row->estimated,
        .lost = row->lost,
        .least_seconds = row->least_seconds,
        .slot = row->slot,
        .name = text + at[0],
        .description = text + at[1],
        .unit = text + at[2],
        .component = text + at[3],
        .expression = text + at[4],
        .why = text + at[5],
    };
    return true;
}

int gptl_metrics_read(const struct gptl_kept_metrics *from, uint64_t size, struct gptl_metrics *out)
{
    *out = (struct gptl_metrics){0};
    if (!is_whole(from, size) || from->n == 0)
        return 0;
    out->metric = calloc(from->n, sizeof *out->metric);
    out->text = malloc(from->text_size);
    if (!out->metric || !out->text) {
        gptl_core_metrics_free(out);
        return -1;
    }
    memcpy(out->text, &from->row[from->n], from->text_size);
    out->nslots = from->nslots;
    while (out->n < from->n && read_one(from, out->n, out->text, &out->metric[out->n]))
        out->n++;
    if (out->n < from->n)
        gptl_core_metrics_free(out);
    return 0;
}

int gptl_core_metrics(struct gptl_metrics *out)
{
    gptl_lock();
    int rc = gptl_metrics_read(kept, kept ? kept->size : 0, out);
    gptl_unlock();
    return rc;
}

void gptl_core_metrics_free(struct gptl_metrics *metrics)
{
    free(metrics->metric);
    free(metrics->text);
    *metrics = (struct gptl_metrics){0};
}
