/*
 * selector.c - selects probes: for the operations of -O, and for the metric of -Q. Latency probes
 * form the chain that passes ids down, so other metrics also need them, down to their lowest layer.
 */
#include "config.h"

#include "postproc/iostack/selector.h"

#include <string.h>

/* Return the lowest layer that a metric uses. */
static int lowest_layer(enum metric metric)
{
    return metric == METRIC_NODES           ? GPTL_LAYER_SERVER
           : metric == METRIC_SEGMENT       ? GPTL_LAYER_MPI
           : metric == METRIC_COMMUNICATION ? GPTL_LAYER_COMM
                                            : GPTL_LAYER_DISK;
}

static const char *why_not(const struct plan *plan, const struct probe *probe)
{
    const struct query *q = &plan->query;
    if (probe->act == ACT_NONE)
        return "left out: its name says neither start nor end, and it has no code";
    if (probe->operation && q->operations && !(q->operations >> probe->operation & 1))
        return probe->operation == GPTL_OP_READ ? "left out: it is of reads, -O has writes only"
                                                : "left out: it is of writes, -O has reads only";
    if (probe->metric >= 0 && probe->metric != METRIC_LATENCY && probe->metric != (int)q->metric)
        return "left out: it is of another metric than -Q";
    if (probe->layer > lowest_layer(q->metric))
        return "left out: the metric of -Q looks at layers above this one only";
    if (probe->layer == GPTL_LAYER_APP && probe->metric >= 0 && q->metric != METRIC_SEGMENT &&
        q->lines.n == 0)
        return "left out: the metric of -Q needs no lines of the application";
    return NULL;
}

static const char *why(const struct plan *plan, const struct probe *probe)
{
    if (probe->metric < 0)
        return "common to all metrics";
    if (probe->metric == (int)plan->query.metric)
        return "of the metric of -Q";
    return "hands on the id, and times the layer, which the metric of -Q needs";
}

/*
 * Return whether the probe must also end its span: the paper's application probes begin at a call
 * without a matching end probe.
 */
static bool ends_too(const struct plan *plan, const struct probe *begin)
{
    if (begin->act != ACT_BEGIN || begin->kind != PROBE_CALL || begin->after || !begin->call ||
        begin->layer != GPTL_LAYER_APP)
        return false;
    for (size_t i = 0; i < plan->nprobes; i++) {
        const struct probe *p = &plan->probes[i];
        if (p->layer == begin->layer && p->act == ACT_END && p->call &&
            strcmp(p->call, begin->call) == 0)
            return false;
    }
    return true;
}

/* Return the layer in the name of the first file of GROUP, e.g. "mpi.0.log", or 0. */
static int layer_of_group(const struct trace_group *group)
{
    const char *name = group->files.n > 0 ? group->files.words[0].text : "";
    const char *slash = strrchr(name, '/');
    name = slash ? slash + 1 : name;
    return stack_layer_of(name, strcspn(name, "."));
}

/*
 * Find the first and last layer of -T. Returns false without -T, or if its file names lack layers.
 */
static bool find_traced(const struct plan *plan, int *first, int *last)
{
    *first = NLAYERS;
    *last = 0;
    for (size_t i = 0; i < plan->ntraces; i++) {
        int layer = layer_of_group(&plan->traces[i]);
        if (layer == 0)
            return false;
        *first = layer < *first ? layer : *first;
        *last = layer > *last ? layer : *last;
    }
    return plan->ntraces > 0;
}

int check_traced(struct plan *plan)
{
    int first, last, result = 0;
    if (!find_traced(plan, &first, &last))
        return 0;
    for (size_t i = 0; i < plan->nprobes; i++) {
        const struct probe *probe = &plan->probes[i];
        if (!probe->chosen || probe->layer == GPTL_LAYER_APP ||
            (probe->layer >= first && probe->layer <= last))
            continue;
        plan_error(
            &probe->place,
            "the layer %s of the probe %s belongs to no group of -T, and is not between two of "
            "them (expected %s to %s): nothing would read its logs",
            stack_layer(probe->layer), probe->name, stack_layer(first), stack_layer(last));
        result = -1;
    }
    return result;
}

size_t select_probes(struct plan *plan)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->nprobes; i++) {
        struct probe *probe = &plan->probes[i];
        const char *reason = why_not(plan, probe);
        probe->chosen = !reason;
        probe->ends_too = ends_too(plan, probe);
        probe->why = reason ? reason : why(plan, probe);
        n += probe->chosen;
    }
    return n;
}

void show_selection(const struct plan *plan, FILE *to)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->nprobes; i++)
        n += plan->probes[i].chosen;
    fprintf(to, "%zu of %zu probes for %s%s:\n", n, plan->nprobes, metric_name(plan->query.metric),
            plan->query.exclusive ? ", exclusive" : "");
    for (size_t i = 0; i < plan->nprobes; i++) {
        const struct probe *probe = &plan->probes[i];
        fprintf(to, "  %c %-8s %-24s %s:%u: %s\n", probe->chosen ? '+' : '-',
                stack_layer(probe->layer), probe->name, probe->place.file, probe->place.line,
                probe->why);
    }
}
