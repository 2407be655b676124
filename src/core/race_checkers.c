/* race_checkers.c - requests to helgrind and drd. */
#include "config.h"

#include "core/race_checkers.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* drd.h and helgrind.h cannot both be included: each defines the annotations of ThreadSanitizer. */
#if defined(HAVE_VALGRIND_HELGRIND_H) && !defined(__SANITIZE_THREAD__)
#include <valgrind/helgrind.h>

enum { DRD_START_SUPPRESSION = VG_USERREQ_TOOL_BASE('D', 'R') + 2 }; /* part of drd's ABI */

void gptl_race_checkers_ignore(const void *address, size_t size)
{
    VALGRIND_HG_DISABLE_CHECKING(address, size);
    VALGRIND_DO_CLIENT_REQUEST_STMT(DRD_START_SUPPRESSION, address, size, 0, 0, 0);
}

/*
 * Ignore the variables of libgptl's shared libraries. In a program linked with the static library
 * they are mixed with the program's variables.
 */
static int ignore_variables(struct dl_phdr_info *info, size_t size, void *unused)
{
    const char *base = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    (void)size, (void)unused;
    if (!base || strncmp(base, "/libgptl", 8) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_W)
            gptl_race_checkers_ignore((const void *)(info->dlpi_addr + segment->p_vaddr),
                                      segment->p_memsz);
    }
    return 0;
}

void gptl_race_checkers_ignore_libraries(void)
{
    if (RUNNING_ON_VALGRIND)
        dl_iterate_phdr(ignore_variables, NULL);
}
#else
void gptl_race_checkers_ignore(const void *address, size_t size)
{
    (void)address, (void)size;
}

void gptl_race_checkers_ignore_libraries(void) {}
#endif
