/* salvage_image.h - the memory file of a killed process's recorder. */
#ifndef GPTL_POSTPROC_IOC_SALVAGE_IMAGE_H
#define GPTL_POSTPROC_IOC_SALVAGE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "ioc/ring.h"
#include "ioc/salvage.h"
#include "ioc/text.h"

struct image {
    char *pages; /* SIZE bytes; holes are 0 */
    uint64_t size, there;
    const struct gptl_ioc_salvage *head;
    struct gptl_ioc_ring ring; /* changes of its slots affect only memory */
    const struct gptl_ioc_open *base;
};

/* Load the file. Returns NULL, or the reason of failure. */
const char *image_open(struct image *image, int fd);
void image_close(struct image *image);

/* Write the blocks of a section into TEXT. USED has a bit for each number of a named call. */
void image_put_blocks(const struct image *image, struct gptl_ioc_text *text,
                      const unsigned char *used);

#endif
