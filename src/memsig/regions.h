/* regions.h - between what sees the library's starts and stops, and what keeps paths. */
#ifndef GPTL_MEMSIG_REGIONS_H
#define GPTL_MEMSIG_REGIONS_H

#include "memsig.h"

enum { MEMSIG_LONGEST_NAME = 65536 };

struct name;
struct name *memsig_name(const HChar *text, UInt length);
/* That of a function, by its address. */
struct name *memsig_function_name(Addr address);

/* Of the thread that runs. Names of functions get no prefix. */
void memsig_start(struct name *name, Bool takes_prefix);
/* A start that is to lead nowhere. Its stop is as any other. */
void memsig_swallow(const struct name *name);
void memsig_stop(const struct name *name);
/* Calls that a region had without a start. */
void memsig_add_calls(struct name *name, ULong calls);
/* NULL: none. */
void memsig_set_prefix(const struct name *prefix);

/* The call of MPI that the thread is in, and where it will return; name NULL: it is in none. */
struct wrapper {
    struct name *name;
    Addr stack_pointer;
    Bool is_region; /* else its wrapper has not called anything yet */
};
struct wrapper *memsig_wrapper(void);

#endif
