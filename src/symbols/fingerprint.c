/*
 * fingerprint.c - distinguishes files without a build id by a hash of their section headers,
 * section names and symbol tables. Files with equal hashes assign the same names to the same
 * addresses.
 */
#include "config.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/descriptor.h"
#include "symbols/symbols.h"

static uint64_t hash_bytes(uint64_t h, const unsigned char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ bytes[i]) * 0x100000001b3u;
    return h;
}

/* Add SIZE bytes at OFFSET of the file to the hash; false if the file is shorter. */
static bool hash_part(uint64_t *h, int fd, uint64_t offset, uint64_t size)
{
    unsigned char bytes[1 << 14];
    while (size > 0) {
        ssize_t n =
            pread(fd, bytes, size < sizeof bytes ? (size_t)size : sizeof bytes, (off_t)offset);
        if (n <= 0)
            return false;
        *h = hash_bytes(*h, bytes, (size_t)n);
        offset += (uint64_t)n;
        size -= (uint64_t)n;
    }
    return true;
}

static bool is_hashed(const ElfW(Shdr) * section)
{
    return section->sh_type == SHT_SYMTAB || section->sh_type == SHT_DYNSYM ||
           section->sh_type == SHT_STRTAB;
}

bool gptl_symbols_fingerprint(int fd, char text[GPTL_FINGERPRINT_SIZE])
{
    ElfW(Ehdr) head;
    uint64_t h = 0xcbf29ce484222325u;
    if (pread(fd, &head, sizeof head, 0) != sizeof head || head.e_shentsize != sizeof(ElfW(Shdr)) ||
        !hash_part(&h, fd, 0, sizeof head))
        return false;
    for (unsigned i = 0; i < head.e_shnum; i++) {
        ElfW(Shdr) section;
        uint64_t at = head.e_shoff + (uint64_t)i * sizeof section;
        if (pread(fd, &section, sizeof section, (off_t)at) != sizeof section)
            return false;
        h = hash_bytes(h, (const unsigned char *)&section, sizeof section);
        if (is_hashed(&section) && !hash_part(&h, fd, section.sh_offset, section.sh_size))
            return false;
    }
    snprintf(text, GPTL_FINGERPRINT_SIZE, "%016llx", (unsigned long long)h);
    return true;
}

/* ---- Mapped files ---------------------------------------------------------------------------- */

static const char deleted[] = " (deleted)";

struct mapping {
    char *line;
    size_t size;
    unsigned long begin, end;
    /* path in the kernel's current listing (points into LINE); "" for anonymous memory */
    char *path;
};

static bool next_mapping(FILE *maps, struct mapping *m)
{
    while (getline(&m->line, &m->size, maps) > 0) {
        int at = 0;
        if (sscanf(m->line, "%lx-%lx %*s %*s %*s %*s %n", &m->begin, &m->end, &at) < 2 || at == 0)
            continue;
        m->path = m->line + at;
        m->path[strcspn(m->path, "\n")] = '\0';
        return true;
    }
    return false;
}

static bool is_deleted(const char *path)
{
    size_t n = strlen(path), rest = sizeof deleted - 1;
    return n > rest && strcmp(path + n - rest, deleted) == 0;
}

/*
 * Find the mapping that contains ADDRESS or, if ADDRESS is 0, a mapping of the file formerly at
 * PATH.
 */
static bool find_mapping(struct mapping *m, uintptr_t address, const char *path)
{
    int fd = gptl_descriptor_open("/proc/self/maps", O_RDONLY, 0);
    FILE *maps = fd >= 0 ? fdopen(fd, "r") : NULL;
    size_t n = is_deleted(path) ? strlen(path) - (sizeof deleted - 1) : strlen(path);
    bool found = false;
    if (!maps && fd >= 0)
        close(fd);
    while (maps && !found && next_mapping(maps, m))
        found = address ? address >= m->begin && address < m->end
                        : strncmp(m->path, path, n) == 0 &&
                              (!m->path[n] || strcmp(m->path + n, deleted) == 0);
    if (maps)
        fclose(maps);
    return found;
}

/*
 * Open the mapped file itself, even if another file has its path now. The kernel restricts the
 * permission to do so.
 */
static int open_mapping(const struct mapping *m)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/map_files/%lx-%lx", m->begin, m->end);
    return gptl_descriptor_open(path, O_RDONLY, 0);
}

int gptl_symbols_open_replaced(const char *path)
{
    struct mapping m = {0};
    int fd = find_mapping(&m, 0, path) ? open_mapping(&m) : -1;
    free(m.line);
    return fd;
}

void gptl_symbols_identify(const void *address, const char *path, bool is_program,
                           char text[GPTL_FINGERPRINT_SIZE])
{
    struct mapping m = {0};
    int fd = -1;
    if (is_program)
        fd = gptl_descriptor_open("/proc/self/exe", O_RDONLY, 0);
    else if (find_mapping(&m, (uintptr_t)address, path))
        fd = is_deleted(m.path) ? open_mapping(&m) : gptl_descriptor_open(m.path, O_RDONLY, 0);
    bool replaced = m.path && is_deleted(m.path);
    if (fd < 0 && !replaced)
        fd = gptl_descriptor_open(path, O_RDONLY, 0);
    if (fd < 0 || !gptl_symbols_fingerprint(fd, text))
        strcpy(text, replaced ? "0" : "");
    if (fd >= 0)
        close(fd);
    free(m.line);
}
