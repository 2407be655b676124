/* salvage_image.h - interface between the files that read salvage files. */
#ifndef GPTL_CORE_SALVAGE_IMAGE_H
#define GPTL_CORE_SALVAGE_IMAGE_H

#include "core/measured.h"
#include "core/salvage.h"
#include "core/thread.h"

struct gptl_salvage_image {
    const char *file;
    size_t size;
    const struct gptl_salvage_header *header;
    uint32_t nslots; /* number of counters per node */
    uint32_t first_amount;
    bool has_amounts;
};

/*
 * Map the file so that no access goes past its end. Return NULL, or a description of the problem.
 */
const char *gptl_salvage_map(const char *path, struct gptl_salvage_image *image);

/* Return the SIZE bytes that were at ADDRESS, or NULL. */
const void *gptl_salvage_bytes_at(const struct gptl_salvage_image *image, uint64_t address,
                                  uint64_t size);
/* Return a structure that was at ADDRESS; NULL also for an unaligned address, which is invalid. */
const void *gptl_salvage_at(const struct gptl_salvage_image *image, uint64_t address,
                            uint64_t size);
const void *gptl_salvage_at_pointer(const struct gptl_salvage_image *image, const void *pointer,
                                    uint64_t size);
/* Return the name of a region, its number and its kind; NULL if it is invalid. */
const char *gptl_salvage_name_at(const struct gptl_salvage_image *image,
                                 const struct gptl_region *address, uint32_t *id, uint32_t *kind);
/* Return a name by the address of its first character. */
const char *gptl_salvage_text_at(const struct gptl_salvage_image *image, const char *address);

/* Return the thread in slot I, or NULL. */
const struct gptl_thread *gptl_salvage_thread_at(const struct gptl_salvage_image *image,
                                                 uint64_t i);
/*
 * Copy the threads' trees, and return in NOW the tick of the latest known event. Return 0, or -1
 * without memory.
 */
int gptl_salvage_copy_threads(const struct gptl_salvage_image *image, struct gptl_copy **copies,
                              int *ncopies, uint64_t *now);

#endif
