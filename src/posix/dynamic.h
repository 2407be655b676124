/* dynamic.h - what an object's dynamic section says, as the dynamic linker left it. */
#ifndef GPTL_POSIX_DYNAMIC_H
#define GPTL_POSIX_DYNAMIC_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1 /* config.h has it */
#endif

#include <link.h>
#include <stddef.h>

/* NULL: it has none. */
static inline const ElfW(Dyn) * gptl_posix_dynamic(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    return NULL;
}

/* The dynamic linker has made addresses of them, but for objects that it may not write to. */
static inline const void *gptl_posix_dynamic_address(const ElfW(Dyn) * entry, ElfW(Addr) base)
{
    ElfW(Addr) address = entry->d_un.d_ptr;
    return (const void *)(address < base ? address + base : address);
}

#endif
