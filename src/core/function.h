/*
 * function.h - regions that compilers' hooks identify by the address of a function.
 *
 * An address has a meaning only while its module is loaded, so a function is stored as its module
 * and the offset there. The name of its region is MODULE+0xOFFSET; reports find better ones.
 */
#ifndef GPTL_CORE_FUNCTION_H
#define GPTL_CORE_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/measured.h"
#include "core/names.h"

/*
 * A module, stored in kept memory as long as the process lives, even after the module is unloaded.
 */
struct gptl_kept_module {
    struct gptl_kept_module *next;
    uint32_t index;      /* position in the list, from 0 */
    uint32_t label_size; /* bytes of the label; all three sizes include NUL */
    uint32_t path_size;
    uint32_t build_id_size;
    char text[]; /* label, path and build id, each with NUL */
};

/* A function that was called, in kept memory, so that salvage finds it. */
struct gptl_kept_function {
    struct gptl_kept_function *next;
    struct gptl_region *region;
    struct gptl_kept_module *module;
    uint64_t offset;
    bool left_out;
};

/* Properties of the function at an address for an event. */
struct gptl_function_found {
    struct gptl_name name;
    bool left_out; /* excluded by a filter */
    /* gptl_core_forget_functions will be called before ADDRESS has another meaning */
    bool stays;
};

/* Find the function at ADDRESS, or register it. Requires a busy thread, without the lock. */
void gptl_function_find(const void *address, struct gptl_function_found *out);

/* Return the first module and the first function, for salvage. Requires the lock. */
struct gptl_kept_module *gptl_function_modules(void);
struct gptl_kept_function *gptl_function_first(void);

/* Copy a module. Return false without memory; the caller frees the partial copy even then. */
bool gptl_function_copy_module(const struct gptl_kept_module *module, struct gptl_module *out);

#endif
