/*
 * demangle.c - converts symbol names to source names.
 *
 * The C++ run-time library demangles C++ names. It is not linked: a C++ program already contains
 * it, and for other programs it is loaded. Each Fortran compiler has its own scheme. A name that
 * could also be a C name is changed only if the source file is a Fortran file.
 */
#include "config.h"

#include "symbols/symbols.h"

#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "symbols/length.h"
#include "symbols/library.h"

/* ---- C++ ------------------------------------------------------------------------------------- */

typedef char *demangler(const char *name, char *buffer, size_t *size, int *status);

static demangler *cxx;

static void load_cxx(void)
{
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    void *address = gptl_library_find(NULL, "__cxa_demangle");
    for (size_t i = 0; !address && i < sizeof libraries / sizeof *libraries; i++) {
        void *library = gptl_library_open(libraries[i]);
        address = library ? gptl_library_find(library, "__cxa_demangle") : NULL;
    }
    *(void **)&cxx = address;
}

/*
 * Limit of the demangled length. A longer name stays mangled: it would need that much memory, and
 * it is unreadable.
 */
enum { LONGEST_CXX = 1 << 16 };

static char *demangle_cxx(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int status;
    if (gptl_symbols_length(name) > LONGEST_CXX)
        return NULL;
    pthread_once(&once, load_cxx);
    return cxx ? cxx(name, NULL, NULL, &status) : NULL;
}

/* ---- Fortran --------------------------------------------------------------------------------- */

/* Return whether FILE has an extension of Fortran; false for NULL. */
static bool is_fortran(const char *file)
{
    static const char *const extensions[] = {"f",   "for", "ftn", "fpp", "f77", "f90",
                                             "f95", "f03", "f08", "f18", "f23"};
    const char *dot = file ? strrchr(file, '.') : NULL;
    for (size_t i = 0; dot && i < sizeof extensions / sizeof *extensions; i++)
        if (strcasecmp(dot + 1, extensions[i]) == 0)
            return true;
    return false;
}

/* Return LEFT::RIGHT, given the lengths of both. */
static char *join(const char *left, size_t nleft, const char *right, size_t nright)
{
    char *name = malloc(nleft + nright + 3);
    if (!name)
        return NULL;
    memcpy(name, left, nleft);
    memcpy(name + nleft, "::", 2);
    memcpy(name + nleft + 2, right, nright);
    name[nleft + 2 + nright] = '\0';
    return name;
}

/* gfortran: __heat_MOD_solve. Compiler-generated names for a type start with another __. */
static char *demangle_gfortran(const char *name)
{
    const char *mod = strncmp(name, "__", 2) == 0 ? strstr(name + 2, "_MOD_") : NULL;
    return mod && mod > name + 2 && mod[5]
               ? join(name + 2, (size_t)(mod - name) - 2, mod + 5, strlen(mod + 5))
               : NULL;
}

/* Intel: heat_mp_solve_. */
static char *demangle_intel(const char *name, const char *file)
{
    const char *mp = strstr(name, "_mp_");
    size_t length = strlen(name);
    if (!mp || mp == name || name[length - 1] != '_' || length - (size_t)(mp - name) <= 5 ||
        (file && !is_fortran(file)))
        return NULL;
    return join(name, (size_t)(mp - name), mp + 4, length - (size_t)(mp - name) - 5);
}

/* Return the length of one lower-case name, which follows the letter for its kind. */
static size_t word_length(const char *at)
{
    size_t n = 0;
    while (islower((unsigned char)at[n]) || isdigit((unsigned char)at[n]) || at[n] == '_')
        n++;
    return n;
}

/*
 * flang: _QMheatPsolve, _QPsolve, _QMheatFsolvePinner. A letter precedes each part: Module,
 * Submodule, host Function, Block, and finally the Procedure.
 */
static char *demangle_flang(const char *name)
{
    if (strncmp(name, "_Q", 2) != 0)
        return NULL;
    char *out = malloc(2 * strlen(name) + 1), *to = out;
    for (const char *at = name + 2; out && strchr("MSFBP", *at) && *at;) {
        char kind = *at++;
        size_t n = word_length(at);
        if (kind != 'B' && n > 0) {
            if (to != out)
                to = (char *)memcpy(to, "::", 2) + 2;
            to = (char *)memcpy(to, at, n) + n;
        }
        at += n;
        if (kind == 'P' && n > 0 && (*at == '\0' || *at == '.')) {
            strcpy(to, at);
            return out;
        }
    }
    free(out);
    return NULL;
}

/*
 * An external procedure: solve_. Some compilers append two underscores to a name that contains one.
 * A suffix after a dot marks a clone of a function.
 */
static char *demangle_plain(const char *name, const char *file)
{
    size_t n = strcspn(name, "."), cut = 0;
    if (!is_fortran(file) || n < 2 || name[n - 1] != '_' || strncmp(name, "MAIN__", n) == 0)
        return NULL;
    cut = n > 3 && name[n - 2] == '_' && memchr(name, '_', n - 2) ? 2 : 1;
    char *out = strdup(name);
    if (out)
        memmove(out + n - cut, out + n, strlen(out + n) + 1);
    return out;
}

char *gptl_symbols_bound(char *name)
{
    enum { END = 500, BEGIN = GPTL_SYMBOL_LENGTH - END - 3 };
    size_t n = name ? strlen(name) : 0;
    if (n > GPTL_SYMBOL_LENGTH) {
        memcpy(name + BEGIN, "...", 3);
        memmove(name + BEGIN + 3, name + n - END, END + 1);
    }
    return name;
}

char *gptl_symbols_demangle(const char *name, const char *file)
{
    char *out = NULL;
    if (!name[0])
        return strdup(name);
    if (strncmp(name, "_Z", 2) == 0)
        out = demangle_cxx(name);
    if (!out)
        out = demangle_gfortran(name);
    if (!out)
        out = demangle_flang(name);
    if (!out)
        out = demangle_intel(name, file);
    if (!out)
        out = demangle_plain(name, file);
    return gptl_symbols_bound(out ? out : strdup(name));
}
