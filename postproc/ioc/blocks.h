/* blocks.h - the blocks of a section, including blocks between damaged ones. */
#ifndef GPTL_POSTPROC_IOC_BLOCKS_H
#define GPTL_POSTPROC_IOC_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "postproc/ioc/log.h"
#include "postproc/ioc/window.h"

struct blocks {
    struct log *log;
    struct log_section *section;
    struct window *window;
    uint64_t next;   /* start of the next block */
    uint64_t search; /* remaining bytes that a search may examine */
    uint32_t seen;
    /* The current block. */
    uint32_t type, crc;
    uint64_t at, size; /* content */
};

void blocks_begin(struct blocks *blocks, struct log *log, struct log_section *section,
                  struct window *window);
/* Advance to the next block without reading its content. Returns false at the end. */
bool blocks_next(struct blocks *blocks);
/* Return whether the content matches its checksum. A mismatch is recorded as damage. */
bool blocks_check(struct blocks *blocks);
/* Return the content of a block other than a chunk of records, or NULL. */
const unsigned char *blocks_content(struct blocks *blocks);

#endif
