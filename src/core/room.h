/*
 * room.h - how much memory the files of a run may take, where they lie in memory: at most 5 % of what the
 * control group and the machine have left. It needs nothing else of the core.
 */
#ifndef GPTL_CORE_ROOM_H
#define GPTL_CORE_ROOM_H

#include <stdbool.h>
#include <stdint.h>

enum { GPTL_ROOM_PARTS = 20, GPTL_ROOM_LEAST = 4 << 20 };

/* Bytes of memory that this process may still use, of its control group and of the machine. */
uint64_t gptl_room_memory(void);

/* Makes the file that counts what DIRECTORY has left. False, with errno, where there is no room for it. */
bool gptl_room_make(const char *directory);

/* Bytes that are left; UINT64_MAX where nothing is counted. */
uint64_t gptl_room_left(const char *directory);
bool gptl_room_take(const char *directory, uint64_t size);

#endif
