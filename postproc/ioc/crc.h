/* crc.h - the checksum of the log of I/O calls: CRC-32 as in zlib. */
#ifndef GPTL_POSTPROC_CRC_H
#define GPTL_POSTPROC_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Continue the CRC BEFORE, initially 0, with SIZE bytes. */
uint32_t crc_of(uint32_t before, const void *bytes, size_t size);

#endif
