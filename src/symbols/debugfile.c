/*
 * debugfile.c - finds the file with the separated debug information of a module.
 *
 * It searches the same places in the same order as debuggers: by build id, then by the name in the
 * module's .gnu_debuglink. libdwfl's own search would also query the servers in DEBUGINFOD_URLS;
 * this search never accesses the network.
 */
#include "config.h"

#include "symbols/module.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- By build id ----------------------------------------------------------------------------- */

static bool is_hex(const char *text)
{
    return text[0] && text[strspn(text, "0123456789abcdefABCDEF")] == '\0';
}

int gptl_debugfile_by_id(const struct gptl_debug_dirs *dirs, const char *build_id, char **path)
{
    if (strlen(build_id) < 4 || !is_hex(build_id))
        return -1;
    for (size_t i = 0; i < dirs->n; i++) {
        size_t size = strlen(dirs->dirs[i]) + strlen(build_id) + 32;
        char *name = malloc(size);
        if (!name)
            return -1;
        snprintf(name, size, "%s/.build-id/%.2s/%s.debug", dirs->dirs[i], build_id, build_id + 2);
        int fd = gptl_elf_open_file(name);
        if (fd >= 0) {
            *path = name;
            return fd;
        }
        free(name);
    }
    return -1;
}

/* ---- By name --------------------------------------------------------------------------------- */

/* Return the checksum used by .gnu_debuglink: CRC-32 of ISO 3309. */
static uint32_t checksum(const unsigned char *bytes, size_t n)
{
    uint32_t table[256], crc = UINT32_MAX;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320 : 0);
    }
    for (size_t i = 0; i < n; i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 255];
    return ~crc;
}

static bool has_checksum(int fd, uint32_t crc)
{
    struct stat status;
    if (fstat(fd, &status) || status.st_size <= 0)
        return false;
    size_t size = (size_t)status.st_size;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return false;
    bool same = checksum(bytes, size) == crc;
    munmap(bytes, size);
    return same;
}

/* Compare the file's build id with ID: 1 equal, 0 different, -1 missing. */
static int compare_id(const struct gptl_libdw *dw, int fd, const void *id, size_t size)
{
    Elf *file = dw->elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL);
    const void *own;
    ssize_t n = file ? dw->dwelf_elf_gnu_build_id(file, &own) : -1;
    int result = n <= 0 ? -1 : (size_t)n == size && memcmp(own, id, size) == 0;
    dw->elf_end(file);
    return result;
}

/* A debug file to search for. */
struct wanted {
    const struct gptl_elf *elf;
    const char *folder; /* directory of the module */
    const char *link;   /* name in .gnu_debuglink */
    GElf_Word crc;
    const unsigned char *id;
    size_t id_size;
};

/* Open FOLDER/BETWEEN/LINK if it is the wanted file, and store its path in *PATH. */
static int try_name(const struct wanted *wanted, const char *folder, const char *between,
                    char **path)
{
    size_t size = strlen(folder) + strlen(between) + strlen(wanted->link) + 3;
    char *name = malloc(size);
    if (!name)
        return -1;
    snprintf(name, size, "%s%s%s%s", folder, between, *folder || *between ? "/" : "", wanted->link);
    int fd = gptl_elf_open_file(name);
    if (fd >= 0) {
        int same =
            wanted->id_size ? compare_id(wanted->elf->dw, fd, wanted->id, wanted->id_size) : -1;
        if (same == 1 || (same < 0 && wanted->crc && has_checksum(fd, wanted->crc))) {
            *path = name;
            return fd;
        }
        close(fd);
    }
    free(name);
    return -1;
}

static int by_name(const struct wanted *wanted, char **path)
{
    if (wanted->link[0] == '/')
        return try_name(wanted, "", "", path);
    int fd = try_name(wanted, wanted->folder, "", path);
    if (fd < 0)
        fd = try_name(wanted, wanted->folder, "/.debug", path);
    for (size_t i = 0; fd < 0 && i < wanted->elf->dirs->n; i++) {
        fd = try_name(wanted, wanted->elf->dirs->dirs[i], wanted->folder, path);
        if (fd < 0)
            fd = try_name(wanted, wanted->elf->dirs->dirs[i], "", path);
    }
    return fd;
}

int gptl_debugfile_find(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                        const char *file, const char *link, GElf_Word crc, char **found)
{
    (void)name, (void)base, (void)file;
    struct wanted wanted = {.elf = *data, .link = link, .crc = crc};
    GElf_Addr address;
    int size = wanted.elf->dw->dwfl_module_build_id(module, &wanted.id, &address);
    char *hex = size > 0 ? gptl_elf_hex(wanted.id, (size_t)size) : NULL;
    int fd = hex ? gptl_debugfile_by_id(wanted.elf->dirs, hex, found) : -1;
    free(hex);
    if (fd >= 0 || !link || !link[0])
        return fd;
    wanted.id_size = size > 0 ? (size_t)size : 0;
    char *folder = realpath(wanted.elf->opened, NULL);
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash) {
        *slash = '\0';
        wanted.folder = folder;
        fd = by_name(&wanted, found);
    }
    free(folder);
    return fd;
}
