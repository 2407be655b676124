/* libc_version.c - versions of glibc; see libc_version.h. */
#include "config.h"

#include "run/libc_version.h"

#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "posix/raw.h"

/* ---- Needed ---------------------------------------------------------------------------------- */

static int minor_of(const char *version)
{
    static const char prefix[] = "GLIBC_2.";
    return strncmp(version, prefix, sizeof prefix - 1) == 0 ? atoi(version + sizeof prefix - 1) : 0;
}

/* glibc relocates some of these addresses, others not. */
static const char *address(const struct dl_phdr_info *object, ElfW(Addr) value)
{
    return (const char *)(value < object->dlpi_addr ? object->dlpi_addr + value : value);
}

static int newest_of(const struct dl_phdr_info *object, const ElfW(Dyn) * dynamic)
{
    const char *texts = NULL, *files = NULL;
    size_t nfiles = 0;
    int newest = 0;
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        if (dynamic->d_tag == DT_STRTAB)
            texts = address(object, dynamic->d_un.d_ptr);
        else if (dynamic->d_tag == DT_VERNEED)
            files = address(object, dynamic->d_un.d_ptr);
        else if (dynamic->d_tag == DT_VERNEEDNUM)
            nfiles = dynamic->d_un.d_val;
    }
    for (size_t i = 0; texts && files && i < nfiles; i++) {
        const ElfW(Verneed) *file = (const void *)files;
        const char *at = files + file->vn_aux;
        for (unsigned k = 0; k < file->vn_cnt; k++) {
            const ElfW(Vernaux) *version = (const void *)at;
            int minor = minor_of(texts + version->vna_name);
            newest = minor > newest ? minor : newest;
            at += version->vna_next;
        }
        files += file->vn_next;
    }
    return newest;
}

static int look_at(struct dl_phdr_info *object, size_t size, void *newest)
{
    (void)size;
    if (!strstr(object->dlpi_name, "/libgptl"))
        return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_DYNAMIC)
            continue;
        int minor = newest_of(object, (const void *)(object->dlpi_addr + part->p_vaddr));
        if (minor > *(int *)newest)
            *(int *)newest = minor;
    }
    return 0;
}

int gptl_libc_version_needed(void)
{
    int newest = 0;
    dl_iterate_phdr(look_at, &newest);
    return newest;
}

/* ---- Of a loader ----------------------------------------------------------------------------- */

int gptl_libc_version_of(int fd, char *space, size_t size)
{
    static const char mark[] = "stable release version 2.";
    enum { OVERLAP = 64 };
    long n;
    for (long at = 0; (n = gptl_kernel_call(SYS_pread64, fd, space, size - 1, at)) > OVERLAP;
         at += n - OVERLAP) {
        space[n] = '\0';
        const char *found = memmem(space, (size_t)n, mark, sizeof mark - 1);
        if (found && found + OVERLAP / 2 < space + n)
            return atoi(found + sizeof mark - 1);
    }
    return 0;
}
