/* salvage_image.h - between the files that read salvage files. */
#ifndef GPTL_CORE_SALVAGE_IMAGE_H
#define GPTL_CORE_SALVAGE_IMAGE_H

#include "core/measured.h"
#include "core/salvage.h"
#include "core/thread.h"

struct gptl_salvage_image {
    const char *file;
    size_t size;
    const struct gptl_salvage_header *header;
    uint32_t nslots; /* of its counters */
    uint32_t first_amount;
    bool has_amounts;
};

/* Maps the file with nothing beyond its end in reach. Returns NULL, or what is wrong with it. */
const char *gptl_salvage_map(const char *path, struct gptl_salvage_image *image);

/* SIZE bytes that lay at ADDRESS, or NULL. */
const void *gptl_salvage_bytes_at(const struct gptl_salvage_image *image, uint64_t address,
                                  uint64_t size);
/* The same for a structure, which is not where it seems when it is not aligned. */
const void *gptl_salvage_at(const struct gptl_salvage_image *image, uint64_t address,
                            uint64_t size);
const void *gptl_salvage_at_pointer(const struct gptl_salvage_image *image, const void *pointer,
                                    uint64_t size);
/* The name of a region, and its number; NULL where there is none. */
const char *gptl_salvage_name_at(const struct gptl_salvage_image *image,
                                 const struct gptl_region *address, uint32_t *id, uint32_t *kind);
/* A name by the address of its first character. */
const char *gptl_salvage_text_at(const struct gptl_salvage_image *image, const char *address);

/* The thread in slot I, or NULL. */
const struct gptl_thread *gptl_salvage_thread_at(const struct gptl_salvage_image *image,
                                                 uint64_t i);
/* The threads' trees, and in NOW when the last of them did something. Returns 0, or -1 without memory. */
int gptl_salvage_copy_threads(const struct gptl_salvage_image *image, struct gptl_copy **copies,
                              int *ncopies, uint64_t *now);

#endif
