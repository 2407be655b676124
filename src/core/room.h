/*
 * room.h - limit of the memory for files of a run that are in memory: at most 5 % of the free
 * memory of the control group and the machine. Independent of the rest of the core.
 */
#ifndef GPTL_CORE_ROOM_H
#define GPTL_CORE_ROOM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { GPTL_ROOM_PARTS = 20, GPTL_ROOM_LEAST = 4 << 20, GPTL_ROOM_NAME = 192 };

/* Reasons why a program started by a process of the run was not measured. */
enum gptl_room_reason {
    GPTL_ROOM_OTHER_ABI,
    GPTL_ROOM_OTHER_ROOT,
    GPTL_ROOM_OTHER_USER,
    GPTL_ROOM_CONTAINER, /* it starts a container, in which programs are not measured */
    GPTL_ROOM_NREASONS
};

/* A file in the directory of a run, which its processes map. */
struct gptl_room_file {
    atomic_uint_least64_t left; /* bytes left; UINT64_MAX where no limit applies */
    atomic_uint unmeasured[GPTL_ROOM_NREASONS];
    char first[GPTL_ROOM_NREASONS][GPTL_ROOM_NAME]; /* name of the first such program */
    char root_starter[64]; /* program that started the first one in another root directory */
};

/*
 * Return the bytes of memory that this process may still use, limited by its control group and the
 * machine.
 */
uint64_t gptl_room_memory(void);

/* Return whether files in DIRECTORY use memory. */
bool gptl_room_is_memory(const char *directory);

/* Map the file of DIRECTORY shared; return NULL if it does not exist. */
struct gptl_room_file *gptl_room_map(const char *directory);
/* Count the program NAME, started by this process, as unmeasured. */
void gptl_room_count(struct gptl_room_file *room, enum gptl_room_reason reason, const char *name);

/*
 * Create the file that counts the bytes left in DIRECTORY. Return false, with errno, without room
 * for it.
 */
bool gptl_room_make(const char *directory);

/* Return the bytes left; reserve SIZE of them. */
uint64_t gptl_room_left(const char *directory);
bool gptl_room_take(const char *directory, uint64_t size);

#endif
