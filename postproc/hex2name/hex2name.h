/*
 * hex2name.h - between the files of gptl hex2name: a report's lines, its modules, and the names of
 * its addresses.
 */
#ifndef GPTL_POSTPROC_HEX2NAME_H
#define GPTL_POSTPROC_HEX2NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "report/out.h"
#include "symbols/symbols.h"

/* ---- hex2name_lines.c: where in a text report a line stands ---------------------------------- */

enum hex_section {
    HEX_OUTSIDE,
    HEX_TABLE, /* rows with marks and indentation before the name */
    HEX_CALLERS,
    HEX_THREADS, /* rows with a thread before the name */
    HEX_INTERVALS,
    HEX_SUMMARY, /* rows that begin with the name */
    HEX_PARENTS, /* counts, then names */
    HEX_CROSSED,
    HEX_MODULES,
};

struct hex_line {
    const char *text;
    size_t length;   /* without its end */
    const char *end; /* "\n", "\r\n", or "" */
    enum hex_section section;
    bool heading, head; /* begins a section; has the heads of a table's columns */
    uint32_t table;     /* its number, from 1; tables that share their widths have the same */
    uint32_t part;      /* several reports in one file are its parts */
    const char *next;   /* the line after it, of NEXT_LENGTH characters; NULL at the end */
    size_t next_length;
};

struct hex_reader {
    FILE *in;
    char *buffers[2];
    size_t sizes[2];
    ssize_t lengths[2]; /* -1: past the end */
    int current;
    enum hex_section section;
    bool blank_before, wants_head, has_rows;
    uint32_t table, part;
};

/* From the start of IN, a file that can be read again. Free it in any case. */
void hex_reader_start(struct hex_reader *reader, FILE *in);
bool hex_reader_next(struct hex_reader *reader, struct hex_line *line);
void hex_reader_free(struct hex_reader *reader);

/* ---- hex2name_rows.c: the parts of a line ---------------------------------------------------- */

/* LABEL+0xOFFSET; without a label when bare addresses are meant. */
struct hex_address {
    const char *label;
    size_t label_length;
    uint64_t offset;
    bool marked; /* bare, and by 0x or a digit more likely an address than a word */
};

bool hex_address_parse(const char *text, size_t length, bool bare, struct hex_address *address);

/* A name in a line: a region's whole name, with its quotes. */
struct hex_name {
    size_t at, length;
    bool quoted;
    struct hex_address address;
};

/* A row of a table: what stands left of the numbers, and where these begin. */
struct hex_row {
    size_t left;  /* length of the left part, without the blanks behind it */
    size_t cells; /* where the first number begins; in the next line if the row takes two */
    bool two_lines;
};

/* The name that the row of a table begins with, if it is an address. */
bool hex_row_address(const struct hex_line *line, bool bare, struct hex_name *name);

/* Nothing but blanks follows. */
bool hex_row_ends(const struct hex_line *line, const struct hex_name *name);

/* The numbers behind the name of such a row; 0 when that is not what there is. */
unsigned hex_row_cells(const struct hex_line *line, const struct hex_name *name);

/* False when it is no row of a table with NCELLS numbers. */
bool hex_row_parse(const struct hex_line *line, unsigned ncells, struct hex_row *row);

/* The next name that is an address, from AT on, in a line that is no row of a table. */
bool hex_line_address(const struct hex_line *line, bool bare, size_t at, size_t end,
                      struct hex_name *name);

/* Columns that LENGTH bytes take. */
size_t hex_width(const char *text, size_t length);

/* ---- hex2name_names.c ------------------------------------------------------------------------ */

struct hex_module {
    char *label, *path, *build_id;
    uint32_t part;
};

/*
 * Finds a name, to be freed, or says why not. MODULE NULL: of a bare address, where a function
 * begins.
 */
typedef char *hex_finder(void *data, const struct hex_module *module, uint64_t offset,
                         enum gptl_symbol_state *state);

struct hex_names;

struct hex_names *hex_names_new(hex_finder *find, void *data);
void hex_names_free(struct hex_names *names);

/* Returns 0, or -1 when there is no memory. */
int hex_names_add(struct hex_names *names, const char *label, const char *path,
                  const char *build_id, uint32_t part);

/* A line of the section Modules; others are not taken. Returns 0, or -1: no memory. */
int hex_names_add_line(struct hex_names *names, const struct hex_line *line);

/* All of them, N, to look at. */
const struct hex_module *hex_names_modules(const struct hex_names *names, size_t *n);

/* NULL: it has none. It stays until the end. */
const char *hex_names_find(struct hex_names *names, const struct hex_address *address,
                           uint32_t part);

/* Says on stderr which addresses have no name. PROGRAM is what bare ones are of. */
void hex_names_say_unnamed(const struct hex_names *names, const char *program);

/* ---- hex2name_text.c ------------------------------------------------------------------------- */

/* Copies the report IN, which can be read again, to OUT with names. Returns 0, or -1: no memory. */
int hex_text(FILE *in, struct gptl_out *out, struct hex_names *names);

#endif
