/*
 * function.h - regions that compilers' hooks name by the address of a function.
 *
 * An address means something only as long as its module is loaded, so a function is kept as its
 * module and the offset there. Its region's name is MODULE+0xOFFSET; reports find better ones.
 */
#ifndef GPTL_CORE_FUNCTION_H
#define GPTL_CORE_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/measured.h"
#include "core/names.h"

/* A module, for as long as the process lives, also when it is unloaded. In kept memory. */
struct gptl_kept_module {
    struct gptl_kept_module *next;
    uint32_t index;      /* from 0, in the order of next */
    uint32_t label_size; /* with their NULs */
    uint32_t path_size;
    uint32_t build_id_size;
    char text[]; /* label, path, build id: each with a NUL */
};

/* A function that was called. In kept memory, so that salvage finds it. */
struct gptl_kept_function {
    struct gptl_kept_function *next;
    struct gptl_region *region;
    struct gptl_kept_module *module;
    uint64_t offset;
    bool left_out;
};

/* What an event of the function at ADDRESS needs to know. */
struct gptl_function_found {
    struct gptl_name name;
    bool left_out; /* by a filter */
    bool stays;    /* as long as ADDRESS means another, gptl_core_forget_functions will be called */
};

/* Finds it, or makes it known. With the thread busy, without the lock. */
void gptl_function_find(const void *address, struct gptl_function_found *out);

/* The first ones, for salvage. With the lock held. */
struct gptl_kept_module *gptl_function_modules(void);
struct gptl_kept_function *gptl_function_first(void);

/* False when there is no memory; what was copied is to be freed also then. */
bool gptl_function_copy_module(const struct gptl_kept_module *module, struct gptl_module *out);

#endif
