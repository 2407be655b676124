/*
 * functions.c - the functions of a module, sorted by address. Symbol tables are unsorted, and a
 * linear search through all symbols per address would be slow.
 */
#include "config.h"

#include "symbols/module.h"

#include <stdlib.h>
#include <string.h>

static size_t underscores(const char *name)
{
    return strspn(name, "_");
}

static int compare_sizes(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Rank global before weak before local: a user's function is usually visible to other files. */
static int binding_order(unsigned char binding)
{
    return binding == STB_LOCAL ? 2 : binding == STB_WEAK ? 1 : 0;
}

/* Order by address; among several names of one function, the one a user would write sorts first. */
static int compare(const void *left, const void *right)
{
    const struct gptl_elf_function *a = left, *b = right;
    int order = compare_sizes(a->start, b->start);
    if (order == 0)
        order = (a->size == 0) - (b->size == 0);
    if (order == 0)
        order = binding_order(a->binding) - binding_order(b->binding);
    if (order == 0)
        order = compare_sizes(underscores(a->name), underscores(b->name));
    if (order == 0)
        order = compare_sizes(strlen(a->name), strlen(b->name));
    return order ? order : strcmp(a->name, b->name);
}

const char *gptl_elf_keep(struct gptl_elf *elf, const char *name, size_t n)
{
    char **more = realloc(elf->texts, (elf->ntexts + 1) * sizeof *more);
    if (!more)
        return NULL;
    elf->texts = more;
    char *copy = strndup(name, n);
    if (copy)
        elf->texts[elf->ntexts++] = copy;
    return copy;
}

/* Return the name of SYMBOL without a version: strlen@@GLIBC_2.2.5. NULL when out of memory. */
static const char *plain_name(struct gptl_elf *elf, const char *name)
{
    const char *at = strchr(name + 1, '@');
    return at ? gptl_elf_keep(elf, name, (size_t)(at - name)) : name;
}

static bool add_symbol(struct gptl_elf *elf, const Elf *own, int index)
{
    GElf_Sym symbol;
    GElf_Addr address, bias;
    GElf_Word section;
    Elf *file;
    const char *name = elf->dw->dwfl_module_getsym_info(elf->module, index, &symbol, &address,
                                                        &section, &file, &bias);
    if (!name || !name[0] || section == SHN_UNDEF || symbol.st_shndx == SHN_UNDEF)
        return true;
    unsigned type = GELF_ST_TYPE(symbol.st_info);
    if (type != STT_FUNC && type != STT_GNU_IFUNC)
        return true;
    elf->stripped &= file == own;
    name = plain_name(elf, name);
    if (!name)
        return false;
    elf->functions[elf->nfunctions++] = (struct gptl_elf_function){
        address, symbol.st_size, address, name, (unsigned char)GELF_ST_BIND(symbol.st_info)};
    return true;
}

/* Return whether the only symbol table is the dynamic linker's, which lacks most functions. */
static bool lacks_symbols(const struct gptl_elf *elf, Elf *own)
{
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf->dw->elf_nextscn(own, section)) != NULL;)
        if (elf->dw->gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
            return false;
    return true;
}

static void sort(struct gptl_elf *elf)
{
    struct gptl_elf_function *f = elf->functions;
    size_t n = 0;
    if (elf->nfunctions > 0)
        qsort(f, elf->nfunctions, sizeof *f, compare);
    for (size_t i = 0; i < elf->nfunctions; i++)
        if (n == 0 || f[i].start != f[n - 1].start)
            f[n++] = f[i];
    elf->nfunctions = n;
}

/* Merge the stubs into the functions, and shrink the array to its final size. */
static bool join_stubs(struct gptl_elf *elf)
{
    size_t n = elf->nfunctions + elf->nstubs;
    struct gptl_elf_function *fit = realloc(elf->functions, (n + 1) * sizeof *fit);
    if (!fit)
        return elf->nstubs == 0;
    elf->functions = fit;
    if (elf->nstubs > 0) {
        memcpy(fit + elf->nfunctions, elf->stubs, elf->nstubs * sizeof *fit);
        elf->nfunctions = n;
        sort(elf);
    }
    free(elf->stubs);
    elf->stubs = NULL;
    elf->nstubs = 0;
    return true;
}

enum gptl_symbol_state gptl_elf_read_functions(struct gptl_elf *elf)
{
    GElf_Addr bias;
    Elf *own = elf->dw->dwfl_module_getelf(elf->module, &bias);
    int n = elf->dw->dwfl_module_getsymtab(elf->module);
    if (n <= 0)
        return GPTL_SYMBOL_STRIPPED;
    elf->functions = malloc((size_t)n * sizeof *elf->functions);
    if (!elf->functions)
        return GPTL_SYMBOL_NO_MEMORY;
    elf->stripped = lacks_symbols(elf, own); /* cleared if symbols come from another file */
    for (int i = 0; i < n; i++)
        if (!add_symbol(elf, own, i))
            return GPTL_SYMBOL_NO_MEMORY;
    sort(elf);
    if (!gptl_elf_add_stubs(elf) || !join_stubs(elf))
        return GPTL_SYMBOL_NO_MEMORY;
    return elf->nfunctions > 0 ? GPTL_SYMBOL_FOUND : GPTL_SYMBOL_STRIPPED;
}

/*
 * Beyond a function of size 0 there may be another function whose name was stripped, so only its
 * first address matches.
 */
const struct gptl_elf_function *gptl_elf_function(const struct gptl_elf *elf, uint64_t address)
{
    size_t low = 0, high = elf->nfunctions;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (elf->functions[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct gptl_elf_function *f = low > 0 ? &elf->functions[low - 1] : NULL;
    return f && (address == f->start || address - f->start < f->size) ? f : NULL;
}
