/*
 * module.h - between the files of this room: one file with symbols, open.
 */
#ifndef GPTL_SYMBOLS_MODULE_H
#define GPTL_SYMBOLS_MODULE_H

#include <stddef.h>

#include "symbols/libdw.h"
#include "symbols/symbols.h"

/* Folders laid out as /usr/lib/debug is; the last one is that. */
struct gptl_debug_dirs {
    char **dirs;
    size_t n;
};

struct gptl_elf_function {
    uint64_t start, size;
    uint64_t source; /* the address that lines are looked up for */
    const char *name;
    unsigned char binding;
};

/* A range of addresses of one compilation unit. */
struct gptl_elf_range {
    uint64_t low, high;
    uint32_t unit;
};

struct gptl_elf_lines {
    Dwarf_Addr bias;
    Dwarf_Die *units;
    uint32_t nunits;
    struct gptl_elf_range *ranges; /* sorted by LOW */
    size_t nranges;
};

struct gptl_elf {
    const struct gptl_libdw *dw;
    const struct gptl_debug_dirs *dirs;
    char *path; /* as it was asked for, with BUILD_ID */
    char *build_id;
    char *opened; /* the file that is open: PATH, or one found by the build id */
    char *own_id; /* the build id that it has, or its fingerprint */
    enum gptl_symbol_state state;
    Dwfl *dwfl;
    Dwfl_Module *module;
    struct gptl_elf_function *functions; /* sorted; one an address */
    size_t nfunctions;
    struct gptl_elf_function *stubs; /* while they are collected */
    size_t nstubs;
    bool stripped; /* only what other files need has symbols */
    char **texts;  /* names that had to be cut */
    size_t ntexts;
    bool has_lines; /* looked for */
    struct gptl_elf_lines lines;
    struct gptl_elf *next;
};

/* ---- module.c -------------------------------------------------------------------------------- */

/* A regular file, to be read; -1 when it is none or cannot be. */
int gptl_elf_open_file(const char *path);

/* In hexadecimal digits, to be freed. */
char *gptl_elf_hex(const void *id, size_t size);

/* The state says whether it can be used; NULL when there is no memory. */
struct gptl_elf *gptl_elf_new(const struct gptl_libdw *dw, const struct gptl_debug_dirs *dirs,
                              const struct gptl_symbol_module *module);
void gptl_elf_free(struct gptl_elf *elf);

/* ---- functions.c ----------------------------------------------------------------------------- */

/* The first N bytes of NAME, which stay. NULL when there is no memory. */
const char *gptl_elf_keep(struct gptl_elf *elf, const char *name, size_t n);

/* Reads the table of functions. */
enum gptl_symbol_state gptl_elf_read_functions(struct gptl_elf *elf);
const struct gptl_elf_function *gptl_elf_function(const struct gptl_elf *elf, uint64_t address);

/* ---- stubs.c --------------------------------------------------------------------------------- */

/* Collects the stubs of functions that are chosen when the program starts. False: no memory. */
bool gptl_elf_add_stubs(struct gptl_elf *elf);

/* ---- lines.c --------------------------------------------------------------------------------- */

/* Sets the file and line of ADDRESS in OUT where they are known. */
void gptl_elf_line(struct gptl_elf *elf, uint64_t address, struct gptl_symbol *out);
void gptl_elf_free_lines(struct gptl_elf_lines *lines);

/* ---- debugfile.c ----------------------------------------------------------------------------- */

/*
 * DIR/.build-id/xx/yyyy.debug for the first of the folders that has it. Its path goes to PATH, to
 * be freed. Returns a descriptor or -1.
 */
int gptl_debugfile_by_id(const struct gptl_debug_dirs *dirs, const char *build_id, char **path);

/* A callback of libdwfl; the user's data of the module is its struct gptl_elf. */
int gptl_debugfile_find(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                        const char *file, const char *link, GElf_Word crc, char **found);

#endif
