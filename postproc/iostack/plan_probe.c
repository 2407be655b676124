/*
 * plan_probe.c - parses the probes of a configuration: [Layer;metric;Name;-l
 * CALL;before|after;FILE;{code}] and [Layer;metric;Name;-n LINE "text";FILE;{code}], or the name of
 * a probe set.
 */
#include "config.h"

#include "postproc/iostack/plan.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "postproc/ioc/memory.h"

static int expected(const struct part *part, const char *what)
{
    int n = part_size(part) > 60 ? 60 : (int)part_size(part);
    if (n == 0)
        plan_error(part_place(part), "expected %s, found nothing", what);
    else
        plan_error(part_place(part), "expected %s, found \"%.*s\"", what, n, part_text(part));
    return -1;
}

/* ---- Sets ---------------------------------------------------------------------------------- */

/* Include a probe set: a name refers to the installed sets, a text with a slash to a file. */
static int take_set(struct plan *plan, const struct part *name)
{
    char path[4200], *text = part_copy(name);
    const char *folder = getenv("GPTL_PROBE_SETS");
    if (strchr(text, '/'))
        snprintf(path, sizeof path, "%s", text + 1);
    else
        snprintf(path, sizeof path, "%s/%s.probes", folder && *folder ? folder : PROBE_SETS,
                 text + 1);
    free(text);
    if (access(path, R_OK) != 0) {
        plan_error(part_place(name),
                   "expected a probe set, found none in %s (GPTL_PROBE_SETS says "
                   "where they are)",
                   path);
        return -1;
    }
    return plan_include(plan, part_place(name), path, true);
}

/* ---- Position ------------------------------------------------------------------------------ */

static size_t word_size(const struct part *part)
{
    size_t n = 0;
    while (n < part_size(part) &&
           (isalnum((unsigned char)part_text(part)[n]) || part_text(part)[n] == '_'))
        n++;
    return n;
}

/* Parse an identifier of C. */
static int take_identifier(struct part *at, char **name)
{
    *at = part_trimmed(*at);
    size_t n = word_size(at);
    if (n == 0 || isdigit((unsigned char)*part_text(at)))
        return expected(at, "the name of a function");
    struct part word = *at;
    word.end = word.at + n;
    free(*name);
    *name = part_copy(&word);
    at->at += n;
    *at = part_trimmed(*at);
    return 0;
}

/* Parse [2], the second occurrence, or [*], all of them. */
static int take_nth(struct part *at, struct probe *probe)
{
    if (part_size(at) == 0 || *part_text(at) != '[')
        return 0;
    const char *text = part_text(at), *close = memchr(text, ']', part_size(at));
    struct part inside = *at;
    if (!close)
        return expected(at, "[NUMBER] or [*]");
    inside.at++;
    inside.end = at->at + (size_t)(close - text);
    inside = part_trimmed(inside);
    probe->all = part_is(&inside, "*");
    for (size_t i = 0; i < part_size(&inside) && !probe->all; i++) {
        if (!isdigit((unsigned char)part_text(&inside)[i]) || probe->nth > 100000)
            return expected(&inside, "a number from 1, or *");
        probe->nth = probe->nth * 10 + (unsigned)(part_text(&inside)[i] - '0');
    }
    if (!probe->all && probe->nth == 0)
        return expected(&inside, "a number from 1, or *");
    at->at += (size_t)(close - text) + 1;
    *at = part_trimmed(*at);
    return 0;
}

static char *unquoted(const struct part *quoted)
{
    char *copy = part_copy(quoted), *to = copy;
    for (const char *from = copy + 1; *from && from[1]; from++) {
        if (*from == '\\' && from[2])
            from++;
        *to++ = *from;
    }
    *to = '\0';
    return copy;
}

/* Parse -n LINE, and the quoted text of that line. */
static int take_line(struct part *at, struct probe *probe)
{
    *at = part_trimmed(*at);
    unsigned long line = 0;
    size_t n = 0;
    for (; n < part_size(at) && isdigit((unsigned char)part_text(at)[n]) && n < 9; n++)
        line = line * 10 + (unsigned long)(part_text(at)[n] - '0');
    if (n == 0 || line == 0)
        return expected(at, "the number of a line");
    probe->kind = PROBE_LINE;
    probe->line = (unsigned)line;
    at->at += n;
    *at = part_trimmed(*at);
    if (part_size(at) == 0)
        return 0;
    if (part_size(at) < 2 || *part_text(at) != '"' || part_text(at)[part_size(at) - 1] != '"')
        return expected(at, "the text of the line in quotes, or ;");
    probe->expected = unquoted(at);
    at->at = at->end;
    return 0;
}

static int take_where(struct plan *plan, struct part part, struct probe *probe)
{
    struct part at = part_trimmed(part);
    bool any = false;
    for (; part_size(&at) > 0; any = true) {
        if (part_size(&at) < 2 || *part_text(&at) != '-')
            return expected(&at, "-l, -f or -n");
        char option = part_text(&at)[1];
        if (option == '1' && part_size(&at) > 2 && isspace((unsigned char)part_text(&at)[2])) {
            plan_warning(plan, part_place(&at), "-1 is read as -l, with a letter");
            option = 'l';
        }
        struct part flag = at;
        at.at += 2;
        if (option == 'n') {
            if (take_line(&at, probe))
                return -1;
        } else if (option == 'l') {
            probe->kind = PROBE_CALL;
            if (take_identifier(&at, &probe->call) || take_nth(&at, probe))
                return -1;
        } else if (option == 'f') {
            if (!probe->call)
                probe->kind = PROBE_FUNCTION;
            if (take_identifier(&at, &probe->function))
                return -1;
        } else
            return expected(&flag, "-l, -f or -n");
    }
    return any ? 0 : expected(&at, "-l CALL, -f FUNCTION or -n LINE");
}

/* ---- Action -------------------------------------------------------------------------------- */

/*
 * Return whether TEXT contains WORD in any case, not preceded by a letter: "Send" does not contain
 * "End".
 */
static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = text; *at; at++)
        if (strncasecmp(at, word, n) == 0 && (at == text || !isalpha((unsigned char)at[-1])))
            return true;
    return false;
}

/* Return whether TEXT contains WORD anywhere, as in ireadat, except in "thread". */
static bool has_operation(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = text; *at; at++)
        if (strncasecmp(at, word, n) == 0 && (at - text < 2 || strncasecmp(at - 2, "th", 2) != 0))
            return true;
    return false;
}

/* Derive the action from the probe's name, and the layer of the disk probes, as in the paper. */
static void understand_name(struct probe *probe)
{
    const char *name = probe->name;
    if (probe->code)
        probe->act = ACT_CODE;
    else if (has_word(name, "start") || has_word(name, "begin"))
        probe->act = ACT_BEGIN;
    else if (has_word(name, "end"))
        probe->act = ACT_END;
    else
        probe->act = ACT_NONE;
    if (probe->layer == GPTL_LAYER_SERVER && has_word(name, "disk"))
        probe->layer = GPTL_LAYER_DISK;
    const char *file = probe->file ? strrchr(probe->file, '/') : NULL;
    file = file ? file + 1 : probe->file ? probe->file : "";
    const char *told[] = {name, probe->call ? probe->call : "",
                          probe->function ? probe->function : "", file};
    for (int i = 0; i < 4 && probe->operation == 0; i++)
        probe->operation = has_operation(told[i], "read")    ? GPTL_OP_READ
                           : has_operation(told[i], "write") ? GPTL_OP_WRITE
                                                             : 0;
}

static int take_head(struct part *rest, struct probe *probe)
{
    struct part item;
    if (!part_next(rest, ';', &item))
        return expected(rest, "a layer");
    item = part_trimmed(item);
    probe->layer = stack_layer_of(part_text(&item), part_size(&item));
    if (probe->layer == 0)
        return expected(&item, "a layer: App, HDF5, PnetCDF, MPI, ADIO, Comm, PVFSClient, "
                               "PVFSServer, POSIX or Disk");
    if (!part_next(rest, ';', &item))
        return expected(rest, "a metric, or common");
    item = part_trimmed(item);
    probe->metric = metric_of(part_text(&item), part_size(&item));
    if (probe->metric < 0 && !part_is(&item, "common"))
        return expected(&item, "a metric (latency, throughput, segment, nodes, communication, "
                               "energy, accesses), or common");
    if (!part_next(rest, ';', &item))
        return expected(rest, "the probe's name");
    item = part_trimmed(item);
    if (part_size(&item) > 0 && *part_text(&item) == '.')
        item.at++;
    if (part_size(&item) == 0)
        return expected(&item, "the probe's name");
    probe->name = part_copy(&item);
    return 0;
}

/* Parse the last field, code in braces. */
static bool take_code(const struct part *item, struct probe *probe)
{
    if (part_size(item) < 2 || *part_text(item) != '{' ||
        part_text(item)[part_size(item) - 1] != '}')
        return false;
    struct part inside = *item;
    inside.at++;
    inside.end--;
    inside = part_trimmed(inside);
    probe->code = part_copy(&inside);
    return true;
}

static int take_tail(struct plan *plan, struct part *rest, struct probe *probe)
{
    struct part item;
    if (!part_next(rest, ';', &item))
        return expected(rest, "-l CALL, -f FUNCTION or -n LINE");
    if (take_where(plan, item, probe))
        return -1;
    if (probe->kind != PROBE_LINE) {
        if (!part_next(rest, ';', &item))
            return expected(rest, "before or after");
        item = part_trimmed(item);
        if (!part_is(&item, "before") && !part_is(&item, "after"))
            return expected(&item, "before or after");
        probe->after = part_is(&item, "after");
    }
    while (part_next(rest, ';', &item)) {
        item = part_trimmed(item);
        if (probe->code || (!take_code(&item, probe) && (probe->file || part_size(&item) == 0)))
            return expected(&item, probe->file ? "{ code } or ]" : "a file");
        if (!probe->code)
            probe->file = part_copy(&item);
    }
    if (probe->kind == PROBE_LINE && !probe->file)
        return expected(rest, "the file of the line");
    return 0;
}

int plan_take_probe(struct plan *plan, const struct place *place, const struct value *value)
{
    struct part rest = part_of(value), whole = part_trimmed(rest);
    if (part_size(&whole) > 1 && *part_text(&whole) == '@')
        return take_set(plan, &whole);
    struct probe probe = {.place = *place};
    int result = take_head(&rest, &probe);
    if (result == 0)
        result = take_tail(plan, &rest, &probe);
    if (result == 0)
        understand_name(&probe);
    plan->probes =
        memory_room(plan->probes, &plan->probes_room, plan->nprobes + 1, sizeof *plan->probes);
    plan->probes[plan->nprobes++] = probe;
    return result;
}
