/*
 * regions.h - interface between the observer of the library's starts and stops and the storage of
 * paths.
 */
#ifndef GPTL_MEMSIG_REGIONS_H
#define GPTL_MEMSIG_REGIONS_H

#include "memsig.h"

enum { MEMSIG_LONGEST_NAME = 65536 };

struct name;
struct name *memsig_name(const HChar *text, UInt length);
/* Return the name of the function at this address. */
struct name *memsig_function_name(Addr address);

/* Start a region in the running thread. Function names take no prefix. */
void memsig_start(struct name *name, Bool takes_prefix);
/* Record a start that opens no region. Its stop is handled like any other. */
void memsig_swallow(const struct name *name);
void memsig_stop(const struct name *name);
/* Add calls to a region that was not started. */
void memsig_add_calls(struct name *name, ULong calls);
/* Set the thread's prefix; NULL: none. */
void memsig_set_prefix(const struct name *prefix);

/* The thread's open MPI call and the stack pointer after its return; name NULL: no open call. */
struct wrapper {
    struct name *name;
    Addr stack_pointer;
    Bool is_region; /* false: the wrapper has not made a call yet */
};
struct wrapper *memsig_wrapper(void);

#endif
