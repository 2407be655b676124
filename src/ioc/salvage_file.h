/* salvage_file.h - the file with the recorder's memory; see kept.h. */
#ifndef GPTL_IOC_SALVAGE_FILE_H
#define GPTL_IOC_SALVAGE_FILE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Create the file and map it in place of the memory: its head, TEXT_SIZE bytes of texts and USED
 * bytes of the base, which has space for BASE bytes. Return false and set errno on failure.
 */
bool gptl_ioc_salvage_make(uint64_t text_size, uint64_t used, uint64_t base);
/* Make SIZE bytes from AT on writable. Return false if the disk is full. */
bool gptl_ioc_salvage_claim(uint64_t at, uint64_t size);
/* Remove the file. Return true if it existed. */
bool gptl_ioc_salvage_remove(void);

#endif
