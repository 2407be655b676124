/*
 * module.h - internal interface of this module: one open file with symbols.
 */
#ifndef GPTL_SYMBOLS_MODULE_H
#define GPTL_SYMBOLS_MODULE_H

#include <stddef.h>

#include "symbols/libdw.h"
#include "symbols/symbols.h"

/* Directories with the layout of /usr/lib/debug; the last one is /usr/lib/debug itself. */
struct gptl_debug_dirs {
    char **dirs;
    size_t n;
};

struct gptl_elf_function {
    uint64_t start, size;
    uint64_t source; /* address for line lookups */
    const char *name;
    unsigned char binding;
};

/* An address range of one compilation unit. */
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
    char *path; /* as requested, with BUILD_ID */
    char *build_id;
    char *opened; /* the open file: PATH, or a file found by the build id */
    char *own_id; /* build id or fingerprint of the open file */
    enum gptl_symbol_state state;
    Dwfl *dwfl;
    Dwfl_Module *module;
    struct gptl_elf_function *functions; /* sorted by address, one per address */
    size_t nfunctions;
    struct gptl_elf_function *stubs; /* in use only while stubs are collected */
    size_t nstubs;
    bool stripped; /* only symbols needed by other files remain */
    char **texts;  /* shortened copies of names */
    size_t ntexts;
    bool has_lines; /* line tables have been searched */
    struct gptl_elf_lines lines;
    struct gptl_elf *next;
};

/* ---- module.c -------------------------------------------------------------------------------- */

/* Open a regular file for reading; -1 if PATH is not one or cannot be opened. */
int gptl_elf_open_file(const char *path);

/* Return ID in hexadecimal digits; the caller frees it. */
char *gptl_elf_hex(const void *id, size_t size);

/* Open MODULE; the state says whether it is usable. NULL when out of memory. */
struct gptl_elf *gptl_elf_new(const struct gptl_libdw *dw, const struct gptl_debug_dirs *dirs,
                              const struct gptl_symbol_module *module);
void gptl_elf_free(struct gptl_elf *elf);

/* ---- functions.c ----------------------------------------------------------------------------- */

/* Copy the first N bytes of NAME; the copy lives as long as ELF. NULL when out of memory. */
const char *gptl_elf_keep(struct gptl_elf *elf, const char *name, size_t n);

/* Read the table of functions. */
enum gptl_symbol_state gptl_elf_read_functions(struct gptl_elf *elf);
const struct gptl_elf_function *gptl_elf_function(const struct gptl_elf *elf, uint64_t address);

/* ---- stubs.c --------------------------------------------------------------------------------- */

/*
 * Collect the stubs of functions whose variant is selected at program start (ifunc). Return false
 * if out of memory.
 */
bool gptl_elf_add_stubs(struct gptl_elf *elf);

/* ---- lines.c --------------------------------------------------------------------------------- */

/* Set the file and line of ADDRESS in OUT if they are known. */
void gptl_elf_line(struct gptl_elf *elf, uint64_t address, struct gptl_symbol *out);
void gptl_elf_free_lines(struct gptl_elf_lines *lines);

/* ---- debugfile.c ----------------------------------------------------------------------------- */

/*
 * Open DIR/.build-id/xx/yyyy.debug in the first directory that contains it. Store its path in
 * *PATH, which the caller frees. Return a descriptor or -1.
 */
int gptl_debugfile_by_id(const struct gptl_debug_dirs *dirs, const char *build_id, char **path);

/* Callback of libdwfl; the user data of the module is its struct gptl_elf. */
int gptl_debugfile_find(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                        const char *file, const char *link, GElf_Word crc, char **found);

#endif
