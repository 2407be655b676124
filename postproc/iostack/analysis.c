/* analysis.c - turns logs into rows, pictures or a page. */
#include "config.h"

#include "postproc/iostack/analysis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "postproc/commands.h"
#include "postproc/ioc/memory.h"
#include "postproc/iostack/page.h"
#include "postproc/temporary.h"

#include "report/file.h"
#include "report/name.h"

/* ---- Notes --------------------------------------------------------------------------------- */

/* Write the notes at the start of a table or JSON; for other formats, with OUT NULL, on stderr. */
static void put_notes(struct gptl_out *out, enum rows_format format, char **notes)
{
    for (size_t i = 0; notes[i]; i++)
        if (out && format == ROWS_TABLE) {
            gptl_out_literal(out, "Note: ");
            gptl_name_text(out, notes[i], false);
            gptl_out_char(out, '\n');
        } else if (out && format == ROWS_JSON) {
            gptl_out_text(out, i ? "," : "");
            gptl_name_json(out, notes[i]);
        } else
            fprintf(stderr, "gptl iostack: %s\n", notes[i]);
}

static void free_notes(char **notes)
{
    for (size_t i = 0; notes[i]; i++)
        free(notes[i]);
    free(notes);
}

static void put_counts(struct gptl_out *out, const struct counts *c)
{
    const struct {
        const char *name;
        uint64_t n;
    } all[] = {{"spans", c->spans},
               {"open", c->open},
               {"ends_without_begin", c->ends_without_begin},
               {"duplicates", c->duplicates},
               {"without_parent", c->without_parent},
               {"circles", c->circles},
               {"too_deep", c->too_deep},
               {"lost", c->lost},
               {"hidden", c->hidden},
               {"damaged", c->damaged},
               {"killed", c->killed},
               {"tied", c->tied},
               {"among_several", c->among},
               {"unknown_operation", c->unknown_operation},
               {"in_parts", c->in_parts},
               {"collective", c->collective},
               {"lacking", c->lacking}};
    gptl_out_literal(out, "\"counts\":{");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        gptl_out_format(out, "%s\"%s\":%llu", i ? "," : "", all[i].name,
                        (unsigned long long)all[i].n);
    gptl_out_literal(out, "},\n");
}

static void put_hosts(struct gptl_out *out, const struct stack *stack)
{
    gptl_out_literal(out, "\"hosts\":[");
    for (size_t i = 0; i < stack->nhosts; i++) {
        gptl_out_text(out, i ? ",{\"name\":" : "{\"name\":");
        gptl_name_json(out, stack->hosts[i].name);
        if (stack->hosts[i].bound < 0)
            gptl_out_literal(out, ",\"offset_ns\":null,\"bound_ns\":null}");
        else
            gptl_out_format(out, ",\"offset_ns\":%lld,\"bound_ns\":%lld}",
                            (long long)stack->hosts[i].offset, (long long)stack->hosts[i].bound);
    }
    gptl_out_literal(out, "],\n");
}

static const char *const view_names[] = {
    [VIEW_CALL] = "call",     [VIEW_CLIENT] = "client",           [VIEW_SERVER] = "server",
    [VIEW_LAYER] = "layer",   [VIEW_SEGMENT] = "segment",         [VIEW_DEVICE] = "device",
    [VIEW_EFFECT] = "effect", [VIEW_APPLICATION] = "application", [VIEW_COLLECTIVE] = "collective"};

bool analysis_take_view(struct analysis *analysis, const char *name)
{
    for (size_t i = 0; i < sizeof view_names / sizeof view_names[0]; i++)
        if (strcmp(view_names[i], name) == 0) {
            analysis->by = (enum view)i;
            return analysis->has_view = true;
        }
    return false;
}

static void put_rows(struct views *views, char **notes)
{
    struct gptl_out *out = views->out;
    if (views->format == ROWS_JSON) {
        gptl_out_literal(out, "{\"format\":\"gptl-iostack\",\"version\":1,\"notes\":[");
        put_notes(out, views->format, notes);
        gptl_out_literal(out, "],\n");
        put_counts(out, &views->stack->counts);
        put_hosts(out, views->stack);
        gptl_out_format(
            out, "\"metric\":\"%s\",\"exclusive\":%s,\"disk\":", metric_name(views->query->metric),
            views->query->exclusive ? "true" : "false");
        gptl_name_json(out, views->query->disk.name);
        gptl_out_format(out, ",\n\"by\":\"%s\",\"rows\":[\n", view_names[views->by]);
        views_print(views);
        gptl_out_literal(out, "]}\n");
        return;
    }
    put_notes(out, views->format, notes);
    if (notes[0] && views->format == ROWS_TABLE)
        gptl_out_char(out, '\n');
    views_print(views);
}

/* ---- The page ------------------------------------------------------------------------------ */

/* Results of one pass over the calls. */
struct pass {
    struct views views;
    struct page page;
    struct draw *drawings[4];
    size_t ndrawings;
    bool has_page;
};

static void visit(void *to, const struct call *call, const struct call_spans *spans,
                  const struct cell *cells, size_t ncells)
{
    struct pass *pass = to;
    views_visit(&pass->views, call, spans, cells, ncells);
    if (!call->is_selected)
        return;
    if (pass->has_page)
        page_visit(&pass->page, call, spans, cells, ncells);
    for (size_t i = 0; i < pass->ndrawings; i++)
        draw_visit(pass->drawings[i], call, spans, cells, ncells);
}

/* Return the rows as text; the caller frees it. */
static char *table_of(struct views *views)
{
    struct stat status;
    int fd = memfd_create("gptl-iostack", MFD_CLOEXEC);
    struct gptl_out *out = fd >= 0 ? gptl_out_new(fd) : NULL;
    char *text = NULL;
    if (out) {
        views->out = out;
        views_print(views);
        gptl_out_flush(out);
        if (fstat(fd, &status) == 0) {
            text = memory_zeros((size_t)status.st_size + 1, 1);
            if (pread(fd, text, (size_t)status.st_size, 0) != status.st_size)
                *text = '\0';
        }
    }
    free(out);
    if (fd >= 0)
        close(fd);
    return text ? text : memory_text("");
}

static int print_page(struct pass *pass, struct gptl_out *out, char **notes)
{
    enum { PATH = 4200 };
    char folder[TEMPORARY_PATH], *paths[4];
    int status = GPTL_EXIT_DONE;
    if (!temporary_folder("gptl iostack", "gptl-iostack", folder))
        return GPTL_EXIT_USAGE;
    for (size_t i = 0; i < pass->ndrawings; i++) {
        paths[i] = memory_zeros(PATH, 1);
        snprintf(paths[i], PATH, "%s/%zu.svg", folder, i);
        if (pass->drawings[i]->ncalls == 0)
            *paths[i] = '\0';
        else if (draw_print(pass->drawings[i], paths[i], PICTURE_SVG))
            status = GPTL_EXIT_USAGE;
    }
    size_t cut = 0; /* the first truncated drawing represents all */
    while (cut < pass->ndrawings && pass->drawings[cut]->left_out == 0)
        cut++;
    if (cut < pass->ndrawings)
        draw_tell(pass->drawings[cut]);
    char *table = table_of(&pass->views);
    if (status == GPTL_EXIT_DONE)
        page_print(&pass->page, out, notes, table, paths, pass->ndrawings);
    free(table);
    for (size_t i = 0; i < pass->ndrawings; i++) {
        if (*paths[i])
            unlink(paths[i]);
        free(paths[i]);
    }
    rmdir(folder);
    return status;
}

/* ---- All ----------------------------------------------------------------------------------- */

/* Begin the drawings; a page contains all possible ones. */
static int begin_drawings(struct pass *pass, const struct analysis *a, struct stack *stack)
{
    static const enum drawing all[] = {DRAW_CLIENT, DRAW_SERVER, DRAW_THROUGHPUT, DRAW_POWER};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (a->html ? all[i] == DRAW_POWER && !query_of_energy(&a->query) : a->drawing != all[i])
            continue;
        struct draw *draw = memory_zeros(1, sizeof *draw);
        if (draw_begin(draw, stack, &a->query, all[i], a->which)) {
            pass->drawings[pass->ndrawings++] = draw;
            continue;
        }
        free(draw);
        if (!a->html) {
            draw_tell_none(stack, &a->query, all[i], a->which);
            return -1;
        }
    }
    return 0;
}

static enum picture kind_of(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".png") == 0 ? PICTURE_PNG : PICTURE_SVG;
}

static int print(struct pass *pass, const struct analysis *a)
{
    struct gptl_file file;
    int status = GPTL_EXIT_DONE;
    char **notes = stack_notes(pass->views.stack);
    if (a->drawing != DRAW_NOTHING) {
        put_notes(NULL, ROWS_CSV, notes);
        draw_tell(pass->drawings[0]);
        status = draw_print(pass->drawings[0], a->output, kind_of(a->output)) ? GPTL_EXIT_USAGE
                                                                              : GPTL_EXIT_DONE;
    } else if (gptl_file_open(&file, "gptl iostack", a->output ? a->output : "/dev/stdout", false))
        status = GPTL_EXIT_USAGE;
    else {
        if (a->html)
            status = print_page(pass, file.out, notes);
        else {
            pass->views.out = file.out;
            put_rows(&pass->views, notes);
        }
        if (gptl_file_close(&file, status == GPTL_EXIT_DONE))
            status = GPTL_EXIT_USAGE;
    }
    free_notes(notes);
    return status;
}

int analyze(const struct analysis *analysis, char *const *logs, size_t nlogs)
{
    const struct analysis *a = analysis;
    struct stack stack;
    struct pass pass = {.has_page = a->html};
    int status = GPTL_EXIT_USAGE;
    if (stack_open(&stack, logs, nlogs) == 0 && stack.nlogs > 0) {
        struct sorter by_call;
        views_begin(&pass.views, &stack, &a->query, a->by);
        pass.views.format = a->html ? ROWS_TABLE : a->format;
        pass.views.top = a->top;
        pass.views.is_in_page = a->html;
        pass.views.is_overview = !a->has_view && a->by == VIEW_CALL;
        page_begin(&pass.page, &stack);
        if (begin_drawings(&pass, a, &stack) == 0) {
            join(&stack, a->query.whole || a->by == VIEW_EFFECT, &by_call);
            calls_walk(&stack, &a->query, &by_call, visit, &pass);
            sorter_free(&by_call);
            status = print(&pass, a);
        }
        views_free(&pass.views);
        page_free(&pass.page);
        for (size_t i = 0; i < pass.ndrawings; i++) {
            draw_free(pass.drawings[i]);
            free(pass.drawings[i]);
        }
        if (status == GPTL_EXIT_DONE && stack.counts.damaged + stack.counts.duplicates > 0)
            status = GPTL_EXIT_FINDING;
    }
    stack_free(&stack);
    return status;
}
