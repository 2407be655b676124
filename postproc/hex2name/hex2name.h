/*
 * hex2name.h - interface between the files of gptl hex2name: the lines of a report, its modules,
 * and the names of its addresses.
 */
#ifndef GPTL_POSTPROC_HEX2NAME_H
#define GPTL_POSTPROC_HEX2NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/out.h"
#include "symbols/symbols.h"

/* ---- hex2name_lines.c: section of each line in a text report --------------------------------- */

enum hex_section {
    HEX_OUTSIDE,
    HEX_TABLE, /* marks and indentation precede the name */
    HEX_CALLERS,
    HEX_THREADS, /* a thread precedes the name */
    HEX_INTERVALS,
    HEX_SUMMARY, /* rows begin with the name */
    HEX_PARENTS, /* counts, then names */
    HEX_CROSSED,
    HEX_MODULES,
};

struct hex_line {
    const char *text;
    size_t length;   /* without the line end */
    const char *end; /* "\n", "\r\n", or "" */
    enum hex_section section;
    bool heading, head; /* heading: begins a section; head: contains the column heads of a table */
    /* number of the table, from 1; tables with shared widths have the same number */
    uint32_t table;
    uint32_t part;    /* number of the report in a file with several reports */
    const char *next; /* the following line of NEXT_LENGTH characters; NULL at the end */
    size_t next_length;
};

struct hex_reader {
    FILE *in;
    char *buffers[2];
    size_t sizes[2];
    ssize_t lengths[2]; /* -1: end of file */
    int current;
    enum hex_section section;
    bool blank_before, wants_head, has_rows;
    uint32_t table, part;
};

/* Start at the beginning of IN, a seekable file. Always free the reader. */
void hex_reader_start(struct hex_reader *reader, FILE *in);
bool hex_reader_next(struct hex_reader *reader, struct hex_line *line);
void hex_reader_free(struct hex_reader *reader);

/* ---- hex2name_rows.c: the parts of a line ---------------------------------------------------- */

/* LABEL+0xOFFSET; the label is empty for a bare address. */
struct hex_address {
    const char *label;
    size_t label_length;
    uint64_t offset;
    bool marked; /* bare, and likely an address because it starts with 0x or contains a digit */
};

bool hex_address_parse(const char *text, size_t length, bool bare, struct hex_address *address);

/* A name in a line: a region's complete name including its quotes. */
struct hex_name {
    size_t at, length;
    bool quoted;
    struct hex_address address;
};

/* A row of a table: the text to the left of the numbers, and the column of the first number. */
struct hex_row {
    size_t left;  /* length of the left part without trailing spaces */
    size_t cells; /* column of the first number; in the next line if the row takes two lines */
    bool two_lines;
};

/* Parse the name at the start of a table row, if it is an address. */
bool hex_row_address(const struct hex_line *line, bool bare, struct hex_name *name);

/* Return whether only spaces follow NAME. */
bool hex_row_ends(const struct hex_line *line, const struct hex_name *name);

/* Return the number of numeric cells after NAME, or 0 if other text follows. */
unsigned hex_row_cells(const struct hex_line *line, const struct hex_name *name);

/* Parse a table row with NCELLS numbers. Returns false if the line does not match. */
bool hex_row_parse(const struct hex_line *line, unsigned ncells, struct hex_row *row);

/* Find the next name from AT on that is an address, in a line outside tables. */
bool hex_line_address(const struct hex_line *line, bool bare, size_t at, size_t end,
                      struct hex_name *name);

/* Return the number of columns that LENGTH bytes occupy. */
size_t hex_width(const char *text, size_t length);

/* ---- hex2name_names.c ------------------------------------------------------------------------ */

struct hex_module {
    char *label, *path, *build_id;
    uint32_t part;
};

/*
 * Look up a name, which the caller frees, or set STATE to the reason of failure. MODULE is NULL for
 * a bare address, the start of a function.
 */
typedef char *hex_finder(void *data, const struct hex_module *module, uint64_t offset,
                         enum gptl_symbol_state *state);

struct hex_names;

struct hex_names *hex_names_new(hex_finder *find, void *data);
void hex_names_free(struct hex_names *names);

/* Returns 0, or -1 if out of memory. */
int hex_names_add(struct hex_names *names, const char *label, const char *path,
                  const char *build_id, uint32_t part);

/*
 * Add the module in a line of the section Modules; ignore other lines. Returns 0, or -1 if out of
 * memory.
 */
int hex_names_add_line(struct hex_names *names, const struct hex_line *line);

/* Return the array of all N modules (borrowed). */
const struct hex_module *hex_names_modules(const struct hex_names *names, size_t *n);

/* Return the name of ADDRESS, owned by NAMES, or NULL if unknown. */
const char *hex_names_find(struct hex_names *names, const struct hex_address *address,
                           uint32_t part);

/* List the addresses without names on stderr. Bare addresses belong to PROGRAM. */
void hex_names_say_unnamed(const struct hex_names *names, const char *program);

/* ---- hex2name_text.c ------------------------------------------------------------------------- */

/* Copy the report IN, a seekable file, to OUT with names. Returns 0, or -1 if out of memory. */
int hex_text(FILE *in, struct gptl_out *out, struct hex_names *names);

#endif
