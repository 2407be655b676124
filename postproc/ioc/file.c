/*
 * file.c - gptl ioc file: the offset of each access to a file in the order of time, and reuse and
 * sharing by processes.
 */
#include "config.h"

#include "postproc/ioc/ioc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/commands.h"
#include "postproc/ioc/file.h"
#include "postproc/ioc/map.h"
#include "postproc/ioc/memory.h"

#include "report/name.h"
#include "report/number.h"

static const struct column columns[] = {
    {"access", NULL, false}, {"seconds", NULL, false}, {"process", NULL, true},
    {"thread", NULL, false}, {"kind", NULL, true},     {"offset", NULL, false},
    {"bytes", NULL, false},  {"call", NULL, true},     {"file", NULL, true},
};

/* ---- Accesses ------------------------------------------------------------------------------ */

static struct about *about_of(struct view *view, uint32_t file)
{
    uint64_t *place = map_put(&view->by_file, file);
    if (!*place) {
        view->about =
            memory_room(view->about, &view->about_room, view->nabout + 1, sizeof *view->about);
        view->about[view->nabout++] = (struct about){.file = file};
        *place = view->nabout;
    }
    return &view->about[*place - 1];
}

static struct usage *usage_of(struct view *view, uint32_t file, uint32_t process)
{
    uint64_t *place = map_put(&view->by_pair, (uint64_t)file << 32 | process);
    if (!*place) {
        view->usage =
            memory_room(view->usage, &view->usage_room, view->nusage + 1, sizeof *view->usage);
        view->usage[view->nusage++] = (struct usage){.file = file, .process = process, .first = -1};
        *place = view->nusage;
    }
    return &view->usage[*place - 1];
}

static void put_row(struct view *view, const struct call *call, const struct end *end, bool writes,
                    int64_t bytes, uint64_t order)
{
    struct rows *rows = &view->rows;
    rows_number(rows, (int64_t)order);
    rows_seconds(rows, call->time);
    rows_text(rows, view->ioc->log.processes[call->process].label);
    rows_number(rows, call->thread);
    rows_text(rows, writes ? "write" : "read");
    if (end->offset >= 0)
        rows_number(rows, end->offset);
    else
        rows_none(rows);
    rows_number(rows, bytes);
    rows_text(rows, call->name);
    rows_text(rows, view->ioc->files.files[end->file].path);
}

/* Select the accesses to draw at random: any regular selection could hide a pattern. */
static bool is_drawn(const struct view *view, uint64_t order)
{
    uint64_t hash = order * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93u;
    return hash >> 32 >= view->least_hash;
}

static void keep_point(struct view *view, const struct point *point)
{
    enum { MOST_POINTS = 30000 };
    if (!is_drawn(view, point->order))
        return;
    if (view->npoints == MOST_POINTS) {
        view->least_hash += (UINT32_MAX - view->least_hash) / 2 + 1;
        size_t n = 0;
        for (size_t i = 0; i < view->npoints; i++)
            if (is_drawn(view, view->points[i].order))
                view->points[n++] = view->points[i];
        view->npoints = n;
        keep_point(view, point);
        return;
    }
    view->points =
        memory_room(view->points, &view->points_room, view->npoints + 1, sizeof *view->points);
    view->points[view->npoints++] = *point;
}

static void account(struct about *about, struct usage *usage, const struct end *end, bool writes,
                    int64_t bytes)
{
    enum { MOST = 32768 };
    int64_t begin = end->offset, until;
    (writes ? &usage->writes : &usage->reads)[0]++;
    (writes ? &usage->written : &usage->read)[0] += (uint64_t)bytes;
    if (begin < 0 || bytes == 0) {
        usage->unknown += begin < 0;
        if (writes && bytes > 0)
            about->current.n = 0; /* the offset is unknown */
        return;
    }
    until = gptl_number_sum(begin, bytes);
    if (writes) {
        usage->overwritten += ranges_add(&about->written, begin, until, usage->process, MOST);
        ranges_remove(&about->current, begin, until, MOST);
    } else {
        ranges_add(&about->read, begin, until, 0, MOST);
        usage->read_again += ranges_add(&about->current, begin, until, 0, MOST);
        usage->of_others += ranges_of_others(&about->written, begin, until, usage->process);
    }
}

static void access(struct view *view, const struct call *call, const struct end *end, bool writes,
                   int64_t bytes)
{
    if (!view->ioc->files.files[end->file].chosen)
        return;
    struct about *about = about_of(view, end->file);
    struct usage *usage = usage_of(view, end->file, call->process);
    uint64_t order = ++about->accesses;
    if (usage->first < 0)
        usage->first = call->time;
    usage->last = call->time;
    account(about, usage, end, writes, bytes);
    if (view->ioc->picture)
        keep_point(view, &(struct point){order, end->offset, bytes, call->process, writes});
    else if (view->ioc->format != ROWS_TABLE)
        put_row(view, call, end, writes, bytes, order);
}

/* Forget the contents known for a name that now refers to another file. */
static void forget_name(struct view *view, uint32_t file)
{
    const uint64_t *place = map_find(&view->by_file, file);
    if (place)
        view->about[*place - 1].current.n = 0;
}

static void visit(void *to, const struct call *call)
{
    if (call->result < 0)
        return;
    if (call_renames(call)) {
        forget_name(to, call->from.file);
        forget_name(to, call->other);
    }
    if (call_is_read(call))
        access(to, call, &call->from, false, call->read);
    if (call->has_to)
        access(to, call, &call->to, true, call->written);
}

/* ---- The table ----------------------------------------------------------------------------- */

static const struct column usage_columns[] = {
    {"process", "process", true},
    {"reads", "reads", false},
    {"read", "read", false},
    {"read_again", "read again", false},
    {"of_others", "others' data", false},
    {"writes", "writes", false},
    {"written", "written", false},
    {"overwritten", "overwritten", false},
    {"first", "first (s)", false},
    {"last", "last (s)", false},
};

static void put_about(struct view *view, const struct about *about)
{
    struct gptl_out *out = view->ioc->out;
    const struct file *file = &view->ioc->files.files[about->file];
    char text[2][BYTES_TEXT];
    struct rows rows;
    bool unknown = false;
    gptl_name_text(out, file->path, false);
    gptl_out_format(
        out, ": %llu accesses; %s of it read, %s written%s\n", (unsigned long long)about->accesses,
        bytes_text(text[0], (double)ranges_bytes(&about->read)),
        bytes_text(text[1], (double)ranges_bytes(&about->written)),
        about->read.is_full || about->written.is_full || about->current.is_full ? " (at least)"
                                                                                : "");
    rows_begin(&rows, out, ROWS_TABLE, usage_columns, sizeof usage_columns / sizeof *usage_columns);
    for (size_t i = 0; i < view->nusage; i++) {
        const struct usage *usage = &view->usage[i];
        if (usage->file != about->file)
            continue;
        rows_text(&rows, view->ioc->log.processes[usage->process].label);
        rows_number(&rows, (int64_t)usage->reads);
        rows_bytes(&rows, (int64_t)usage->read);
        rows_bytes(&rows, (int64_t)usage->read_again);
        rows_bytes(&rows, (int64_t)usage->of_others);
        rows_number(&rows, (int64_t)usage->writes);
        rows_bytes(&rows, (int64_t)usage->written);
        rows_bytes(&rows, (int64_t)usage->overwritten);
        rows_seconds(&rows, usage->first);
        rows_seconds(&rows, usage->last);
        unknown |= usage->unknown > 0;
    }
    rows_end(&rows);
    if (unknown)
        gptl_out_literal(out,
                         "The offset of some accesses is not known: they count as neither again "
                         "nor others'.\n");
    gptl_out_char(out, '\n');
}

static void put_table(struct view *view)
{
    for (size_t i = 0; i < view->nabout; i++)
        put_about(view, &view->about[i]);
    gptl_out_literal(
        view->ioc->out,
        "read again: bytes that any process had read before, and none had written since; others' "
        "data: bytes\nthat another process had written; overwritten: bytes that any had written "
        "before.\n");
}

/* ---- The tool ------------------------------------------------------------------------------ */

/* Check that the selection fits: a picture shows one file. */
static int have_file(const struct view *view)
{
    enum { MOST = 10 };
    const struct ioc *ioc = view->ioc;
    if (view->nabout == 0) {
        fprintf(stderr,
                "gptl ioc file: no call read or wrote a file %s; gptl ioc summary lists those that "
                "there are\n",
                ioc->path);
        return -1;
    }
    if (!ioc->picture || view->nabout == 1)
        return 0;
    fprintf(stderr, "gptl ioc file: %s fits %zu files; a picture is of one:\n", ioc->path,
            view->nabout);
    for (size_t i = 0; i < view->nabout && i < MOST; i++)
        fprintf(stderr, "  %s\n", ioc->files.files[view->about[i].file].path);
    return -1;
}

static int compare_usage(const void *x, const void *y)
{
    const struct usage *a = x, *b = y;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return (a->file > b->file) - (a->file < b->file);
}

static void view_free(struct view *view)
{
    for (size_t i = 0; i < view->nabout; i++) {
        ranges_free(&view->about[i].read);
        ranges_free(&view->about[i].written);
        ranges_free(&view->about[i].current);
    }
    free(view->about);
    free(view->usage);
    free(view->points);
    map_free(&view->by_file);
    map_free(&view->by_pair);
}

int ioc_file(struct ioc *ioc)
{
    struct view view = {.ioc = ioc};
    bool is_table = !ioc->picture && ioc->format == ROWS_TABLE,
         is_rows = !ioc->picture && !is_table;
    if (is_rows) {
        walk_check(&ioc->log);
        ioc_begin(ioc);
        if (ioc->format == ROWS_JSON)
            gptl_out_literal(ioc->out, ",\"rows\":[\n");
        rows_begin(&view.rows, ioc->out, ioc->format, columns, sizeof columns / sizeof columns[0]);
    }
    walk(&ioc->log, &ioc->selection, &ioc->files, true, visit, &view);
    if (view.nusage > 1)
        qsort(view.usage, view.nusage, sizeof *view.usage, compare_usage);
    int failed = have_file(&view);
    if (!is_rows)
        ioc_begin(ioc);
    else if (ioc->format == ROWS_JSON)
        gptl_out_literal(ioc->out, "]");
    if (is_table && !failed)
        put_table(&view);
    else if (ioc->picture && !failed)
        failed = file_draw(&view);
    ioc_end(ioc);
    view_free(&view);
    return failed ? GPTL_EXIT_USAGE : GPTL_EXIT_DONE;
}
