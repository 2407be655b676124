/*
 * An allocator that reads its settings during its initialization, like jemalloc: an allocation
 * request at that time would hang. Preloaded.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char memory[1 << 24] __attribute__((aligned(16)));
static size_t used;
static int is_setting_up, is_ready;

static void set_up(void)
{
    static const char complaint[] = "asked for memory while it sets itself up\n";
    char settings[64];
    if (is_setting_up) {
        if (write(2, complaint, sizeof complaint - 1) < 0)
            _exit(4);
        _exit(3);
    }
    is_setting_up = 1;
    if (readlink("settings", settings, sizeof settings) < 0)
        _exit(5);
    is_setting_up = 0;
    is_ready = 1;
}

void *malloc(size_t size)
{
    if (!is_ready)
        set_up();
    size_t *block = (size_t *)(memory + used);
    used += (size + 31) & ~(size_t)15;
    if (used > sizeof memory)
        return NULL;
    *block = size;
    return block + 2;
}

void free(void *block)
{
    (void)block;
}

void *calloc(size_t n, size_t size)
{
    return malloc(n * size); /* nothing is allocated twice */
}

void *realloc(void *block, size_t size)
{
    void *other = malloc(size);
    if (block && other) {
        size_t before = ((size_t *)block)[-2];
        memcpy(other, block, before < size ? before : size);
    }
    return other;
}

/* The constructor of some library makes the first allocation. */
__attribute__((constructor)) static void begin(void)
{
    void *volatile block = malloc(1);
    free(block);
}
