/*
 * room.h - how much memory the files of a run may take, where they lie in memory: at most 5 % of what the
 * control group and the machine have left. It needs nothing else of the core.
 */
#ifndef GPTL_CORE_ROOM_H
#define GPTL_CORE_ROOM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { GPTL_ROOM_PARTS = 20, GPTL_ROOM_LEAST = 4 << 20, GPTL_ROOM_NAME = 192 };

/* Why a program that a process of the run started was not measured. */
enum gptl_room_reason {
    GPTL_ROOM_OTHER_ABI,
    GPTL_ROOM_OTHER_ROOT,
    GPTL_ROOM_OTHER_USER,
    GPTL_ROOM_CONTAINER, /* it starts a container, in which programs are not measured */
    GPTL_ROOM_NREASONS
};

/* A file in the directory of a run, which its processes map. */
struct gptl_room_file {
    atomic_uint_least64_t left; /* bytes; UINT64_MAX where nothing is counted */
    atomic_uint unmeasured[GPTL_ROOM_NREASONS];
    char first[GPTL_ROOM_NREASONS][GPTL_ROOM_NAME]; /* the first such program */
    char root_starter[64]; /* the program that started the first one in another root directory */
};

/* Bytes of memory that this process may still use, of its control group and of the machine. */
uint64_t gptl_room_memory(void);

/* Whether files in DIRECTORY take memory. */
bool gptl_room_is_memory(const char *directory);

/* The file of DIRECTORY, mapped shared; NULL: there is none. */
struct gptl_room_file *gptl_room_map(const char *directory);
/* The program NAME, which this process starts, is not measured. */
void gptl_room_count(struct gptl_room_file *room, enum gptl_room_reason reason, const char *name);

/* Makes the file that counts what DIRECTORY has left. False, with errno, where there is no room for it. */
bool gptl_room_make(const char *directory);

/* Bytes that are left. */
uint64_t gptl_room_left(const char *directory);
bool gptl_room_take(const char *directory, uint64_t size);

#endif
