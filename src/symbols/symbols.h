/*
 * symbols.h - what this room offers: the functions that addresses lie in, by the symbol tables and
 * debug information of the files that were mapped there.
 *
 * The files are read with elfutils' libdw, which is loaded when the first name is wanted. Nothing is
 * linked with it: programs start no slower, and where it is missing addresses stay without names.
 * Nothing is ever asked of a network.
 */
#ifndef GPTL_SYMBOLS_SYMBOLS_H
#define GPTL_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

/* The file that an address lies in, as it was when the address was seen. */
struct gptl_symbol_module {
    const char *path;
    /* In hexadecimal digits, or the fingerprint of a file without one; "" or NULL: any file at PATH is right. */
    const char *build_id;
};

/* The texts stay until gptl_symbols_close. */
struct gptl_symbol {
    const char *name; /* as in the symbol table, without a version */
    const char *file; /* its source; NULL: not known */
    int line;         /* where it begins; 0: not known */
    uint64_t start;   /* its own address */
};

enum gptl_symbol_state {
    GPTL_SYMBOL_FOUND,
    GPTL_SYMBOL_NO_LIBRARY, /* libdw is not there, or this was built without it */
    GPTL_SYMBOL_NO_FILE,
    GPTL_SYMBOL_NOT_ELF,  /* no program or shared library, or broken */
    GPTL_SYMBOL_CHANGED,  /* its build id is another one */
    GPTL_SYMBOL_STRIPPED, /* it has no names of functions, or not of this one */
    GPTL_SYMBOL_NO_FUNCTION,
    GPTL_SYMBOL_NO_MEMORY,
};

struct gptl_symbols;

/* Opens no file yet. NULL when there is no memory. */
struct gptl_symbols *gptl_symbols_open(void);
void gptl_symbols_close(struct gptl_symbols *symbols);

/*
 * A folder laid out as /usr/lib/debug is, which is looked at before that; debug files may also lie
 * in it directly. Before the first name is asked for. Returns 0, or -1 when there is no memory.
 */
int gptl_symbols_debug_dir(struct gptl_symbols *symbols, const char *folder);

/*
 * The function that OFFSET lies in, an address as MODULE's own symbol table has it. OUT is
 * untouched unless it is found.
 */
enum gptl_symbol_state gptl_symbols_find(struct gptl_symbols *symbols,
                                         const struct gptl_symbol_module *module, uint64_t offset,
                                         struct gptl_symbol *out);

/* Calls EACH with ARG for every function of MODULE; its source only if WITH_FILES. */
enum gptl_symbol_state gptl_symbols_each(struct gptl_symbols *symbols,
                                         const struct gptl_symbol_module *module, bool with_files,
                                         void (*each)(void *arg, const struct gptl_symbol *symbol),
                                         void *arg);

/* Why there is no name, for a message: "the file is not there". */
const char *gptl_symbols_why(enum gptl_symbol_state state);

/* The build id of the file PATH, in hexadecimal digits, or its fingerprint. NULL: it cannot be read. */
const char *gptl_symbols_build_id(struct gptl_symbols *symbols, const char *path);

/*
 * What tells files without a build id apart: a hash of all that names come from, in hexadecimal digits.
 * False: FD is no ELF file of this machine.
 */
enum { GPTL_FINGERPRINT_SIZE = 17 };
bool gptl_symbols_fingerprint(int fd, char text[GPTL_FINGERPRINT_SIZE]);

/*
 * That of the file which is mapped at ADDRESS in this process, and was PATH when it was. "0", which no
 * file has: another file is there now, and this one cannot be read. "": it is not known.
 */
void gptl_symbols_identify(const void *address, const char *path, bool is_program,
                           char text[GPTL_FINGERPRINT_SIZE]);

/* A file that this process has mapped, and that was PATH then. A descriptor or -1. */
int gptl_symbols_open_replaced(const char *path);

/*
 * NAME as its source has it: C++, and procedures of Fortran modules as module::procedure. FILE, its
 * source or NULL, tells what may be Fortran. One that would be very long stays as it is. To be freed; NULL
 * when there is no memory.
 */
char *gptl_symbols_demangle(const char *name, const char *file);

/* Takes the middle out of NAME, which may be NULL, if it has more bytes than a report shows of one. */
enum { GPTL_SYMBOL_LENGTH = 2000 };
char *gptl_symbols_bound(char *name);

#endif
