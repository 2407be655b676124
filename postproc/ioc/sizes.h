/* sizes.h - number of reads and writes by size. All 0 is empty. */
#ifndef GPTL_POSTPROC_IOC_SIZES_H
#define GPTL_POSTPROC_IOC_SIZES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "postproc/ioc/map.h"
#include "postproc/ioc/walk.h"

enum size_kind { SIZE_READ, SIZE_WRITE, SIZE_STDIO_READ, SIZE_STDIO_WRITE, NSIZE_KINDS };

struct size {
    uint64_t size;
    uint64_t calls[NSIZE_KINDS];
};

struct sizes {
    struct size *sizes;
    size_t n, room;
    struct map by_size; /* maps sizes to indices, from 1 */
    uint64_t failed;
    bool is_rounded;
};

void sizes_add(struct sizes *sizes, const struct call *call);
uint64_t size_calls(const struct size *size);
void sizes_free(struct sizes *sizes);

#endif
