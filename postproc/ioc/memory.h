/*
 * memory.h - growing arrays. If memory is exhausted, the program ends with a message, because all
 * output of the tools would be incomplete.
 */
#ifndef GPTL_POSTPROC_IOC_MEMORY_H
#define GPTL_POSTPROC_IOC_MEMORY_H

#include <stddef.h>

/* Return ARRAY with space for at least NEEDED items of SIZE bytes, and its capacity in *ROOM. */
void *memory_room(void *array, size_t *room, size_t needed, size_t size);

/* Return N zeroed items of SIZE bytes. */
void *memory_zeros(size_t n, size_t size);

char *memory_text(const char *text);

/* Report that memory is exhausted and exit. */
_Noreturn void memory_end(void);

#endif
