/* memory.c - growing arrays. */
#include "config.h"

#include "postproc/ioc/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/commands.h"

void memory_end(void)
{
    fputs("gptl: there is not enough memory for these logs; choose less of them, see --help\n",
          stderr);
    exit(GPTL_EXIT_USAGE);
}

static void *have(void *memory)
{
    if (!memory)
        memory_end();
    return memory;
}

void *memory_room(void *array, size_t *room, size_t needed, size_t size)
{
    if (needed <= *room)
        return array;
    size_t larger = *room + *room / 2 + 8;
    if (larger < needed)
        larger = needed;
    array = have(reallocarray(array, larger, size));
    *room = larger;
    return array;
}

void *memory_zeros(size_t n, size_t size)
{
    return have(calloc(n ? n : 1, size));
}

char *memory_text(const char *text)
{
    return have(strdup(text));
}
