/*
 * object.h - imports, exports and addresses of loaded objects, read from the dynamic linker's data.
 * Independent of the rest of the core, and part of the preloaded libraries as well.
 */
#ifndef GPTL_CORE_OBJECT_H
#define GPTL_CORE_OBJECT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* config.h defines it, too */
#endif

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Contents of the dynamic section; members without an entry are NULL. */
struct gptl_object {
    ElfW(Addr) base;
    const ElfW(Dyn) * dynamic;
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *hash; /* GNU hash table of the exports */
    /* of data and of calls; NULL for relocations without addends */
    const ElfW(Rela) * relocations[2];
    size_t bytes[2];
};

static inline const ElfW(Dyn) * gptl_object_dynamic(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    return NULL;
}

static inline struct gptl_object gptl_object_read(const struct dl_phdr_info *info)
{
    struct gptl_object o = {.base = info->dlpi_addr, .dynamic = gptl_object_dynamic(info)};
    bool is_rela = true;
    for (const ElfW(Dyn) *d = o.dynamic; d && d->d_tag != DT_NULL; d++) {
        /*
         * The dynamic linker has relocated these values, except in objects that it must not write
         * to.
         */
        ElfW(Addr) value = d->d_un.d_ptr, base = info->dlpi_addr;
        const void *address = (const void *)(value < base ? value + base : value);
        if (d->d_tag == DT_SYMTAB)
            o.symbols = address;
        else if (d->d_tag == DT_STRTAB)
            o.strings = address;
        else if (d->d_tag == DT_GNU_HASH)
            o.hash = address;
        else if (d->d_tag == DT_RELA)
            o.relocations[0] = address;
        else if (d->d_tag == DT_RELASZ)
            o.bytes[0] = value;
        else if (d->d_tag == DT_JMPREL)
            o.relocations[1] = address;
        else if (d->d_tag == DT_PLTRELSZ)
            o.bytes[1] = value;
        else if (d->d_tag == DT_PLTREL)
            is_rela = value == DT_RELA;
    }
    if (!is_rela)
        o.relocations[0] = o.relocations[1] = NULL;
    return o;
}

/*
 * Return one past the last symbol that can be an import. Imports precede the symbols of the hash
 * table. The table of an object without exports may begin at any number; then the relocations
 * determine the end. Every object has relocations, but libLLVM has 382,000.
 */
static inline size_t gptl_object_imports(const struct gptl_object *o)
{
    const unsigned shift = sizeof(ElfW(Addr)) == 8 ? 32 : 8; /* ELF64_R_SYM, ELF32_R_SYM */
    size_t end = o->hash ? o->hash[1] : 0;
    if (end > 1)
        return end;
    for (int kind = 0; kind < 2; kind++)
        for (size_t i = 0; o->relocations[kind] && i < o->bytes[kind] / sizeof(ElfW(Rela)); i++) {
            size_t symbol = o->relocations[kind][i].r_info >> shift;
            if (symbol >= end)
                end = symbol + 1;
        }
    return end;
}

/* Return the name of symbol I, which is below gptl_object_imports; NULL if it is not an import. */
static inline const char *gptl_object_import(const struct gptl_object *o, size_t i)
{
    const ElfW(Sym) *symbol = &o->symbols[i];
    return symbol->st_shndx == SHN_UNDEF && symbol->st_name ? o->strings + symbol->st_name : NULL;
}

/* Return the hash of a name in GNU hash tables. */
static inline uint32_t gptl_object_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

static inline bool gptl_object_is_function(const ElfW(Sym) * symbol)
{
    unsigned type = symbol->st_info & 15;
    return symbol->st_shndx != SHN_UNDEF && symbol->st_value && type <= STT_FUNC &&
           type != STT_OBJECT;
}

/*
 * Return the function NAME that the object itself defines and exports, or NULL. dlsym would also
 * search the objects linked with it.
 */
static inline void *gptl_object_export(const struct gptl_object *o, const char *name)
{
    const uint32_t *head = o->hash, hash = gptl_object_hash(name), bits = 8 * sizeof(ElfW(Addr));
    if (!head || head[0] == 0 || head[2] == 0)
        return NULL;
    const ElfW(Addr) *bloom = (const ElfW(Addr) *)(const void *)(head + 4);
    ElfW(Addr) word = bloom[hash / bits % head[2]];
    if (!(word >> hash % bits & word >> (hash >> head[3]) % bits & 1))
        return NULL;
    const uint32_t *buckets = (const uint32_t *)(const void *)(bloom + head[2]);
    const uint32_t *chain = buckets + head[0];
    uint32_t i = buckets[hash % head[0]];
    if (i < head[1])
        return NULL;
    for (;; i++) {
        const ElfW(Sym) *symbol = &o->symbols[i];
        uint32_t entry = chain[i - head[1]];
        if ((entry | 1) == (hash | 1) && gptl_object_is_function(symbol) &&
            strcmp(o->strings + symbol->st_name, name) == 0)
            return (void *)(o->base + symbol->st_value);
        if (entry & 1)
            return NULL;
    }
}

struct gptl_object_place {
    uintptr_t begin, size;
};

/* Return the address range of the object's segments, gaps included. */
static inline struct gptl_object_place gptl_object_place(const struct dl_phdr_info *info)
{
    uintptr_t begin = UINTPTR_MAX, end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD)
            continue;
        begin = at < begin ? at : begin;
        end = at + part->p_memsz > end ? at + part->p_memsz : end;
    }
    return (struct gptl_object_place){begin, end > begin ? end - begin : 0};
}

/*
 * Return whether ADDRESS lies in the object. dladdr would also search its symbols, which takes a
 * hundred times as long.
 */
static inline bool gptl_object_is_in(struct gptl_object_place place, const void *address)
{
    return (uintptr_t)address - place.begin < place.size;
}

#endif
