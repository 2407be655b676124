/* salvage_file.h - the file that the recorder's memory is in; see kept.h. */
#ifndef GPTL_IOC_SALVAGE_FILE_H
#define GPTL_IOC_SALVAGE_FILE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Makes the file and maps it in place of the memory: its head, TEXT_SIZE bytes of texts and USED bytes of the
 * base, which has room for BASE. False: errno says why there is none.
 */
bool gptl_ioc_salvage_make(uint64_t text_size, uint64_t used, uint64_t base);
/* Makes sure that SIZE bytes from AT on can be stored to; false: there is no room. */
bool gptl_ioc_salvage_claim(uint64_t at, uint64_t size);
/* Whether the file was there. */
bool gptl_ioc_salvage_remove(void);

#endif
