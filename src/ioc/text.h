/*
 * text.h - growing memory in which the blocks of a section are built, because the section's size
 * must be known before it is written. Used by the recorder, and by the tool that writes the section
 * of a killed process.
 */
#ifndef GPTL_IOC_TEXT_H
#define GPTL_IOC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ioc/format.h"

struct gptl_ioc_text {
    char *bytes;
    size_t used, size;
    size_t block; /* start of the block in progress */
    uint32_t nblocks;
    bool failed; /* out of memory */
};

void gptl_ioc_text_put(struct gptl_ioc_text *t, const void *bytes, size_t size);
/* Append zeros up to a multiple of TO, at most GPTL_IOC_ALIGN. */
void gptl_ioc_text_pad(struct gptl_ioc_text *t, size_t to);
void gptl_ioc_text_begin(struct gptl_ioc_text *t, enum gptl_ioc_block_type type);
void gptl_ioc_text_end(struct gptl_ioc_text *t);
void gptl_ioc_text_name(struct gptl_ioc_text *t, uint32_t number, uint32_t parent,
                        const char *name);
/* Append KEY=VALUE with a NUL. */
void gptl_ioc_text_pair(struct gptl_ioc_text *t, const char *key, const char *value, size_t size);
void gptl_ioc_text_free(struct gptl_ioc_text *t);

/* Return the CRC of a block, over its head, with 0 in crc, and its content. */
uint32_t gptl_ioc_block_crc(const struct gptl_ioc_block *head, const void *content);

#endif
