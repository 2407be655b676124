/* plan_flags.c - the flags of a configuration except probes. */
#include "config.h"

#include "postproc/iostack/plan.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int told_already(const struct place *place, const char *flag, const struct place *before)
{
    plan_error(place, "expected one %s, there is one in %s:%u", flag, before->file, before->line);
    return -1;
}

/* Return the next item of a list, trimmed; an empty item at the end is ignored. */
static bool next_item(struct part *rest, struct part *item)
{
    if (!part_next(rest, ',', item))
        return false;
    *item = part_trimmed(*item);
    return part_size(item) > 0 || !rest->over;
}

static int take_words(struct words *words, const struct value *value, const char *what)
{
    struct part rest = part_of(value), item;
    while (next_item(&rest, &item)) {
        if (part_size(&item) == 0)
            return expected(&item, what);
        words_add(words, part_copy(&item), part_place(&item));
    }
    return words->n > 0 ? 0 : expected(&rest, what);
}

static bool take_number(struct part *part, int64_t *number)
{
    size_t n = 0;
    *number = 0;
    while (n < part_size(part) && isdigit((unsigned char)part_text(part)[n]) && n < 18)
        *number = *number * 10 + (part_text(part)[n++] - '0');
    part->at += n;
    return n > 0;
}

/* ---- -D and -L ------------------------------------------------------------------------------ */

static bool is_name(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return n > 0;
}

/* Parse $NAME = PATH, with or without the $. */
static int define(struct plan *plan, const struct part *item)
{
    const char *text = part_text(item), *equals = memchr(text, '=', part_size(item));
    struct part name = *item, value = *item;
    if (!equals)
        return expected(item, "NAME = PATH");
    name.end = name.at + (size_t)(equals - text);
    value.at = name.end + 1;
    name = part_trimmed(name);
    value = part_trimmed(value);
    if (part_size(&name) > 0 && *part_text(&name) == '$')
        name.at++;
    if (!is_name(part_text(&name), part_size(&name)))
        return expected(&name, "a name of letters, digits and _");
    if (part_size(&value) == 0)
        return expected(&value, "a path");
    words_add(&plan->names, part_copy(&name), part_place(&name));
    words_add(&plan->values, part_copy(&value), part_place(&value));
    return 0;
}

static int take_libraries(struct plan *plan, const struct value *value)
{
    struct part rest = part_of(value), item;
    while (next_item(&rest, &item)) {
        if (part_size(&item) == 0)
            return expected(&item, "a path");
        if (memchr(part_text(&item), '=', part_size(&item)) && define(plan, &item))
            return -1;
        words_add(&plan->libraries, part_copy(&item), part_place(&item));
    }
    return 0;
}

/* ---- -O and -C ------------------------------------------------------------------------------ */

static int take_operations(struct plan *plan, const struct value *value)
{
    struct part rest = part_of(value), item;
    while (next_item(&rest, &item)) {
        if (part_is(&item, "r") || part_is(&item, "read"))
            plan->query.operations |= 1u << GPTL_OP_READ;
        else if (part_is(&item, "w") || part_is(&item, "write"))
            plan->query.operations |= 1u << GPTL_OP_WRITE;
        else if (part_is(&item, "rw"))
            plan->query.operations |= 1u << GPTL_OP_READ | 1u << GPTL_OP_WRITE;
        else
            return expected(&item, "r, w, or both");
    }
    return plan->query.operations ? 0 : expected(&rest, "r, w, or both");
}

static int take_lines(struct plan *plan, const struct value *value)
{
    struct part rest = part_of(value), item;
    while (next_item(&rest, &item)) {
        struct part at = item;
        int64_t first, last;
        if (!take_number(&at, &first))
            return expected(&at, "lines as 100-300");
        last = first;
        if (part_size(&at) > 0) {
            if (*part_text(&at) != '-')
                return expected(&at, "- between two lines");
            at.at++;
            if (!take_number(&at, &last) || last < first)
                return expected(&at, "a line that is not before the first one");
            if (part_size(&at) > 0)
                return expected(&at, ", or ]");
        }
        numbers_add(&plan->query.lines, first, last);
    }
    return plan->query.lines.n ? 0 : expected(&rest, "lines as 100-300");
}

/* ---- -S and -T ------------------------------------------------------------------------------ */

/* Reduce ITEM to the inside of <...>. */
static int open_angle(struct part *item, const char *what)
{
    if (part_size(item) < 2 || part_text(item)[0] != '<')
        return expected(item, what);
    if (part_text(item)[part_size(item) - 1] != '>') {
        struct part end = *item;
        end.at = end.end;
        return expected(&end, ">");
    }
    item->at++;
    item->end--;
    *item = part_trimmed(*item);
    return 0;
}

static int take_layer_count(struct part *rest, size_t *n)
{
    struct part item;
    int64_t number;
    if (!next_item(rest, &item))
        return expected(rest, "the number of layers");
    struct part at = item;
    if (!take_number(&at, &number) || part_size(&at) > 0 || number < 1 || number >= NLAYERS)
        return expected(&item, "the number of layers, from 1 to 15");
    *n = (size_t)number;
    return 0;
}

static int take_stack(struct plan *plan, const struct place *place, const struct value *value)
{
    struct part rest = part_of(value), item;
    if (plan->stack_place.file)
        return told_already(place, "-S", &plan->stack_place);
    plan->stack_place = *place;
    if (take_layer_count(&rest, &plan->nlayers))
        return -1;
    for (plan->nrules = 0; next_item(&rest, &item); plan->nrules++) {
        static const char what[] = "<NUMBER max> or <NUMBER sum>";
        int64_t count;
        if (open_angle(&item, what))
            return -1;
        struct part at = item;
        if (!take_number(&at, &count))
            return expected(&at, what);
        at = part_trimmed(at);
        if (!part_is(&at, "max") && !part_is(&at, "sum"))
            return expected(&at, "max or sum");
        if (plan->nrules + 1 >= NLAYERS)
            return expected(&item, "at most 15 layers");
        plan->rules[plan->nrules] = (struct stack_rule){count, part_is(&at, "sum")};
    }
    if (plan->nrules == plan->nlayers + 1)
        plan_warning(plan, place,
                     "-S says %zu layers and describes %zu: the first is taken for the "
                     "application",
                     plan->nlayers, plan->nrules);
    else if (plan->nrules != plan->nlayers) {
        plan_error(part_place(&rest), "expected %zu layers as -S says, found %zu", plan->nlayers,
                   plan->nrules);
        return -1;
    }
    return 0;
}

static int take_group(struct plan *plan, struct part *item)
{
    struct trace_group group = {.place = *part_place(item)};
    struct part rest, file;
    int64_t count;
    if (open_angle(item, "<NUMBER, FILE, ...>"))
        return -1;
    rest = *item;
    struct part first = rest;
    if (!next_item(&rest, &first) || !take_number(&first, &count) || part_size(&first) > 0)
        return expected(&first, "the number of files");
    while (next_item(&rest, &file))
        words_add(&group.files, part_copy(&file), part_place(&file));
    plan->traces =
        memory_room(plan->traces, &plan->traces_room, plan->ntraces + 1, sizeof *plan->traces);
    plan->traces[plan->ntraces++] = group;
    if (group.files.n != (size_t)count) {
        plan_error(part_place(item), "expected %lld files as the group says, found %zu",
                   (long long)count, group.files.n);
        return -1;
    }
    return 0;
}

static int take_traces(struct plan *plan, const struct place *place, const struct value *value)
{
    struct part rest = part_of(value), item;
    size_t n;
    if (plan->ntraces > 0)
        return told_already(place, "-T", &plan->traces[0].place);
    if (take_layer_count(&rest, &n))
        return -1;
    while (next_item(&rest, &item))
        if (take_group(plan, &item))
            return -1;
    if (plan->ntraces != n) {
        plan_error(part_place(&rest), "expected %zu groups of files as -T says, found %zu", n,
                   plan->ntraces);
        return -1;
    }
    return 0;
}

/* ---- -Q ------------------------------------------------------------------------------------- */

static int take_calls(struct plan *plan, const struct part *item)
{
    if (part_is(item, "all"))
        return 0;
    char *text = part_copy(item);
    size_t n = numbers_parse(&plan->query.calls, text);
    bool understood = text[n] == '\0' && n > 0;
    free(text);
    struct part at = *item;
    at.at += n < part_size(item) ? n : 0;
    return understood ? 0 : expected(&at, "all, or calls as 6-17");
}

static int take_list(struct plan *plan, const struct part *item)
{
    struct part list = *item;
    struct numbers ranges = {0};
    if (part_size(item) < 5 || strncmp(part_text(item), "list:", 5) != 0)
        return expected(item, "list: and the numbers of processes, or *");
    list.at += 5;
    list = part_trimmed(list);
    char *text = part_copy(&list);
    for (char *c = text; *c; c++)
        if (*c == ' ')
            *c = ','; /* a comma would begin the next list */
    bool understood = *text == '\0' || text[numbers_parse(&ranges, text)] == '\0';
    free(ranges.ranges);
    words_add(&plan->lists, text, part_place(&list));
    return understood ? 0 : expected(&list, "numbers of processes, blanks between them, or *");
}

static int take_query(struct plan *plan, const struct place *place, const struct value *value)
{
    struct part rest = part_of(value), item;
    if (plan->query_place.file)
        return told_already(place, "-Q", &plan->query_place);
    if (!next_item(&rest, &item))
        return expected(&rest, "a metric");
    int metric = metric_of(part_text(&item), part_size(&item));
    if (metric < 0)
        return expected(&item, "a metric: latency, throughput, segment, nodes, communication, "
                               "energy or accesses");
    plan->query.metric = (enum metric)metric;
    plan->query_place = *place;
    if (!next_item(&rest, &item))
        return expected(&rest, "inclusive or exclusive");
    if (!part_is(&item, "inclusive") && !part_is(&item, "exclusive"))
        return expected(&item, "inclusive or exclusive");
    plan->query.exclusive = part_is(&item, "exclusive");
    if (!next_item(&rest, &item))
        return expected(&rest, "all, or calls as 6-17");
    if (take_calls(plan, &item))
        return -1;
    while (next_item(&rest, &item))
        if (take_list(plan, &item))
            return -1;
    return 0;
}

/* ---- All ----------------------------------------------------------------------------------- */

static int take_command(char **command, const struct place *place, const struct value *value)
{
    struct part whole = part_trimmed(part_of(value));
    if (*command) {
        plan_error(place, "expected one such command, found a second one");
        return -1;
    }
    if (part_size(&whole) == 0)
        return expected(&whole, "a command for sh");
    *command = part_copy(&whole);
    return 0;
}

static int take_include(struct plan *plan, const struct value *value)
{
    struct part name = part_trimmed(part_of(value));
    char *text = part_copy(&name), *path = plan_expand(plan, part_place(&name), text);
    int result = path ? plan_include(plan, part_place(&name), path, false) : -1;
    free(text);
    free(path);
    return result;
}

int plan_take(struct plan *plan, char flag, const struct place *place, const struct value *value)
{
    struct part whole = part_of(value);
    switch (flag) {
    case 'A':
        return take_words(&plan->application, value, "files of the application");
    case 'L':
        return take_libraries(plan, value);
    case 'O':
        return take_operations(plan, value);
    case 'C':
        return take_lines(plan, value);
    case 'S':
        return take_stack(plan, place, value);
    case 'T':
        return take_traces(plan, place, value);
    case 'Q':
        return take_query(plan, place, value);
    case 'P':
        return plan_take_probe(plan, place, value);
    case 'D':
        return define(plan, &whole);
    case 'B':
        return take_command(&plan->build, place, value);
    case 'R':
        return take_command(&plan->run, place, value);
    case 'I':
        return take_include(plan, value);
    default:
        plan_error(place, "expected a flag (-A -L -O -C -S -T -Q -P -B -R -D -I), found -%c", flag);
        return -1;
    }
}

/* ---- Names --------------------------------------------------------------------------------- */

/* Expand TEXT with the definitions before definition N only, so that cycles are impossible. */
static char *expand(const struct plan *plan, size_t n, const struct place *place, const char *text);

/* Return the value of the SIZE bytes at NAME, which the caller frees. NULL after a message. */
static char *value_of(const struct plan *plan, size_t n, const struct place *place,
                      const char *name, size_t size)
{
    char text[256];
    for (size_t i = n; i-- > 0;)
        if (strlen(plan->names.words[i].text) == size &&
            strncmp(plan->names.words[i].text, name, size) == 0)
            return expand(plan, i, place, plan->values.words[i].text);
    snprintf(text, sizeof text, "%.*s", (int)(size < sizeof text ? size : 0), name);
    const char *value = getenv(text);
    if (value)
        return memory_text(value);
    plan_error(place, "$%.*s is not known: -D [NAME = PATH], or the environment, says what it is",
               (int)size, name);
    return NULL;
}

static char *expand(const struct plan *plan, size_t n, const struct place *place, const char *text)
{
    char *result = NULL;
    size_t room = 0, used = 0;
    while (*text) {
        size_t plain = strcspn(text, "$"), name = 0;
        result = memory_room(result, &room, used + plain + 1, 1);
        memcpy(result + used, text, plain);
        used += plain;
        text += plain;
        if (*text == '\0')
            break;
        for (text++; isalnum((unsigned char)text[name]) || text[name] == '_'; name++)
            ;
        char *value = value_of(plan, n, place, text, name);
        if (!value) {
            free(result);
            return NULL;
        }
        result = memory_room(result, &room, used + strlen(value) + 1, 1);
        memcpy(result + used, value, strlen(value));
        used += strlen(value);
        text += name;
        free(value);
    }
    result = memory_room(result, &room, used + 1, 1);
    result[used] = '\0';
    return result;
}

char *plan_expand(const struct plan *plan, const struct place *place, const char *text)
{
    return expand(plan, plan->names.n, place, text);
}
