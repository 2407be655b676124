/* salvage_image.h - the file that the recorder of a killed process left, as memory. */
#ifndef GPTL_POSTPROC_IOC_SALVAGE_IMAGE_H
#define GPTL_POSTPROC_IOC_SALVAGE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "ioc/ring.h"
#include "ioc/salvage.h"
#include "ioc/text.h"

struct image {
    char *pages; /* SIZE bytes; what the file does not have is 0 */
    uint64_t size, there;
    const struct gptl_ioc_salvage *head;
    struct gptl_ioc_ring ring; /* changes of its slots stay in memory */
    const struct gptl_ioc_open *base;
};

/* Returns NULL, or what is wrong. */
const char *image_open(struct image *image, int fd);
void image_close(struct image *image);

/* Puts the blocks of a section into TEXT. USED: a bit for each number of a call that is named. */
void image_put_blocks(const struct image *image, struct gptl_ioc_text *text,
                      const unsigned char *used);

#endif
