/* blocks.h - the blocks of a section, those between damaged ones too. */
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
    uint64_t next;   /* where the next one begins */
    uint64_t search; /* bytes that may still be gone through in search of one */
    uint32_t seen;
    /* The one that is there now. */
    uint32_t type, crc;
    uint64_t at, size; /* of the content */
};

void blocks_begin(struct blocks *blocks, struct log *log, struct log_section *section,
                  struct window *window);
/* Goes on to the next block; false: there is none. Its content is not looked at. */
bool blocks_next(struct blocks *blocks);
/* Whether its content is as it was written. If not, it is kept in mind as damage. */
bool blocks_check(struct blocks *blocks);
/* The content of a block that is not for records, or NULL. */
const unsigned char *blocks_content(struct blocks *blocks);

#endif
