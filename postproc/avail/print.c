/* print.c - output of `gptl avail` as text and JSON. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "counters/papi.h"
#include "postproc/avail/avail.h"
#include "report/name.h"

enum { LINE_WIDTH = 96 };

const char *avail_state(enum avail_state state)
{
    static const char *const names[AVAIL_STATES] = {"counts", "reads 0", "cannot start"};
    return names[state];
}

/* ---- Text ---------------------------------------------------------------------------------- */

/*
 * Return whether EVENT is in a section: presets if COMPONENT is NULL, otherwise its native events.
 */
static bool is_in(const struct avail_event *event, const char *component)
{
    if (!event->wanted)
        return false;
    if (!component)
        return avail_is_preset(event);
    return !avail_is_preset(event) && strcmp(event->component, component) == 0;
}

static size_t count(const struct avail *avail, const char *component, enum avail_state state)
{
    size_t n = 0;
    for (size_t i = 0; i < avail->n; i++)
        n += is_in(&avail->event[i], component) && avail->event[i].state == state;
    return n;
}

static size_t padded(struct gptl_out *out, const char *name, size_t width)
{
    size_t length = gptl_name_width(name, false);
    gptl_name_text(out, name, false);
    gptl_out_blanks(out, length < width ? width - length : 0);
    return length;
}

static void put_counting(struct gptl_out *out, const struct avail *avail, const char *component)
{
    size_t width = 0, n = count(avail, component, AVAIL_COUNTS);
    if (n == 0)
        return;
    gptl_out_format(out, "  counts (%zu)\n", n);
    for (size_t i = 0; i < avail->n; i++)
        if (is_in(&avail->event[i], component) && avail->event[i].state == AVAIL_COUNTS) {
            size_t length = gptl_name_width(avail->event[i].name, false);
            width = length > width && length <= 40 ? length : width;
        }
    for (size_t i = 0; i < avail->n; i++) {
        const struct avail_event *event = &avail->event[i];
        if (!is_in(event, component) || event->state != AVAIL_COUNTS)
            continue;
        gptl_out_literal(out, "    ");
        padded(out, event->name, width);
        gptl_out_literal(out, "  ");
        gptl_name_text(out, event->description ? event->description : "", false);
        gptl_out_format(out, " (%lld after %s%s)\n", event->value, event->load,
                        event->scope == GPTL_SCOPE_THREAD    ? ""
                        : event->scope == GPTL_SCOPE_PROCESS ? "; of the whole process"
                                                             : "; of the whole machine");
    }
}

/* Write the names of the section's events with STATE and, unless it is NULL, reason WHY. */
static void put_names(struct gptl_out *out, const struct avail *avail, const char *component,
                      enum avail_state state, const char *why)
{
    size_t column = 0;
    for (size_t i = 0; i < avail->n; i++) {
        const struct avail_event *event = &avail->event[i];
        if (!is_in(event, component) || event->state != state ||
            (why && (!event->why || strcmp(event->why, why) != 0)))
            continue;
        size_t length = gptl_name_width(event->name, false);
        if (column > 0 && column + 1 + length > LINE_WIDTH) {
            gptl_out_char(out, '\n');
            column = 0;
        }
        gptl_out_blanks(out, column > 0 ? 1 : 6);
        gptl_name_text(out, event->name, false);
        column += length + (column > 0 ? 1 : 6);
    }
    gptl_out_char(out, '\n');
}

/* Return whether an event before event I of the section has the same reason. */
static bool is_told(const struct avail *avail, const char *component, size_t i)
{
    const struct avail_event *event = avail->event;
    for (size_t k = 0; k < i; k++)
        if (is_in(&event[k], component) && event[k].why && strcmp(event[k].why, event[i].why) == 0)
            return true;
    return false;
}

static void put_others(struct gptl_out *out, const struct avail *avail, const char *component)
{
    size_t n = count(avail, component, AVAIL_ZERO);
    if (n > 0) {
        gptl_out_format(out, "  starts but reads 0 (%zu): not available\n", n);
        put_names(out, avail, component, AVAIL_ZERO, NULL);
    }
    n = count(avail, component, AVAIL_CANNOT);
    if (n > 0)
        gptl_out_format(out, "  cannot start (%zu)\n", n);
    for (size_t i = 0; i < avail->n; i++) {
        const struct avail_event *event = &avail->event[i];
        if (!is_in(event, component) || event->state != AVAIL_CANNOT || !event->why ||
            is_told(avail, component, i))
            continue;
        gptl_out_literal(out, "    ");
        gptl_name_text(out, event->why, false);
        gptl_out_literal(out, ":\n");
        put_names(out, avail, component, AVAIL_CANNOT, event->why);
    }
}

static void put_section(struct gptl_out *out, const struct avail *avail, const char *component)
{
    gptl_out_char(out, '\n');
    gptl_out_text(out, component ? component : "Presets");
    gptl_out_char(out, '\n');
    put_counting(out, avail, component);
    put_others(out, avail, component);
}

static void put_derived(struct gptl_out *out, const struct avail *avail)
{
    if (avail->nderived > 0)
        gptl_out_literal(out, "\nDerived events\n");
    for (int can = 1; can >= 0; can--) {
        size_t n = 0;
        for (size_t i = 0; i < avail->nderived; i++)
            n += avail->derived[i].can == can;
        if (n > 0)
            gptl_out_format(out, can ? "  can be computed (%zu)\n" : "  cannot be computed (%zu)\n",
                            n);
        for (size_t i = 0; i < avail->nderived; i++) {
            const struct avail_derived *derived = &avail->derived[i];
            if (derived->can != can)
                continue;
            gptl_out_literal(out, "    ");
            padded(out, derived->name, 12);
            gptl_out_format(out, "  %s: %s\n", can ? derived->description : derived->expression,
                            can ? derived->expression : derived->why);
        }
    }
}

/* Return whether event I is the first selected native event of its component. */
static bool begins_component(const struct avail *avail, size_t i)
{
    const struct avail_event *event = avail->event;
    if (!event[i].wanted || avail_is_preset(&event[i]))
        return false;
    for (size_t k = 0; k < i; k++)
        if (is_in(&event[k], event[i].component))
            return false;
    return true;
}

void avail_text(struct gptl_out *out, const struct avail *avail)
{
    size_t n = 0, counting = 0, presets = 0;
    for (size_t i = 0; i < avail->n; i++) {
        n += avail->event[i].wanted;
        counting += avail->event[i].wanted && avail->event[i].state == AVAIL_COUNTS;
        presets += is_in(&avail->event[i], NULL);
    }
    gptl_out_format(out, "PAPI %s: %zu of %zu events count here.\n", gptl_papi_version(), counting,
                    n);
    if (presets > 0)
        put_section(out, avail, NULL);
    for (size_t i = 0; i < avail->n; i++)
        if (begins_component(avail, i))
            put_section(out, avail, avail->event[i].component);
    put_derived(out, avail);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void put_member(struct gptl_out *out, const char *key, const char *text)
{
    gptl_out_format(out, ",\"%s\":", key);
    if (text)
        gptl_name_json(out, text);
    else
        gptl_out_literal(out, "null");
}

static void put_event(struct gptl_out *out, const struct avail_event *event)
{
    static const char *const scopes[] = {"thread", "process", "machine"};
    bool counts = event->state == AVAIL_COUNTS;
    gptl_out_literal(out, "{\"name\":");
    gptl_name_json(out, event->name);
    put_member(out, "component", event->component);
    put_member(out, "description", event->description ? event->description : "");
    put_member(out, "scope", event->state == AVAIL_CANNOT ? NULL : scopes[event->scope]);
    put_member(out, "state", avail_state(event->state));
    gptl_out_format(out, ",\"value\":%lld", counts ? event->value : 0);
    put_member(out, "load", counts ? event->load : NULL);
    put_member(out, "why", event->why);
    gptl_out_char(out, '}');
}

void avail_json(struct gptl_out *out, const struct avail *avail)
{
    const char *before = "\n";
    gptl_out_format(out, "{\"papi\":\"%s\",\n\"events\":[", gptl_papi_version());
    for (size_t i = 0; i < avail->n; i++)
        if (avail->event[i].wanted) {
            gptl_out_text(out, before);
            put_event(out, &avail->event[i]);
            before = ",\n";
        }
    gptl_out_literal(out, "],\n\"derived\":[");
    before = "\n";
    for (size_t i = 0; i < avail->nderived; i++) {
        const struct avail_derived *derived = &avail->derived[i];
        gptl_out_text(out, before);
        before = ",\n";
        gptl_out_literal(out, "{\"name\":");
        gptl_name_json(out, derived->name);
        put_member(out, "description", derived->description);
        put_member(out, "expression", derived->expression);
        gptl_out_format(out, ",\"can\":%s", derived->can ? "true" : "false");
        put_member(out, "why", derived->can ? NULL : derived->why);
        gptl_out_char(out, '}');
    }
    gptl_out_literal(out, "]}\n");
}
