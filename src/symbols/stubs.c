/*
 * stubs.c - stubs of functions that the dynamic linker selects (STT_GNU_IFUNC, target_clones). In a
 * dynamic or static executable, the address of such a function is the address of its stub in .plt.
 * The stub jumps through a slot that R_X86_64_IRELATIVE fills with the result of the function's
 * resolver. No symbol covers the stub.
 */
#include "config.h"

#include "symbols/module.h"

#include <stdlib.h>
#include <string.h>

/* A slot and the resolver that computes its contents. */
struct slot {
    uint64_t address, resolver;
};

struct slots {
    struct slot *slots; /* sorted by address */
    size_t n;
};

static int by_address(const void *left, const void *right)
{
    const struct slot *a = left, *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

static bool add_slot(struct slots *to, const Elf64_Rela *relocation)
{
    if (to->n % 64 == 0) {
        struct slot *more = realloc(to->slots, (to->n + 64) * sizeof *more);
        if (!more)
            return false;
        to->slots = more;
    }
    to->slots[to->n++] = (struct slot){relocation->r_offset, (uint64_t)relocation->r_addend};
    return true;
}

static bool add_slots(struct slots *to, const Elf_Data *data)
{
    for (size_t at = 0; at + sizeof(Elf64_Rela) <= data->d_size; at += sizeof(Elf64_Rela)) {
        Elf64_Rela relocation;
        memcpy(&relocation, (const char *)data->d_buf + at, sizeof relocation);
        if (ELF64_R_TYPE(relocation.r_info) == R_X86_64_IRELATIVE && !add_slot(to, &relocation))
            return false;
    }
    return true;
}

/* Call VISIT for each section of TYPE with FLAGS that has contents in the file. */
static bool each_section(struct gptl_elf *elf, Elf *own, uint32_t type, uint64_t flags,
                         struct slots *slots,
                         bool (*visit)(struct gptl_elf *elf, struct slots *slots,
                                       const GElf_Shdr *header, const Elf_Data *data))
{
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf->dw->elf_nextscn(own, section)) != NULL;) {
        if (!elf->dw->gelf_getshdr(section, &header) || header.sh_type != type ||
            (header.sh_flags & flags) != flags)
            continue;
        const Elf_Data *data = elf->dw->elf_rawdata(section, NULL);
        if (data && data->d_buf && !visit(elf, slots, &header, data))
            return false;
    }
    return true;
}

static bool visit_relocations(struct gptl_elf *elf, struct slots *slots, const GElf_Shdr *header,
                              const Elf_Data *data)
{
    (void)elf, (void)header;
    return add_slots(slots, data);
}

/*
 * Return the name of the selected function: "f.resolver" resolves f if f lacks a symbol.
 */
static const char *chosen_name(struct gptl_elf *elf, const struct gptl_elf_function *resolver)
{
    static const char end[] = ".resolver";
    size_t n = strlen(resolver->name), rest = sizeof end - 1;
    return n > rest && strcmp(resolver->name + n - rest, end) == 0
               ? gptl_elf_keep(elf, resolver->name, n - rest)
               : resolver->name;
}

static bool add_stub(struct gptl_elf *elf, uint64_t start, uint64_t size, uint64_t resolver)
{
    const struct gptl_elf_function *found = gptl_elf_function(elf, resolver);
    if (!found || found->start != resolver || gptl_elf_function(elf, start))
        return true; /* the resolver lacks a name, or a function covers this code */
    struct gptl_elf_function stub = {start, size, resolver, chosen_name(elf, found),
                                     found->binding};
    struct gptl_elf_function *more = realloc(elf->stubs, (elf->nstubs + 1) * sizeof *elf->stubs);
    if (!more || !stub.name)
        return false;
    elf->stubs = more;
    elf->stubs[elf->nstubs++] = stub;
    return true;
}

/* Find each jmp *SLOT(%rip), the start of a stub, optionally after an endbr64 or a prefix. */
static bool visit_code(struct gptl_elf *elf, struct slots *slots, const GElf_Shdr *header,
                       const Elf_Data *data)
{
    static const unsigned char jump[] = {0xff, 0x25};
    const unsigned char *code = data->d_buf, *end = code + data->d_size, *at = code;
    uint64_t size = header->sh_entsize == 8 ? 8 : 16;
    while ((at = memmem(at, (size_t)(end - at), jump, sizeof jump)) != NULL && end - at >= 6) {
        int32_t distance;
        memcpy(&distance, at + 2, sizeof distance);
        uint64_t offset = (uint64_t)(at - code);
        struct slot key = {header->sh_addr + offset + 6 + (uint64_t)(int64_t)distance, 0};
        const struct slot *slot = bsearch(&key, slots->slots, slots->n, sizeof key, by_address);
        if (slot && !add_stub(elf, header->sh_addr + offset / size * size, size, slot->resolver))
            return false;
        at += sizeof jump;
    }
    return true;
}

bool gptl_elf_add_stubs(struct gptl_elf *elf)
{
    GElf_Ehdr head;
    GElf_Addr bias;
    struct slots slots = {NULL, 0};
    Elf *own = elf->dw->dwfl_module_getelf(elf->module, &bias);
    if (!own || !elf->dw->gelf_getehdr(own, &head) || head.e_machine != EM_X86_64 ||
        head.e_ident[EI_CLASS] != ELFCLASS64)
        return true;
    bool whole = each_section(elf, own, SHT_RELA, SHF_ALLOC, &slots, visit_relocations);
    if (slots.n > 0) {
        qsort(slots.slots, slots.n, sizeof *slots.slots, by_address);
        whole = whole &&
                each_section(elf, own, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, &slots, visit_code);
    }
    free(slots.slots);
    return whole;
}
