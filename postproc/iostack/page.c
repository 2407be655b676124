/*
 * page.c - the HTML page. It is self-contained: it includes pictures and data, and a script draws
 * the selected call.
 */
#include "config.h"

#include "postproc/iostack/page.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postproc/ioc/memory.h"

#include "report/name.h"

enum { MOST_CALLS = 2000, MOST_SPANS = 50000 };

/* A span in the page. */
struct shown {
    int64_t call, begin, end, bytes; /* times in ns since the start of the call; end -1: open */
    uint64_t file, node;
    int64_t at;     /* start of the call, in ns since the first call */
    uint64_t group; /* of the collective, or 0 */
    uint32_t client, process;
    int32_t parent; /* index in the call, -1: none */
    uint8_t layer, operation, call_layer, call_operation;
};

void page_begin(struct page *page, struct stack *stack)
{
    *page = (struct page){.stack = stack};
    sorter_begin(&page->spans, sizeof(struct shown), NULL);
}

void page_free(struct page *page)
{
    sorter_free(&page->spans);
}

void page_visit(void *to, const struct call *call, const struct call_spans *spans,
                const struct cell *cells, size_t ncells)
{
    struct page *page = to;
    (void)cells;
    (void)ncells;
    if (page->calls >= MOST_CALLS || page->nspans + spans->n > MOST_SPANS) {
        page->left_out++;
        return;
    }
    if (page->calls++ == 0)
        page->begin = call->begin;
    page->nspans += spans->n;
    for (size_t i = 0; i < spans->n; i++) {
        const struct span *s = &spans->spans[i];
        struct shown shown = {.call = call->number,
                              .begin = s->begin - call->begin,
                              .end = s->end == NO_TIME ? -1 : s->end - call->begin,
                              .bytes = s->bytes,
                              .at = call->begin - page->begin,
                              .group = call->group,
                              .file = s->file,
                              .node = s->node,
                              .client = call->client,
                              .process = s->process,
                              .parent =
                                  spans->parents[i] == SIZE_MAX ? -1 : (int32_t)spans->parents[i],
                              .layer = s->layer,
                              .operation = s->operation,
                              .call_layer = call->layer,
                              .call_operation = call->operation};
        sorter_add(&page->spans, &shown);
    }
}

/* ---- Data ---------------------------------------------------------------------------------- */

static void put_processes(struct gptl_out *out, const struct stack *stack)
{
    gptl_out_literal(out, "\"processes\":[");
    for (size_t i = 0; i < stack->nprocesses; i++) {
        gptl_out_text(out, i ? "," : "");
        gptl_name_script(out, stack->processes[i].label);
    }
    gptl_out_literal(out, "],\n");
}

static bool is_same_call(const struct shown *a, const struct shown *b)
{
    return a->client == b->client && a->call_layer == b->call_layer && a->call == b->call;
}

/* Write each span as [layer, operation, process, parent, begin, end, bytes, file, node]. */
static void put_span(struct gptl_out *out, const struct stack *stack, const struct shown *s)
{
    gptl_out_format(out, "[\"%s\",\"%s\",%u,%d,%lld,%lld,%lld,", stack_layer(s->layer),
                    stack_operation(s->operation), s->process, s->parent, (long long)s->begin,
                    (long long)s->end, (long long)s->bytes);
    gptl_name_script(out, stack_name(stack, s->file));
    gptl_out_char(out, ',');
    gptl_name_script(out, stack_name(stack, s->node));
    gptl_out_char(out, ']');
}

static void put_calls(struct page *page, struct gptl_out *out)
{
    struct shown shown, before;
    bool any = false;
    gptl_out_literal(out, "\"calls\":[");
    sorter_sort(&page->spans);
    while (sorter_next(&page->spans, &shown)) {
        if (!any || !is_same_call(&before, &shown))
            gptl_out_format(
                out,
                "%s{\"client\":%u,\"of\":\"%s\",\"call\":%lld,\"op\":\"%s\",\"at\":%lld,"
                "\"group\":%llu,\"spans\":[",
                any ? "]},\n" : "\n", shown.client, stack_layer(shown.call_layer),
                (long long)shown.call, stack_operation(shown.call_operation), (long long)shown.at,
                (unsigned long long)shown.group);
        else
            gptl_out_char(out, ',');
        put_span(out, page->stack, &shown);
        before = shown;
        any = true;
    }
    gptl_out_text(out, any ? "]}" : "");
    gptl_out_format(out, "],\n\"left_out\":%llu}", (unsigned long long)page->left_out);
}

/* ---- The page ------------------------------------------------------------------------------ */

static void put_escaped(struct gptl_out *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<')
            gptl_out_literal(out, "&lt;");
        else if (*text == '&')
            gptl_out_literal(out, "&amp;");
        else
            gptl_out_char(out, *text);
}

/* Write a picture without gnuplot's output before the svg element. */
static void put_picture(struct gptl_out *out, const char *path)
{
    int fd = *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    off_t end = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
    char *content = memory_zeros(end > 0 ? (size_t)end + 1 : 1, 1);
    if (fd >= 0 && end > 0 && pread(fd, content, (size_t)end, 0) == end) {
        const char *begin = strstr(content, "<svg");
        gptl_out_literal(out, "<figure>\n");
        gptl_out_text(out, begin ? begin : "");
        gptl_out_literal(out, "</figure>\n");
    }
    if (fd >= 0)
        close(fd);
    free(content);
}

void page_print(struct page *page, struct gptl_out *out, char *const *notes, const char *table,
                char *const *pictures, size_t npictures)
{
    gptl_out_text(out, iostack_page_head);
    for (size_t i = 0; notes[i]; i++) {
        gptl_out_literal(out, "<p>Note: ");
        put_escaped(out, notes[i]);
        gptl_out_literal(out, "</p>\n");
    }
    gptl_out_literal(out, "<pre>");
    put_escaped(out, table);
    gptl_out_literal(out, "</pre>\n");
    for (size_t i = 0; i < npictures; i++)
        put_picture(out, pictures[i]);
    gptl_out_literal(out, "<h2>One call</h2>\n<p><select id=\"which\"></select> <span id=\"note\">"
                          "</span></p>\n<div id=\"tree\"></div>\n<script "
                          "type=\"application/json\" id=\"data\">{");
    put_processes(out, page->stack);
    put_calls(page, out);
    gptl_out_literal(out, "</script>\n<script>\n");
    gptl_out_text(out, iostack_page_script);
    gptl_out_literal(out, "</script>\n</body>\n</html>\n");
}
