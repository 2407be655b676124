/* crc.h - the checksum of the log of I/O calls: CRC-32 as zlib has it. */
#ifndef GPTL_POSTPROC_CRC_H
#define GPTL_POSTPROC_CRC_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of what was before, 0 at first, and of SIZE bytes more. */
uint32_t crc_of(uint32_t before, const void *bytes, size_t size);

#endif
