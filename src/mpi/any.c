/*
 * any.c - libgptl_mpi-any, preloaded by `gptl run --mpi`, and linked into programs with -lgptl_mpi
 * or -lgptl_mpif.
 *
 * Each family of MPI has a separate library, and the right one for a process is unknown before it
 * runs: scripts, launchers and other machines lie between mpiexec and the program. Therefore this
 * library is loaded into all of them. It defines every function of those libraries. The first call
 * of a function reveals the MPI family; then the matching library is loaded, and the function
 * becomes a jump to that library's function. A process that never calls MPI is unaffected.
 */
#include "config.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/claim.h"
#include "core/stderr.h"
#include "core/core.h"
#include "core/object.h"
#include "mpi/any_jumps.h"

/* ---- Functions ------------------------------------------------------------------------------- */

/*
 * Generated from the libraries: NAME(number, name) for each function, numbered from 0. Without
 * pointers, because the dynamic linker would write to their pages in each process.
 */
static const struct names {
#define NAME(number, name) char name_##number[sizeof #name];
#include "names.h"
#undef NAME
} names = {
#define NAME(number, name) #name,
#include "names.h"
#undef NAME
};
static const uint16_t places[] = {
#define NAME(number, name) offsetof(struct names, name_##number),
#include "names.h"
#undef NAME
};
enum { NNAMES = sizeof places / sizeof *places };
static_assert(sizeof names <= UINT16_MAX, "places are too small");

/* Address of each function after its first call; before that, of the lookup code. */
extern _Atomic(void *) gptl_mpi_any_table[NNAMES] __attribute__((visibility("hidden")));
void *gptl_mpi_any_find(unsigned number) __attribute__((visibility("hidden")));

__asm__(".pushsection .text\n" GPTL_MPI_ANY_ENTER ".popsection\n");
#define NAME(number, name)                                                                         \
    __asm__(".pushsection .text\n.balign 16\n"                                                     \
            ".globl " #name "\n.type " #name ", %function\n" #name ":\n"                           \
            ".cfi_startproc\n" GPTL_MPI_ANY_JUMP(                                                  \
                number) ".cfi_endproc\n"                                                           \
                        ".size " #name ", . - " #name "\n.balign 8\n"                              \
                        "0:\n.cfi_startproc\n" GPTL_MPI_ANY_FIRST(                                 \
                            number) ".cfi_endproc\n"                                               \
                                    ".section .data.gptl_mpi_any, \"aw\"\n.balign 8\n"             \
                                    ".ifeq " #number                                               \
                                    "\n.hidden gptl_mpi_any_table\n.globl gptl_mpi_any_table\n"    \
                                    "gptl_mpi_any_table:\n.endif\n.quad 0b\n.popsection\n");
#include "names.h"
#undef NAME

/* ---- Fortran constants ----------------------------------------------------------------------- */

/* References of the Fortran libraries (see fortran.awk), repeated in this library. */
#define CONSTANT(name) extern const char name[] __attribute__((weak));
#include "constants.h"
#undef CONSTANT
__attribute__((used)) static const char *const constants[] = {
#define CONSTANT(name) name,
#include "constants.h"
#undef CONSTANT
    NULL};

/* ---- MPI family of this process -------------------------------------------------------------- */

/*
 * A family is recognized by symbols that programs compiled with its mpi.h reference or, in Fortran,
 * define.
 */
static const struct family {
    const char *name; /* in the names of our libraries */
    const char *known_by, *fortran;
    const char *called;
} families[] = {
    {"mpich", "MPIR_Dup_fn", "mpipriv1_", "MPICH or one of its relatives"},
    {"openmpi", "ompi_mpi_comm_world", "mpi_fortran_bottom_", "Open MPI"},
};
enum { NFAMILIES = sizeof families / sizeof *families };

static pthread_once_t once = PTHREAD_ONCE_INIT, once_of_fortran = PTHREAD_ONCE_INIT;
static const struct family *family; /* NULL: no MPI yet */
static void *ours;                  /* library for this family, or NULL */
static void *ours_of_fortran;       /* its library of Fortran functions */
static void *mpi;                   /* an MPI loaded later with local visibility */

static const struct family *family_of(void *library)
{
    for (const struct family *f = families; f < families + NFAMILIES; f++)
        if (dlsym(library, f->known_by))
            return f;
    return NULL;
}

/*
 * Make the names of an MPI globally visible, because our library references its data by name. An
 * MPI loaded with a Python module, for instance, is visible only to that module.
 */
static int look_at(struct dl_phdr_info *info, size_t size, void *found)
{
    const char *base = strrchr(info->dlpi_name, '/');
    (void)size;
    if (!base || strncmp(base, "/libmpi", 7) != 0)
        return 0;
    void *library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return 0;
    *(const struct family **)found = family_of(library);
    if (*(const struct family **)found && dlsym(library, "PMPI_Init")) {
        mpi = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
        return 1;
    }
    dlclose(library);
    return 0;
}

/* Look for an object that names this library as needed; no object names a preloaded library. */
static int look_for_name(struct dl_phdr_info *info, size_t size, void *found)
{
    struct gptl_object o = gptl_object_read(info);
    (void)size;
    for (const ElfW(Dyn) *d = o.dynamic; d && o.strings && d->d_tag != DT_NULL; d++)
        if (d->d_tag == DT_NEEDED &&
            strncmp(o.strings + d->d_un.d_val, "libgptl_mpi-any.so", 18) == 0)
            *(bool *)found = true;
    return *(bool *)found;
}

static bool is_linked(void)
{
    bool found = false;
    dl_iterate_phdr(look_for_name, &found);
    return found;
}

static void *load_library(const char *stem, const struct family *of);

/*
 * Guess the family of a program linked with this library but without an MPI: the linker drops MPI
 * if this library defines all functions and no other symbol is needed. A Fortran program contains
 * constants of its MPI. In a C program, a handle of Open MPI would have prevented the drop, so the
 * program was compiled for MPICH, or calls functions that are equal in both.
 */
static const struct family *guess_family(void)
{
    if (!is_linked())
        return NULL;
    for (const struct family *f = families; f < families + NFAMILIES; f++)
        if (dlsym(RTLD_DEFAULT, f->fortran))
            return f;
    for (const struct family *f = families; f < families + NFAMILIES; f++)
        if (load_library("mpi", f))
            return f;
    return NULL;
}

static const struct family *find_family(void)
{
    const struct family *found = family_of(RTLD_DEFAULT);
    if (!found)
        dl_iterate_phdr(look_at, &found);
    return found ? found : guess_family();
}

/* Load the library linked with the program, or the one in the directory of this library. */
static void *load_library(const char *stem, const struct family *of)
{
    char path[PATH_MAX], name[64];
    Dl_info self;
    snprintf(name, sizeof name, "libgptl_%s-%s.so.0", stem, of->name);
    void *library = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    if (library || !dladdr(&once, &self))
        return library;
    const char *slash = strrchr(self.dli_fname, '/');
    if (!slash)
        return NULL;
    snprintf(path, sizeof path, "%.*s/%s", (int)(slash - self.dli_fname), self.dli_fname, name);
    return access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW) : NULL;
}

/* Record that a library was loaded; `gptl run` prints a warning otherwise. */
static void leave_word(void)
{
    gptl_claim(gptl_core_string(GPTL_STR_RUN_DIR), GPTL_CLAIM_MPI, 0, NULL);
}

static void say_not_seen(void)
{
    char line[256];
    int n = snprintf(line, sizeof line,
                     "%s: calls of MPI are not seen: this program runs with %s, which needs "
                     "libgptl_mpi-%s; configure gptl with --with-mpi=%s\n",
                     is_linked() ? "GPTL" : "gptl run", family->called, family->name, family->name);
    gptl_stderr_write(line, (size_t)n);
}

static void prepare(void)
{
    int error = errno;
    family = find_family();
    if (family) {
        ours = load_library("mpi", family);
        leave_word();
        if (!ours && gptl_core_launched_rank() <= 0)
            say_not_seen();
    }
    dlerror(); /* missing functions are not an error of the program */
    errno = error;
}

/*
 * Load the Fortran library; programs that call MPI only from C avoid it, because its many names
 * take time to resolve.
 */
static void prepare_fortran(void)
{
    ours_of_fortran = load_library("mpif", family);
}

/*
 * Return our function NAME, or NULL. Fortran names are in lower case, with various prefixes and
 * suffixes.
 */
static void *find_ours(const char *name)
{
    if (!ours)
        return NULL;
    if (strncmp(name, "MPI_", 4) == 0)
        return dlsym(ours, name);
    pthread_once(&once_of_fortran, prepare_fortran);
    return dlsym(ours_of_fortran ? ours_of_fortran : ours, name);
}

/*
 * Return a Fortran function without a wrapper, for instance MPICH's, which call C functions. The
 * linker may have dropped its library, because this library defines the name for another MPI. The
 * PMPI name identifies MPI's own function, because no other library defines it.
 */
static void *find_unwrapped(const char *name)
{
    char entry[128];
    void *found = NULL, *(*look_up)(const char *) = NULL;
    if (ours_of_fortran)
        *(void **)&look_up = dlsym(ours_of_fortran, "gptl_mpif_look_up");
    for (int i = 0; look_up && !found && i < 2; i++) {
        snprintf(entry, sizeof entry, i == 0 ? "p%.*s%s" : "p%.*sr%s", (int)strcspn(name, "_"),
                 name, name + strcspn(name, "_"));
        found = look_up(entry);
    }
    /* cppcheck-suppress returnDanglingLifetime ; the result is a function, no part of ENTRY */
    return found;
}

/* ---- Lookup of a function -------------------------------------------------------------------- */

/* Without MPI, a query for its presence reports its absence; any other call is an error. */
static int no_mpi(void)
{
    return 1;
}

static int no_mpi_initialized(int *flag)
{
    *flag = 0;
    return 0;
}

static void no_mpi_initialized_fortran(int *flag, int *error)
{
    *flag = 0;
    if (error)
        *error = 0;
}

static void *stand_in(const char *name)
{
    if (strcmp(name, "MPI_Initialized") == 0 || strcmp(name, "MPI_Finalized") == 0)
        return (void *)no_mpi_initialized;
    if (strncmp(name, "mpi_initialized", 15) == 0 || strncmp(name, "mpi_finalized", 13) == 0)
        return (void *)no_mpi_initialized_fortran;
    return (void *)no_mpi;
}

/*
 * Return the address of function NUMBER. Without MPI the lookup is repeated each time, because MPI
 * may be loaded later.
 */
void *gptl_mpi_any_find(unsigned number)
{
    const char *name = (const char *)&names + places[number];
    int error = errno;
    if (ours || find_family())
        pthread_once(&once, prepare);
    void *found = find_ours(name);
    if (!found)
        found = dlsym(RTLD_NEXT, name);
    if (!found && mpi)
        found = dlsym(mpi, name);
    if (!found)
        found = find_unwrapped(name);
    if (found)
        atomic_store_explicit(&gptl_mpi_any_table[number], found, memory_order_relaxed);
    dlerror();
    errno = error;
    return found ? found : stand_in(name);
}
