/*
 * symbols.h - public header of this module: finds the functions at given addresses in the symbol
 * tables and debug information of the mapped files.
 *
 * elfutils' libdw reads the files and is loaded at the first lookup. Nothing is linked with it:
 * programs start as fast as without it, and if it is missing, addresses stay without names. No
 * lookup accesses the network.
 */
#ifndef GPTL_SYMBOLS_SYMBOLS_H
#define GPTL_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

/* The file that was mapped at an address when the address was recorded. */
struct gptl_symbol_module {
    const char *path;
    /*
     * Hexadecimal digits, or the fingerprint of a file without a build id; "" or NULL accepts any
     * file at PATH.
     */
    const char *build_id;
};

/* The strings live until gptl_symbols_close. */
struct gptl_symbol {
    const char *name; /* as in the symbol table, without a version suffix */
    const char *file; /* source file; NULL: unknown */
    int line;         /* first line; 0: unknown */
    uint64_t start;   /* address of the function's first byte */
};

enum gptl_symbol_state {
    GPTL_SYMBOL_FOUND,
    GPTL_SYMBOL_NO_LIBRARY, /* libdw is missing, or this build excludes it */
    GPTL_SYMBOL_NO_FILE,
    GPTL_SYMBOL_NOT_ELF,  /* not a program or shared library, or damaged */
    GPTL_SYMBOL_CHANGED,  /* the build id differs */
    GPTL_SYMBOL_STRIPPED, /* function names are missing, all or this one */
    GPTL_SYMBOL_NO_FUNCTION,
    GPTL_SYMBOL_NO_MEMORY,
};

struct gptl_symbols;

/* Create a symbol reader that opens files on demand. NULL when out of memory. */
struct gptl_symbols *gptl_symbols_open(void);
void gptl_symbols_close(struct gptl_symbols *symbols);

/*
 * Search FOLDER before /usr/lib/debug. It has the same layout, or contains debug files directly.
 * Call this before the first lookup. Return 0, or -1 when out of memory.
 */
int gptl_symbols_debug_dir(struct gptl_symbols *symbols, const char *folder);

/*
 * Find the function that contains OFFSET, an address in MODULE's symbol table. OUT is untouched
 * unless the function is found.
 */
enum gptl_symbol_state gptl_symbols_find(struct gptl_symbols *symbols,
                                         const struct gptl_symbol_module *module, uint64_t offset,
                                         struct gptl_symbol *out);

/* Call EACH with ARG for every function of MODULE; look up source files only if WITH_FILES. */
enum gptl_symbol_state gptl_symbols_each(struct gptl_symbols *symbols,
                                         const struct gptl_symbol_module *module, bool with_files,
                                         void (*each)(void *arg, const struct gptl_symbol *symbol),
                                         void *arg);

/* Return the reason for a missing name, worded for a message: "the file is not there". */
const char *gptl_symbols_why(enum gptl_symbol_state state);

/*
 * Return the build id of file PATH in hexadecimal digits, or its fingerprint. NULL if it cannot be
 * read.
 */
const char *gptl_symbols_build_id(struct gptl_symbols *symbols, const char *path);

/*
 * Compute the fingerprint that distinguishes files without a build id: a hash of all sources of
 * names, in hexadecimal digits. False if FD is not an ELF file of this machine.
 */
enum { GPTL_FINGERPRINT_SIZE = 17 };
bool gptl_symbols_fingerprint(int fd, char text[GPTL_FINGERPRINT_SIZE]);

/*
 * Compute the fingerprint of the file mapped at ADDRESS in this process, whose path was PATH at
 * that time. "0", which matches no file: the file was replaced since and cannot be read. "":
 * unknown.
 */
void gptl_symbols_identify(const void *address, const char *path, bool is_program,
                           char text[GPTL_FINGERPRINT_SIZE]);

/*
 * Open a file mapped by this process whose path was PATH at that time. Return a descriptor or -1.
 */
int gptl_symbols_open_replaced(const char *path);

/*
 * Return NAME as in its source: C++, and procedures of Fortran modules as module::procedure. FILE,
 * its source or NULL, decides whether the name may be Fortran. A name whose demangled form would be
 * very long stays as given. The caller frees the result; NULL when out of memory.
 */
char *gptl_symbols_demangle(const char *name, const char *file);

/*
 * Replace the middle of NAME, which may be NULL, by "..." if it exceeds the length shown in
 * reports.
 */
enum { GPTL_SYMBOL_LENGTH = 2000 };
char *gptl_symbols_bound(char *name);

#endif
