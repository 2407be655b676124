/*
 * plan.c - maps requested events to counted events: each counted once; derived events use the first
 * alternative that can be counted; every other request gets a sentence with the reason.
 */
#include "config.h"

#include "counters/plan.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/events.h"
#include "counters/expression.h"
#include "counters/requests.h"

/* A requested event, in order of the requests. */
struct row {
    enum gptl_metric_kind kind;
    uint32_t slot;                     /* if counted */
    struct gptl_expression expression; /* if derived */
    char *name, *description, *text, *why;
};

static struct row *rows;
static uint32_t nrows, capacity;
static struct gptl_metric *metrics;

/* ---- Rows ---------------------------------------------------------------------------------- */

static struct row *add_row(enum gptl_metric_kind kind, const char *name, size_t length)
{
    if (nrows == capacity) {
        uint32_t more = capacity ? 2 * capacity : 8;
        struct row *new = realloc(rows, more * sizeof *new);
        if (!new)
            return NULL;
        rows = new;
        capacity = more;
    }
    struct row *row = &rows[nrows];
    memset(row, 0, sizeof *row);
    row->kind = kind;
    row->name = strndup(name, length);
    if (!row->name)
        return NULL;
    nrows++;
    return row;
}

static struct row *find_row(const char *name, size_t length)
{
    for (uint32_t i = 0; i < nrows; i++)
        if (strlen(rows[i].name) == length && strncasecmp(rows[i].name, name, length) == 0)
            return &rows[i];
    return NULL;
}

/* Refuse a request with a message. It is printed once; the report repeats it. */
static void refuse(const char *option, const char *name, size_t length, const char *why)
{
    if (find_row(name, length))
        return;
    gptl_core_error_job(option, "%.*s cannot be counted: %s", (int)(length < 200 ? length : 200),
                        name, why);
    struct row *row = add_row(GPTL_METRIC_REFUSED, name, length);
    if (row)
        row->why = strdup(why);
}

/* ---- Events -------------------------------------------------------------------------------- */

/* Reason of the last failed lookup, without the position in an expression. */
static char refusal[PAPI_WHY_SIZE + 128];

static long find_event(void *arg, const char *name, size_t length, char *why, size_t whysize)
{
    char *copy = strndup(name, length), reason[PAPI_WHY_SIZE] = "there is no memory";
    (void)arg;
    long slot = copy ? gptl_events_add(copy, reason, sizeof reason) : -1;
    if (slot < 0)
        snprintf(why, whysize, "%.100s cannot be counted: %s", copy ? copy : "it", reason);
    snprintf(refusal, sizeof refusal, "%s", slot < 0 ? why : "");
    free(copy);
    return slot;
}

static bool read_expression(struct gptl_expression *out, const char *text, const char **end,
                            char *why, size_t whysize)
{
    uint32_t before = gptl_events()->n;
    if (gptl_expression_read(out, text, end, find_event, NULL, why, whysize))
        return true;
    gptl_events_undo(before);
    return false;
}

static long find_existing(void *arg, const char *name, size_t length, char *why, size_t whysize)
{
    static struct papi_event found; /* static because it is large; the lock is held */
    char *copy = strndup(name, length), reason[PAPI_WHY_SIZE] = "there is no memory";
    (void)arg;
    bool exists = copy && gptl_papi_find(copy, &found, reason, sizeof reason);
    if (!exists)
        snprintf(why, whysize, "%.100s cannot be counted: %s", copy ? copy : "it", reason);
    snprintf(refusal, sizeof refusal, "%s", exists ? "" : why);
    free(copy);
    return exists ? 0 : -1;
}

bool gptl_plan_can_derive(const struct derived *derived, char *why, size_t whysize)
{
    struct gptl_expression expression = {.nsteps = 0};
    char place[PAPI_WHY_SIZE];
    for (int i = 0; i < 2 && *derived->expression[i]; i++) {
        if (gptl_expression_read(&expression, derived->expression[i], NULL, find_existing, NULL,
                                 place, sizeof place))
            return true;
        if (i == 0)
            snprintf(why, whysize, "%s", refusal);
    }
    return false;
}

static void add_derived(const struct derived *derived)
{
    struct gptl_expression expression = {.nsteps = 0};
    char why[PAPI_WHY_SIZE], first[sizeof refusal] = "";
    int i = 0;
    while (i < 2 && *derived->expression[i] &&
           !read_expression(&expression, derived->expression[i], NULL, why, sizeof why)) {
        if (i++ == 0)
            snprintf(first, sizeof first, "%s", refusal);
    }
    if (i == 2 || !*derived->expression[i]) {
        refuse("counters", derived->name, strlen(derived->name), first);
        return;
    }
    struct row *row = add_row(GPTL_METRIC_DERIVED, derived->name, strlen(derived->name));
    if (row) {
        row->expression = expression;
        row->description = strdup(derived->description);
        row->text = strdup(derived->expression[i]);
    }
}

static void add_request(void *arg, const char *name)
{
    char why[PAPI_WHY_SIZE];
    (void)arg;
    const struct derived *derived = gptl_derived_find(name);
    if (find_row(name, strlen(name)))
        return;
    if (derived) {
        add_derived(derived);
        return;
    }
    long slot = gptl_events_add(name, why, sizeof why);
    for (uint32_t i = 0; slot >= 0 && i < nrows; i++)
        if (rows[i].kind == GPTL_METRIC_COUNTED && rows[i].slot == (uint32_t)slot)
            return; /* already counted under another name */
    struct row *row = slot >= 0 ? add_row(GPTL_METRIC_COUNTED, name, strlen(name)) : NULL;
    if (row)
        row->slot = (uint32_t)slot;
    else if (slot < 0)
        refuse("counters", name, strlen(name), why);
}

/* ---- User-defined events: NAME=EXPRESSION, separated by commas ------------------------------- */

static const char *to_comma(const char *p)
{
    bool quoted = false;
    for (; *p && (*p != ',' || quoted); p++)
        quoted ^= *p == '\'';
    return p;
}

/* Add the definition at P; return its end. */
static const char *add_own(const char *p)
{
    char why[PAPI_WHY_SIZE];
    struct gptl_expression expression = {.nsteps = 0};
    while (isspace((unsigned char)*p))
        p++;
    const char *end = to_comma(p), *name = p;
    while (isalnum((unsigned char)*p) || (*p && strchr("_.:", *p)))
        p++;
    size_t length = (size_t)(p - name);
    while (isspace((unsigned char)*p))
        p++;
    if (length == 0 || *p != '=') {
        if (end > name)
            refuse("derive", name, (size_t)(end - name),
                   "it should be NAME=EXPRESSION, the name of letters, digits, _ . and :");
        return end;
    }
    const char *text = p + 1 + strspn(p + 1, " \t");
    struct row *known = find_row(name, length);
    if (known && known->kind != GPTL_METRIC_REFUSED && known->text == NULL)
        refuse("derive", name, (size_t)(end - name), "this name is that of an event");
    if (known)
        return end;
    if (!read_expression(&expression, text, &end, why, sizeof why)) {
        refuse("derive", name, length, why);
        return to_comma(text);
    }
    struct row *row = add_row(GPTL_METRIC_DERIVED, name, length);
    if (row) {
        row->expression = expression;
        row->text = strndup(text, (size_t)(end - text));
    }
    return end;
}

/* ---- Metrics ------------------------------------------------------------------------------- */

static const char *text_of(const char *text)
{
    return text ? text : "";
}

static void describe_counted(struct gptl_metric *metric, uint32_t slot, bool shown)
{
    const struct event *event = &gptl_events()->event[slot];
    const struct event_set *set = &gptl_events()->set[event->set];
    *metric = (struct gptl_metric){
        .kind = GPTL_METRIC_COUNTED,
        .scope = set->scope,
        .shown = shown,
        .estimated = set->multiplex,
        .least_seconds = gptl_events_least_seconds(set),
        .slot = slot,
        .name = event->name,
        .description = event->description,
        .unit = event->unit,
        .component = gptl_papi_component(set->component),
        .expression = "",
        .why = "",
    };
}

/* Describe a derived metric. It inherits the worst property of its operands. */
static void describe_derived(struct gptl_metric *metric, const struct row *row)
{
    *metric = (struct gptl_metric){
        .kind = GPTL_METRIC_DERIVED,
        .shown = true,
        .name = row->name,
        .description = text_of(row->description),
        .unit = "",
        .component = "",
        .expression = text_of(row->text),
        .why = "",
    };
    for (uint32_t i = 0; i < row->expression.nsteps; i++) {
        if (row->expression.step[i].what != 'v')
            continue;
        const struct event *event = &gptl_events()->event[row->expression.step[i].index];
        const struct event_set *set = &gptl_events()->set[event->set];
        double least = gptl_events_least_seconds(set);
        metric->scope = set->scope > metric->scope ? set->scope : metric->scope;
        metric->estimated |= set->multiplex;
        metric->least_seconds = least > metric->least_seconds ? least : metric->least_seconds;
    }
}

static bool is_row(uint32_t slot)
{
    for (uint32_t i = 0; i < nrows; i++)
        if (rows[i].kind == GPTL_METRIC_COUNTED && rows[i].slot == slot)
            return true;
    return false;
}

/* Describe all metrics: the displayed ones, then operands of derived ones, then refused ones. */
static void describe_all(struct gptl_metrics *out)
{
    free(metrics);
    metrics = calloc((size_t)nrows + gptl_events()->n + 1, sizeof *metrics);
    *out = (struct gptl_metrics){.metric = metrics, .nslots = gptl_events()->n};
    if (!metrics) {
        out->nslots = 0;
        return;
    }
    for (uint32_t i = 0; i < nrows; i++)
        if (rows[i].kind == GPTL_METRIC_COUNTED)
            describe_counted(&metrics[out->n++], rows[i].slot, true);
        else if (rows[i].kind == GPTL_METRIC_DERIVED)
            describe_derived(&metrics[out->n++], &rows[i]);
    for (uint32_t slot = 0; slot < gptl_events()->n; slot++)
        if (!is_row(slot))
            describe_counted(&metrics[out->n++], slot, false);
    for (uint32_t i = 0; i < nrows; i++)
        if (rows[i].kind == GPTL_METRIC_REFUSED)
            metrics[out->n++] = (struct gptl_metric){.kind = GPTL_METRIC_REFUSED,
                                                     .shown = true,
                                                     .name = rows[i].name,
                                                     .description = "",
                                                     .unit = "",
                                                     .component = "",
                                                     .expression = "",
                                                     .why = text_of(rows[i].why)};
}

static void forget_rows(bool refused)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < nrows; i++) {
        if (rows[i].kind == GPTL_METRIC_REFUSED && !refused) {
            rows[kept++] = rows[i];
            continue;
        }
        free(rows[i].name);
        free(rows[i].description);
        free(rows[i].text);
        free(rows[i].why);
    }
    nrows = kept;
}

void gptl_plan_make(struct gptl_metrics *out)
{
    forget_rows(false);
    gptl_requests_each(add_request, NULL);
    for (const char *p = gptl_core_string(GPTL_STR_DERIVE); *p; p += *p == ',')
        p = add_own(p);
    describe_all(out);
}

void gptl_plan_forget(void)
{
    forget_rows(true);
    free(rows);
    free(metrics);
    rows = NULL;
    metrics = NULL;
    nrows = capacity = 0;
    gptl_events_forget();
}
