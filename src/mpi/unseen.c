/*
 * unseen.c - which functions of MPI the program and its libraries import and nobody measures: they
 * lead into MPI itself. There are such when MPI is newer than what this library was built with, when
 * it stands before this library in the order of linking, and in Fortran without libgptl_mpif.
 */
#include "config.h"

#include "mpi/unseen.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* MPI's libraries, of both families. */
static bool is_mpi(const char *object)
{
    const char *base = base_name(object);
    return has_prefix(base, "libmpi") || has_prefix(base, "libpmpi") ||
           has_prefix(base, "libopen-") || has_prefix(base, "libmca_") || has_prefix(base, "mca_");
}

/* MPI_Send, mpi_send_; no constants as MPI_UNWEIGHTED. */
static bool is_function(const char *name)
{
    if (has_prefix(name, "MPI_") || has_prefix(name, "MPIX_"))
        return name[strcspn(name, "abcdefghijklmnopqrstuvwxyz")] != '\0';
#ifdef OMPI_MAJOR_VERSION
    /* Elsewhere Fortran's functions call those of C. */
    return has_prefix(name, "mpi_") && name[strlen(name) - 1] == '_';
#else
    return false;
#endif
}

struct list {
    size_t used, size;
    char *text;
    struct extent { /* the object that the last function was found in: mostly ours */
        uintptr_t begin, end;
        bool is_mpi;
    } last;
};

struct search {
    uintptr_t address;
    struct extent found;
};

static int find_object(struct dl_phdr_info *info, size_t size, void *to)
{
    struct search *search = to;
    struct extent e = {UINTPTR_MAX, 0, false};
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD)
            continue;
        e.begin = begin < e.begin ? begin : e.begin;
        e.end = begin + part->p_memsz > e.end ? begin + part->p_memsz : e.end;
    }
    if (search->address < e.begin || search->address >= e.end)
        return 0;
    e.is_mpi = is_mpi(info->dlpi_name);
    search->found = e;
    return 1;
}

/* dladdr would look at each symbol of the object, which takes a hundred times as long. */
static bool is_seen(struct list *list, const char *name)
{
    struct search search = {(uintptr_t)dlsym(RTLD_DEFAULT, name), list->last};
    if (!search.address)
        return false;
    if ((search.address < list->last.begin || search.address >= list->last.end) &&
        !dl_iterate_phdr(find_object, &search))
        return false;
    list->last = search.found;
    return !search.found.is_mpi;
}

static bool is_in(const struct list *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list->text; (at = strstr(at, name)); at += n)
        if ((at == list->text || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

static void add(struct list *list, const char *name)
{
    static const char more[] = " ...";
    size_t n = strlen(name);
    if (list->used + n + 1 + sizeof more > list->size) {
        if (!is_in(list, more + 1) && list->used > 0)
            memcpy(list->text + list->used, more, sizeof more);
        return;
    }
    if (list->used > 0)
        list->text[list->used++] = ' ';
    memcpy(list->text + list->used, name, n + 1);
    list->used += n;
}

/* What the dynamic section of an object says. */
struct object {
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *hash;
    const ElfW(Rela) * relocations[2]; /* of data, of calls */
    size_t bytes[2];
};

static struct object read_dynamic(const ElfW(Dyn) * dynamic, ElfW(Addr) base)
{
    struct object o = {0};
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        /* The dynamic linker has made addresses of them, but for objects that it may not write to. */
        ElfW(Addr) value = dynamic->d_un.d_ptr;
        ElfW(Addr) address = value < base ? value + base : value;
        if (dynamic->d_tag == DT_SYMTAB)
            o.symbols = (const ElfW(Sym) *)address;
        else if (dynamic->d_tag == DT_STRTAB)
            o.strings = (const char *)address;
        else if (dynamic->d_tag == DT_GNU_HASH)
            o.hash = (const uint32_t *)address;
        else if (dynamic->d_tag == DT_RELA)
            o.relocations[0] = (const ElfW(Rela) *)address;
        else if (dynamic->d_tag == DT_RELASZ)
            o.bytes[0] = value;
        else if (dynamic->d_tag == DT_JMPREL)
            o.relocations[1] = (const ElfW(Rela) *)address;
        else if (dynamic->d_tag == DT_PLTRELSZ)
            o.bytes[1] = value;
        else if (dynamic->d_tag == DT_PLTREL && value != DT_RELA)
            o.relocations[0] = o.relocations[1] = NULL; /* of another kind */
    }
    return o;
}

static void check(struct list *list, const struct object *o, const ElfW(Sym) * symbol)
{
    const char *name = o->strings + symbol->st_name;
    if (symbol->st_shndx == SHN_UNDEF && *name && is_function(name) && !is_seen(list, name) &&
        !is_in(list, name))
        add(list, name);
}

/*
 * What an object imports comes before what its hash table has. The table of one that exports nothing may
 * begin anywhere; then its relocations tell. All have these, but libLLVM has 382,000.
 */
static void check_all(struct list *list, const struct object *o)
{
    uint32_t first = o->hash ? o->hash[1] : 0;
    for (uint32_t i = 1; i < first; i++)
        check(list, o, &o->symbols[i]);
    for (int k = 0; k < 2 && first <= 1; k++)
        for (size_t i = 0; o->relocations[k] && i < o->bytes[k] / sizeof(ElfW(Rela)); i++)
            check(list, o,
                  &o->symbols[o->relocations[k][i].r_info >> (sizeof(ElfW(Addr)) == 8 ? 32 : 8)]);
}

static int look_at(struct dl_phdr_info *info, size_t size, void *list)
{
    const ElfW(Dyn) *dynamic = NULL;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    if (!dynamic || is_mpi(info->dlpi_name) || has_prefix(base_name(info->dlpi_name), "libgptl"))
        return 0;
    struct object o = read_dynamic(dynamic, info->dlpi_addr);
    if (o.symbols && o.strings)
        check_all(list, &o);
    return 0;
}

const char *gptl_mpi_unseen(void)
{
    static char text[8192];
    struct list list = {.size = sizeof text, .text = text};
    text[0] = '\0';
    dl_iterate_phdr(look_at, &list);
    return text;
}
