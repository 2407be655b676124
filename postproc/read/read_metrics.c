/* read_metrics.c - reads the list of metrics; the values belong to the nodes. */
#include "config.h"

#include "postproc/read/profile_reader.h"

#include <string.h>

/* Limit of the number of metrics: each node has a value of each, and each may be an expression. */
enum { MOST_METRICS = 1000 };

/* Return the index of the next value in WORDS, or fail. */
static int word(struct reader *reader, const char *what, const char *const *words, int n)
{
    const char *text = json_string(reader->json, NULL);
    for (int i = 0; i < n; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    json_fail(reader->json, "this gptl knows no %s \"%.60s\" of metrics", what, text);
    return 0;
}

static char *text_or_empty(struct reader *reader)
{
    static char none[1];
    char *text = reader_text_or_null(reader);
    return text ? text : none;
}

static void read_member(struct reader *reader, struct gptl_metric *metric, const char *key)
{
    static const char *const kinds[] = {"counted", "derived"};
    static const char *const scopes[] = {"thread", "process", "machine"};
    struct json *json = reader->json;
    if (strcmp(key, "name") == 0)
        metric->name = reader_text(reader);
    else if (strcmp(key, "kind") == 0)
        metric->kind = (enum gptl_metric_kind)word(reader, "kind", kinds, 2);
    else if (strcmp(key, "description") == 0)
        metric->description = reader_text(reader);
    else if (strcmp(key, "unit") == 0)
        metric->unit = reader_text(reader);
    else if (strcmp(key, "component") == 0)
        metric->component = text_or_empty(reader);
    else if (strcmp(key, "scope") == 0)
        metric->scope = (enum gptl_scope)word(reader, "scope", scopes, 3);
    else if (strcmp(key, "shown") == 0)
        metric->shown = json_bool(json);
    else if (strcmp(key, "estimated") == 0)
        metric->estimated = json_bool(json);
    else if (strcmp(key, "lost") == 0)
        metric->lost = json_bool(json);
    else if (strcmp(key, "least_seconds") == 0)
        metric->least_seconds = json_null(json) ? 0 : json_real(json);
    else if (strcmp(key, "expression") == 0)
        metric->expression = text_or_empty(reader);
    else if (strcmp(key, "why") == 0)
        metric->why = reader_text(reader);
    else
        json_skip(json);
}

/* Read a metric and append it to N metrics. */
static struct gptl_metric *read_metric(struct reader *reader, struct gptl_metric *metrics,
                                       uint32_t n, enum gptl_metric_kind kind)
{
    struct gptl_metric metric = {.kind = kind,
                                 .shown = true,
                                 .description = "",
                                 .unit = "",
                                 .component = "",
                                 .expression = "",
                                 .why = ""};
    const char *key;
    json_object(reader->json);
    while ((key = json_key(reader->json)))
        read_member(reader, &metric, key);
    if (!metric.name)
        json_fail(reader->json, "a metric has no \"name\"");
    if (n == MOST_METRICS)
        json_fail(reader->json, "there are more than %d metrics", MOST_METRICS);
    metrics =
        json_failed(reader->json) ? NULL : reader_one_more(reader, metrics, n, sizeof *metrics);
    if (metrics)
        metrics[n] = metric;
    return metrics;
}

void reader_metrics(struct reader *reader)
{
    struct gptl_metrics *metrics = &reader->profile->metrics;
    if (metrics->n > 0)
        json_fail(reader->json, "\"metrics\" is there twice");
    else if (reader->profile->ncopies > 0)
        json_fail(reader->json, "\"metrics\" must stand before \"threads\"");
    json_array(reader->json);
    while (json_element(reader->json)) {
        struct gptl_metric *more =
            read_metric(reader, metrics->metric, metrics->n, GPTL_METRIC_COUNTED);
        if (!more)
            return;
        metrics->metric = more;
        more += metrics->n++;
        if (more->kind == GPTL_METRIC_COUNTED)
            more->slot = metrics->nslots++;
    }
    reader->nvalues = metrics->n;
}

void reader_refused(struct reader *reader)
{
    if (reader->nrefused > 0)
        json_fail(reader->json, "\"refused\" is there twice");
    json_array(reader->json);
    while (json_element(reader->json)) {
        struct gptl_metric *more =
            read_metric(reader, reader->refused, reader->nrefused, GPTL_METRIC_REFUSED);
        if (!more)
            return;
        reader->refused = more;
        more[reader->nrefused++].kind = GPTL_METRIC_REFUSED;
    }
}

void reader_metrics_end(struct reader *reader)
{
    struct gptl_metrics *metrics = &reader->profile->metrics;
    if (reader->nrefused > 0) {
        struct gptl_metric *all = gptl_report_alloc(
            reader->profile, ((size_t)metrics->n + reader->nrefused) * sizeof *all);
        if (!all) {
            reader_no_memory(reader);
            return;
        }
        if (metrics->n > 0)
            memcpy(all, metrics->metric, metrics->n * sizeof *all);
        memcpy(all + metrics->n, reader->refused, reader->nrefused * sizeof *all);
        metrics->metric = all;
        metrics->n += reader->nrefused;
    }
    if (gptl_report_prepare_metrics(reader->profile))
        reader_no_memory(reader);
}
