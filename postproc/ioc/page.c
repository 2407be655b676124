/*
 * page.c - gptl ioc html: one page with the summary, the pictures over time and of sizes, and the
 * pictures of the files with the most bytes. Each part is the output of the tool of the same name.
 */
#include "config.h"

#include "postproc/ioc/ioc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "postproc/commands.h"
#include "postproc/ioc/memory.h"
#include "postproc/temporary.h"

#include "report/name.h"

/* ---- Parts --------------------------------------------------------------------------------- */

/* Write text with the special characters of HTML as entities. */
static void put_escaped(struct gptl_out *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (text[i] == '<')
            gptl_out_literal(out, "&lt;");
        else if (text[i] == '&')
            gptl_out_literal(out, "&amp;");
        else
            gptl_out_char(out, text[i]);
}

static char *content_of(int fd, size_t *size)
{
    off_t end = lseek(fd, 0, SEEK_END);
    char *content = memory_zeros(end > 0 ? (size_t)end + 1 : 1, 1);
    ssize_t n = end > 0 ? pread(fd, content, (size_t)end, 0) : 0;
    *size = n > 0 ? (size_t)n : 0;
    return content;
}

/* Run TOOL with the same log and files: these grow, so only one of each may exist. */
static int run_part(struct ioc *ioc, int (*tool)(struct ioc *), const char *name,
                    struct gptl_out *out, const char *picture)
{
    const char *own_name = ioc->tool, *own_output = ioc->output;
    struct gptl_out *own_out = ioc->out;
    ioc->tool = name;
    ioc->out = out;
    ioc->output = picture;
    ioc->picture = picture ? PICTURE_SVG : PICTURE_NONE;
    int status = tool(ioc);
    ioc->tool = own_name;
    ioc->out = own_out;
    ioc->output = own_output;
    ioc->picture = PICTURE_NONE;
    return status;
}

/* Write the text output of TOOL. Returns its exit status. */
static int put_text(struct ioc *ioc, int (*tool)(struct ioc *), const char *name)
{
    size_t size;
    int fd = memfd_create("gptl-ioc", MFD_CLOEXEC);
    struct gptl_out *out = fd >= 0 ? gptl_out_new(fd) : NULL;
    if (!out) {
        fprintf(stderr, "gptl ioc html: no memory for a part of the page: %s\n", strerror(errno));
        if (fd >= 0)
            close(fd);
        return GPTL_EXIT_USAGE;
    }
    int status = run_part(ioc, tool, name, out, NULL);
    gptl_out_flush(out);
    free(out);
    char *text = content_of(fd, &size);
    gptl_out_literal(ioc->out, "<pre>");
    put_escaped(ioc->out, text, size);
    gptl_out_literal(ioc->out, "</pre>\n");
    free(text);
    close(fd);
    return status;
}

/* Write the picture of TOOL, without gnuplot's output before the svg element. */
static int put_picture(struct ioc *ioc, int (*tool)(struct ioc *), const char *name,
                       const char *folder)
{
    char path[4096 + 16];
    snprintf(path, sizeof path, "%s/part.svg", folder);
    if (run_part(ioc, tool, name, NULL, path) != GPTL_EXIT_DONE)
        return GPTL_EXIT_USAGE;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        size_t size;
        char *svg = content_of(fd, &size), *begin = strstr(svg, "<svg");
        gptl_out_literal(ioc->out, "<figure>\n");
        gptl_out_text(ioc->out, begin ? begin : "");
        gptl_out_literal(ioc->out, "</figure>\n");
        free(svg);
        close(fd);
    }
    unlink(path);
    return GPTL_EXIT_DONE;
}

/* ---- The page ------------------------------------------------------------------------------ */

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'; img-src data:\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>I/O calls</title>\n<style>\nbody { font: 15px/1.4 system-ui, sans-serif; margin: "
    "1.5rem auto; "
    "max-width: 72rem; padding: 0 1rem; color: #222; background: #fff }\n"
    "pre { overflow-x: auto; background: #f6f6f6; padding: 0.8rem; font-size: 13px }\n"
    "figure { margin: 0 0 2rem; overflow-x: auto }\nfigure svg { max-width: 100%; height: auto }\n"
    "h2 { margin: 2rem 0 0.5rem; font-size: 1.2rem }\n</style>\n</head>\n<body>\n<h1>I/O "
    "calls</h1>\n";

static const struct part {
    int (*tool)(struct ioc *ioc);
    const char *name, *heading;
} parts[] = {
    {ioc_rate, "rate", "Bytes over time"},
    {ioc_ops, "ops", "Calls over time"},
    {ioc_sizes, "sizes", "Sizes"},
};

/* Bytes of each file that can be drawn. */
struct busy {
    uint64_t *bytes;
    size_t n, room;
};

static void add_bytes(struct busy *busy, const struct end *end, int64_t bytes)
{
    if (end->file == 0 || end->offset < 0)
        return;
    busy->bytes = memory_room(busy->bytes, &busy->room, (size_t)end->file + 1, sizeof *busy->bytes);
    for (; busy->n <= end->file; busy->n++)
        busy->bytes[busy->n] = 0;
    busy->bytes[end->file] += (uint64_t)bytes;
}

static void visit(void *to, const struct call *call)
{
    if (call_is_read(call) && call->result > 0)
        add_bytes(to, &call->from, call->read);
    if (call->has_to && call->result > 0)
        add_bytes(to, &call->to, call->written);
}

/*
 * Return the next file to draw: the one with the most bytes, data files before the system's; 0:
 * none.
 */
static size_t next_file(const struct ioc *ioc, const struct busy *busy)
{
    size_t most = 0;
    bool is_aside = true;
    for (size_t i = 1; i < busy->n; i++) {
        bool aside = file_is_aside(&ioc->files.files[i]);
        if (busy->bytes[i] == 0 || (aside && !is_aside) ||
            (aside == is_aside && busy->bytes[i] <= busy->bytes[most]))
            continue;
        most = i;
        is_aside = aside;
    }
    return most;
}

/* Draw the files one after another; the tool uses the selection. */
static int put_files(struct ioc *ioc, const char *folder)
{
    enum { MOST_FILES = 6 };
    struct busy busy = {0};
    int status = GPTL_EXIT_DONE;
    walk(&ioc->log, &ioc->selection, &ioc->files, false, visit, &busy);
    for (int n = 0; n < MOST_FILES && status == GPTL_EXIT_DONE; n++) {
        size_t most = next_file(ioc, &busy);
        if (most == 0)
            break;
        busy.bytes[most] = 0;
        for (size_t i = 0; i < ioc->files.n; i++)
            ioc->files.files[i].chosen = i == most;
        ioc->files.glob = ioc->path = ioc->files.files[most].path;
        gptl_out_literal(ioc->out, "<h2>");
        gptl_name_xml(ioc->out, ioc->files.files[most].path);
        gptl_out_literal(ioc->out, "</h2>\n");
        status = put_picture(ioc, ioc_file, "file", folder);
    }
    free(busy.bytes);
    return status;
}

int ioc_html(struct ioc *ioc)
{
    char folder[TEMPORARY_PATH];
    if (!temporary_folder("gptl ioc html", "gptl-ioc", folder))
        return GPTL_EXIT_USAGE;
    ioc->in_page = true;
    gptl_out_text(ioc->out, head);
    int status = put_text(ioc, ioc_summary, "summary");
    for (size_t i = 0; status == GPTL_EXIT_DONE && i < sizeof parts / sizeof *parts; i++) {
        gptl_out_format(ioc->out, "<h2>%s</h2>\n", parts[i].heading);
        status = put_picture(ioc, parts[i].tool, parts[i].name, folder);
    }
    if (status == GPTL_EXIT_DONE)
        status = put_files(ioc, folder);
    gptl_out_literal(ioc->out, "</body>\n</html>\n");
    rmdir(folder);
    return status;
}
