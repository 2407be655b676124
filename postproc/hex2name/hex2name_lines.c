/*
 * hex2name_lines.c - reads the lines of a text report and derives each line's section from the
 * headings.
 */
#include "config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/hex2name/hex2name.h"

/* The section after any other heading that follows a blank line is treated as a table. */
static const struct {
    const char *begin;
    enum hex_section section;
} headings[] = {
    {"Stats for thread ", HEX_TABLE},
    {"Regions still open in thread ", HEX_TABLE},
    {"Multiple parent info", HEX_PARENTS},
    {"Callers of each region for thread ", HEX_CALLERS},
    {"Same stats sorted by timer", HEX_THREADS},
    {"Intervals (GPTLmark)", HEX_INTERVALS},
    {"Stops in crossed order in thread ", HEX_CROSSED},
    {"Modules (a function without a name is printed as ", HEX_MODULES},
};

/* ---- Lines ----------------------------------------------------------------------------------- */

static void read_ahead(struct hex_reader *reader, int i)
{
    reader->lengths[i] = getline(&reader->buffers[i], &reader->sizes[i], reader->in);
}

void hex_reader_start(struct hex_reader *reader, FILE *in)
{
    *reader = (struct hex_reader){.in = in, .blank_before = true};
    rewind(in);
    read_ahead(reader, 0);
}

void hex_reader_free(struct hex_reader *reader)
{
    free(reader->buffers[0]);
    free(reader->buffers[1]);
}

static size_t without_end(const char *text, ssize_t length, const char **end)
{
    size_t n = length > 0 ? (size_t)length : 0;
    *end = "";
    if (n > 0 && text[n - 1] == '\n') {
        bool two = n > 1 && text[n - 2] == '\r';
        *end = two ? "\r\n" : "\n";
        n -= two ? 2 : 1;
    }
    return n;
}

static bool starts_with(const struct hex_line *line, const char *text)
{
    size_t n = strlen(text);
    return line->length >= n && memcmp(line->text, text, n) == 0;
}

static bool is_blank(const struct hex_line *line)
{
    for (size_t i = 0; i < line->length; i++)
        if (line->text[i] != ' ' && line->text[i] != '\t')
            return false;
    return true;
}

/* Return whether LINE is "GPTL 1.2.3 profile of PROGRAM". */
static bool is_preamble(const struct hex_line *line)
{
    return starts_with(line, "GPTL ") && (memmem(line->text, line->length, " profile of ", 12) ||
                                          memmem(line->text, line->length, " summary of ", 12));
}

/*
 * Return whether LINE is "name processes threads ...": the column heads of a summary, which lacks a
 * heading.
 */
static bool is_summary_head(const struct hex_line *line)
{
    return starts_with(line, "name ") && (memmem(line->text, line->length, " calls", 6) ||
                                          memmem(line->text, line->length, " processes", 10) ||
                                          memmem(line->text, line->length, " threads", 8));
}

/* ---- Sections -------------------------------------------------------------------------------- */

static void begin(struct hex_reader *reader, enum hex_section section)
{
    if (reader->section == HEX_MODULES)
        reader->part++;
    reader->section = section;
    reader->wants_head = section == HEX_TABLE || section == HEX_CALLERS || section == HEX_THREADS ||
                         section == HEX_INTERVALS;
    reader->has_rows = false;
    reader->table += reader->wants_head || section == HEX_SUMMARY;
}

/*
 * Return the section that a heading begins, or HEX_OUTSIDE for other lines. Headings start at the
 * left margin and end with a colon.
 */
static enum hex_section section_of_heading(const struct hex_reader *reader,
                                           const struct hex_line *line)
{
    size_t n = line->length;
    while (n > 0 && (line->text[n - 1] == ' ' || line->text[n - 1] == '\t'))
        n--;
    if (n == 0 || line->text[n - 1] != ':' || line->text[0] == ' ')
        return HEX_OUTSIDE;
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        if (starts_with(line, headings[i].begin))
            return headings[i].section;
    return reader->blank_before ? HEX_TABLE : HEX_OUTSIDE;
}

static bool begins_section(struct hex_reader *reader, const struct hex_line *line)
{
    if (is_preamble(line)) {
        begin(reader, HEX_OUTSIDE);
        reader->part++;
        return true;
    }
    enum hex_section section = section_of_heading(reader, line);
    if (reader->section == HEX_OUTSIDE && is_summary_head(line))
        section = HEX_SUMMARY;
    if (section != HEX_OUTSIDE)
        begin(reader, section);
    return section != HEX_OUTSIDE;
}

/* Return whether blank lines separate groups of rows within the section. */
static bool has_groups(enum hex_section section)
{
    return section == HEX_CALLERS || section == HEX_THREADS || section == HEX_INTERVALS ||
           section == HEX_PARENTS;
}

/*
 * Return whether LINE ends the section: unindented, after a blank line, and not in the section's
 * format.
 */
static bool ends_section(const struct hex_reader *reader, const struct hex_line *line)
{
    bool thread = line->length > 0 && (isdigit((unsigned char)line->text[0]) ||
                                       starts_with(line, "SUM") || starts_with(line, "Thd"));
    if (!reader->blank_before || is_blank(line) || line->text[0] == ' ')
        return false;
    switch (reader->section) {
    case HEX_CALLERS:
        return reader->has_rows && (line->text[0] != '>' || starts_with(line, "> has "));
    case HEX_THREADS:
        return reader->has_rows && !thread;
    case HEX_INTERVALS:
        return !thread && !starts_with(line, "Interval");
    case HEX_PARENTS:
        return !isdigit((unsigned char)line->text[0]);
    default:
        return false;
    }
}

/*
 * Return whether LINE contains column heads: the first line in the format of heads; for intervals,
 * each table has heads.
 */
static bool is_head(struct hex_reader *reader, const struct hex_line *line)
{
    struct hex_name name;
    bool indented =
        line->length > 0 && line->text[0] == ' ' && !hex_row_address(line, false, &name);
    bool heads = false;
    if (reader->section == HEX_SUMMARY)
        heads = !reader->has_rows;
    else if (reader->section == HEX_INTERVALS)
        heads = starts_with(line, "Thd");
    else if (reader->wants_head)
        heads = indented || (reader->section == HEX_THREADS && starts_with(line, "Thd"));
    if (heads) {
        reader->wants_head = false;
        reader->has_rows = true;
    }
    return heads;
}

static void place(struct hex_reader *reader, struct hex_line *line)
{
    bool blank = is_blank(line);
    if (blank && !has_groups(reader->section))
        begin(reader, HEX_OUTSIDE);
    line->heading = !blank && begins_section(reader, line);
    if (!blank && !line->heading && ends_section(reader, line))
        begin(reader, HEX_OUTSIDE);
    line->section = blank ? HEX_OUTSIDE : reader->section;
    line->head =
        !blank && (!line->heading || reader->section == HEX_SUMMARY) && is_head(reader, line);
    line->table = reader->table;
    line->part = reader->part;
    reader->blank_before = blank;
}

bool hex_reader_next(struct hex_reader *reader, struct hex_line *line)
{
    int at = reader->current;
    const char *unused;
    if (reader->lengths[at] < 0)
        return false;
    *line = (struct hex_line){.text = reader->buffers[at]};
    line->length = without_end(line->text, reader->lengths[at], &line->end);
    read_ahead(reader, !at);
    if (reader->lengths[!at] >= 0) {
        line->next = reader->buffers[!at];
        line->next_length = without_end(line->next, reader->lengths[!at], &unused);
    }
    place(reader, line);
    reader->current = !at;
    return true;
}
