/*
 * memory.h - arrays that grow. Without memory the program ends, after a message: nothing of what the
 * tools print could be right then.
 */
#ifndef GPTL_POSTPROC_IOC_MEMORY_H
#define GPTL_POSTPROC_IOC_MEMORY_H

#include <stddef.h>

/* ARRAY with room for at least NEEDED items of SIZE bytes, and *ROOM how many it has now. */
void *memory_room(void *array, size_t *room, size_t needed, size_t size);

/* N items of SIZE bytes, all 0. */
void *memory_zeros(size_t n, size_t size);

char *memory_text(const char *text);

/* There is none: ends the program. */
_Noreturn void memory_end(void);

#endif
