/* read_intervals.c - reads the intervals of a thread (GPTLmark). */
#include "config.h"

#include "postproc/read/read_nodes.h"

#include <stdlib.h>
#include <string.h>

/*
 * Add ROW, whose row->node is a node id, to INTERVAL, which has space for it. Rows of removed nodes
 * are merged into a row of their rest.
 */
static void put_row(struct read_thread *t, struct gptl_interval *interval,
                    const struct gptl_interval_row *row)
{
    struct place place;
    if (!read_place(t, "an interval has", row->node, &place))
        return;
    uint32_t node = read_tree_row(&t->tree, place);
    if (node == 0) {
        json_fail(t->json, "an interval has node 0, which is none");
        return;
    }
    if (!place.cut || !t->at[node]) {
        struct gptl_interval_row *to = &interval->rows[interval->nrows++];
        *to = *row;
        to->node = node;
        if (place.below)
            to->total = 0;
        if (place.cut)
            t->at[node] = interval->nrows;
        return;
    }
    struct gptl_interval_row *sum = &interval->rows[t->at[node] - 1];
    sum->count += row->count;
    sum->total += place.below ? 0 : row->total;
    sum->max = row->max > sum->max ? row->max : sum->max;
    sum->min = row->min < sum->min ? row->min : sum->min;
}

static bool begin_rows(struct read_thread *t)
{
    if (t->at || !t->tree.cut)
        return true;
    t->at = calloc(t->copy->nnodes, sizeof *t->at);
    if (!t->at)
        reader_no_memory(t->reader);
    return t->at;
}

static void end_rows(struct read_thread *t, const struct gptl_interval *interval)
{
    for (uint32_t i = 0; t->at && i < interval->nrows; i++)
        t->at[interval->rows[i].node] = 0;
}

/* ---- Reading ------------------------------------------------------------------------------- */

static struct gptl_interval_row read_row(struct read_thread *t)
{
    static const char *const members[] = {"node", "calls", "seconds", "max", "min"};
    struct gptl_interval_row row = {.min = UINT64_MAX};
    const char *key;
    int next = 0;
    json_object(t->json);
    while ((key = json_key(t->json))) {
        switch (reader_member(key, members, 5, &next)) {
        case 0:
            row.node = (uint32_t)json_uint(t->json, LARGEST_ID);
            break;
        case 1:
            row.count = json_uint(t->json, MOST_CALLS);
            break;
        case 2:
            row.total = read_time(t->json);
            break;
        case 3:
            row.max = json_null(t->json) ? 0 : read_time(t->json);
            break;
        case 4:
            row.min = json_null(t->json) ? UINT64_MAX : read_time(t->json);
            break;
        default:
            json_skip(t->json);
        }
    }
    return row;
}

static void read_rows(struct read_thread *t, struct gptl_interval *interval)
{
    uint32_t room = interval->nrows;
    json_array(t->json);
    while (json_element(t->json)) {
        struct gptl_interval_row row = read_row(t);
        if (interval->nrows == room) {
            room = room ? 2 * room : 8;
            void *rows = room <= LARGEST_ID ? realloc(interval->rows, room * sizeof row) : NULL;
            if (!rows) {
                reader_no_memory(t->reader);
                return;
            }
            interval->rows = rows;
        }
        if (!t->has_nodes)
            interval->rows[interval->nrows++] = row;
        else if (!json_failed(t->json) && begin_rows(t))
            put_row(t, interval, &row);
    }
    end_rows(t, interval);
}

static void read_label(struct read_thread *t, struct gptl_interval *interval)
{
    size_t length;
    char *text = json_string(t->json, &length);
    long decoded = name_decode(text, length);
    if (decoded < 0)
        json_fail(t->json, "a label has a byte of 0 in it");
    size_t kept =
        decoded < GPTL_LABEL_SIZE ? (size_t)(decoded > 0 ? decoded : 0) : GPTL_LABEL_SIZE - 1;
    memcpy(interval->label, text, kept);
    interval->label[kept] = '\0';
}

static void read_interval(struct read_thread *t, struct gptl_interval *interval)
{
    const char *key;
    json_object(t->json);
    while ((key = json_key(t->json))) {
        if (strcmp(key, "label") == 0)
            read_label(t, interval);
        else if (strcmp(key, "marks") == 0)
            interval->marks = json_uint(t->json, UINT64_MAX);
        else if (strcmp(key, "nodes") != 0)
            json_skip(t->json);
        else if (interval->rows)
            json_fail(t->json, "this interval has \"nodes\" twice");
        else
            read_rows(t, interval);
    }
}

void read_intervals(struct read_thread *t)
{
    struct gptl_copy *copy = t->copy;
    if (copy->nintervals > 0)
        json_fail(t->json, "this thread has \"intervals\" twice");
    t->intervals_by_id = !t->has_nodes;
    json_array(t->json);
    for (uint32_t room = 0; json_element(t->json);) {
        if (copy->nintervals == room) {
            room = room ? 2 * room : 8;
            void *intervals = room <= LARGEST_ID
                                  ? realloc(copy->intervals, room * sizeof *copy->intervals)
                                  : NULL;
            if (!intervals) {
                reader_no_memory(t->reader);
                return;
            }
            copy->intervals = intervals;
        }
        copy->intervals[copy->nintervals] = (struct gptl_interval){.marks = 1};
        read_interval(t, &copy->intervals[copy->nintervals++]);
    }
}

void read_intervals_end(struct read_thread *t)
{
    struct gptl_copy *copy = t->copy;
    if (!t->intervals_by_id || json_failed(t->json) || !begin_rows(t))
        return;
    for (uint32_t i = 0; i < copy->nintervals; i++) {
        struct gptl_interval *interval = &copy->intervals[i];
        uint32_t n = interval->nrows;
        interval->nrows = 0;
        for (uint32_t k = 0; k < n && !json_failed(t->json); k++) {
            struct gptl_interval_row row = interval->rows[k];
            put_row(t, interval, &row);
        }
        end_rows(t, interval);
    }
}
