/*
 * salvage_image.c - the bytes of a salvage file, by their addresses in the process that wrote it.
 * An address outside of all extents is not followed: a damaged file yields less data, never a
 * crash.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/descriptor.h"

#include "core/salvage_image.h"

/* ---- Addresses ----------------------------------------------------------------------------- */

const void *gptl_salvage_bytes_at(const struct gptl_salvage_image *image, uint64_t address,
                                  uint64_t size)
{
    for (uint32_t i = 0; i < image->header->nextents; i++) {
        const struct gptl_salvage_extent *e = &image->header->extents[i];
        if (!e->address || address < e->address || address - e->address >= e->size)
            continue;
        uint64_t within = address - e->address;
        if (size > e->size - within || e->offset > image->size ||
            within + size > image->size - e->offset)
            return NULL;
        return image->file + e->offset + within;
    }
    return NULL;
}

const void *gptl_salvage_at(const struct gptl_salvage_image *image, uint64_t address, uint64_t size)
{
    const void *found = gptl_salvage_bytes_at(image, address, size);
    return (uintptr_t)found % 8 ? NULL : found;
}

const void *gptl_salvage_at_pointer(const struct gptl_salvage_image *image, const void *pointer,
                                    uint64_t size)
{
    return gptl_salvage_at(image, (uint64_t)(uintptr_t)pointer, size);
}

const char *gptl_salvage_name_at(const struct gptl_salvage_image *image,
                                 const struct gptl_region *address, uint32_t *id, uint32_t *kind)
{
    const struct gptl_region *region = gptl_salvage_at_pointer(image, address, sizeof *region);
    const char *name = region ? gptl_salvage_bytes_at(image,
                                                      (uint64_t)(uintptr_t)address +
                                                          offsetof(struct gptl_region, name),
                                                      region->size)
                              : NULL;
    if (!name || region->size == 0 || name[region->size - 1] != '\0')
        return NULL;
    /* more regions do not fit into the file, and tables have this size */
    if (region->id == 0 || region->id > image->size / sizeof *region)
        return NULL;
    *id = region->id;
    *kind = region->kind < GPTL_NKINDS ? region->kind : GPTL_KIND_USER;
    return name;
}

const char *gptl_salvage_text_at(const struct gptl_salvage_image *image, const char *address)
{
    uint32_t id, kind;
    uintptr_t region = (uintptr_t)address - offsetof(struct gptl_region, name);
    const char *name = gptl_salvage_name_at(image, (const struct gptl_region *)region, &id, &kind);
    return name ? name : "(unreadable)";
}

/* ---- The file ------------------------------------------------------------------------------ */

static const char *unusable(const struct gptl_salvage_image *image)
{
    const struct gptl_salvage_header *h = image->header;
    if (image->size < sizeof *h)
        return "it is too short to be a salvage file";
    if (memcmp(h->magic, GPTL_SALVAGE_MAGIC, sizeof h->magic) != 0)
        return "it is not a salvage file, or its process was killed before it began to measure";
    if (h->version != GPTL_SALVAGE_VERSION || h->node_size != sizeof(struct gptl_node) ||
        h->thread_size != sizeof(struct gptl_thread))
        return "another version of the library wrote it";
    if (h->nextents > GPTL_SALVAGE_EXTENTS || !memchr(h->program, 0, sizeof h->program) ||
        !memchr(h->clock, 0, sizeof h->clock) ||
        !memchr(h->clock_source, 0, sizeof h->clock_source) ||
        !memchr(h->clock_kernel, 0, sizeof h->clock_kernel) || !(h->seconds_per_tick >= 0))
        return "it is damaged";
    return NULL;
}

const char *gptl_salvage_map(const char *path, struct gptl_salvage_image *image)
{
    struct stat status;
    int fd = gptl_descriptor_open(path, O_RDONLY, 0);
    if (fd < 0)
        return strerror(errno);
    void *pages = MAP_FAILED;
    if (fstat(fd, &status) == 0 && status.st_size > 0)
        pages = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (pages == MAP_FAILED)
        return "it is empty or cannot be mapped";
    *image =
        (struct gptl_salvage_image){.file = pages, .size = (size_t)status.st_size, .header = pages};
    return unusable(image);
}
