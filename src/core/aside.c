/*
 * aside.c - search for another copy of the library in this process.
 *
 * Each copy contains an ELF note with the location of its flag. The search visits the notes of all
 * loaded objects, static programs included, and does not touch data of the host (environment,
 * symbols).
 */
#include "config.h"

#include "core/aside.h"

#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/* Not static: the note refers to it. */
extern _Atomic uint32_t gptl_aside_flag __attribute__((visibility("hidden")));
_Atomic uint32_t gptl_aside_flag;

/* Name "GPTL", type 1; the description is the distance from itself to the flag, 8 bytes. */
__asm__(".pushsection .note.gptl,\"a\",%note\n"
        ".balign 4\n"
        ".long 5, 8, 1\n"
        ".asciz \"GPTL\"\n"
        ".balign 4\n"
        ".quad gptl_aside_flag - .\n"
        ".popsection\n");

/* Return the flag of the copy whose note has this description. */
static const _Atomic uint32_t *flag_of(const char *description)
{
    int64_t distance;
    memcpy(&distance, description, sizeof distance);
    return (const _Atomic uint32_t *)(uintptr_t)(description + distance);
}

/* Return the flag of the next copy of the library among the notes from *P on, or NULL. */
static const _Atomic uint32_t *next_copy(const char **p, const char *end)
{
    while ((size_t)(end - *p) >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(const void *)*p;
        const char *name = *p + sizeof *note;
        const char *description = name + (note->n_namesz + 3) / 4 * 4;
        *p = description + (note->n_descsz + 3) / 4 * 4;
        if (*p > end || *p < name)
            return NULL;
        if (note->n_type == 1 && note->n_namesz == 5 && note->n_descsz == 8 &&
            memcmp(name, "GPTL", 5) == 0)
            return flag_of(description);
    }
    return NULL;
}

struct search {
    int objects; /* visited objects: the program is the first */
    bool in_program, on;
};

static int visit(struct dl_phdr_info *info, size_t size, void *found)
{
    struct search *search = found;
    (void)size;
    search->objects++;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_NOTE)
            continue;
        const char *p = (const char *)(info->dlpi_addr + header->p_vaddr);
        const char *end = p + header->p_memsz;
        const _Atomic uint32_t *flag;
        while ((flag = next_copy(&p, end))) {
            if (flag == &gptl_aside_flag)
                continue;
            search->in_program |= search->objects == 1;
            search->on |= atomic_load(flag) != 0;
        }
    }
    return 0;
}

bool gptl_aside_for_another(void)
{
    struct search search = {0};
    dl_iterate_phdr(visit, &search);
    return search.in_program || search.on;
}

void gptl_aside_say(bool on)
{
    atomic_store(&gptl_aside_flag, on);
}
