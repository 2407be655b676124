/*
 * entries.c - handles calls of library functions that start or stop regions or change how regions
 * are recorded, and returns of the library's MPI wrappers. The library is unmodified: the registers
 * hold the arguments at the first instruction.
 */
#include "regions.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_hashtable.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"

enum { PAGE = 4096, RETURN_BYTES = 8 };
#define NUL_ENDED (~(HWord)0) /* in place of a length */

struct arguments memsig_arguments;
static VgHashTable *callers;
static Bool disabled; /* GPTLdisable is in effect: starts open no regions */

/* Return the readable length of TEXT, up to a NUL and up to MOST bytes. */
static UInt readable_length(Addr text, ULong most)
{
    UInt n = 0;
    if (most > MEMSIG_LONGEST_NAME)
        most = MEMSIG_LONGEST_NAME;
    for (; n < most; n++) {
        if ((n == 0 || (text + n) % PAGE == 0) &&
            !VG_(am_is_valid_for_client)(text + n, 1, VKI_PROT_READ))
            break;
        if (((const HChar *)text)[n] == '\0')
            break;
    }
    return n;
}

/* Return the name passed by the program; Fortran pads names with blanks. */
static struct name *given_name(HWord name, HWord length)
{
    Bool fortran = length != NUL_ENDED;
    UInt n = readable_length(name, fortran ? (length & 0x7fffffff) : length);
    while (fortran && n > 0 && ((const HChar *)name)[n - 1] == ' ')
        n--;
    return n > 0 ? memsig_name((const HChar *)name, n) : memsig_name("(empty)", 7);
}

/* Return address of a library call. */
struct caller {
    VgHashNode node;
    Bool measures_itself;
};

/*
 * Return whether the caller is the library's overhead calibration, whose starts and stops are not
 * part of the program. In a static library its function has a name; a shared library may be
 * stripped.
 */
static Bool measures_itself(Addr caller)
{
    DiEpoch epoch = VG_(current_DiEpoch)();
    const HChar *found;
    if (VG_(get_objname)(epoch, caller, &found) &&
        VG_(strncmp)(VG_(basename)(found), "libgptl.so", 10) == 0)
        return True;
    return VG_(get_fnname)(epoch, caller, &found) && VG_(strcmp)(found, "gptl_core_overhead") == 0;
}

static Bool is_own_call(Addr stack_pointer)
{
    Addr to = *(const Addr *)stack_pointer;
    if (!callers)
        callers = VG_(HT_construct)("memsig.callers");
    struct caller *found = VG_(HT_lookup)(callers, to);
    if (!found) {
        found = VG_(calloc)("memsig.caller", 1, sizeof *found);
        found->node.key = to;
        found->measures_itself = measures_itself(to);
        VG_(HT_add_node)(callers, found);
    }
    return found->measures_itself;
}

static void start(struct name *name, Bool is_function)
{
    if (disabled)
        memsig_swallow(name);
    else
        memsig_start(name, !is_function);
}

static void start_named(HWord length)
{
    if (!is_own_call(memsig_arguments.stack_pointer))
        start(given_name(memsig_arguments.first, length), False);
}

static void stop_named(HWord length)
{
    if (!is_own_call(memsig_arguments.stack_pointer))
        memsig_stop(given_name(memsig_arguments.first, length));
}

static void start_c(void)
{
    start_named(NUL_ENDED);
}

static void start_fortran(void)
{
    start_named(memsig_arguments.second);
}

static void stop_c(void)
{
    stop_named(NUL_ENDED);
}

static void stop_fortran(void)
{
    stop_named(memsig_arguments.second);
}

static void enter_function(void)
{
    start(memsig_function_name(memsig_arguments.first), True);
}

static void leave_function(void)
{
    memsig_stop(memsig_function_name(memsig_arguments.first));
}

static void add_calls(HWord length, Int calls)
{
    if (!disabled && calls > 0)
        memsig_add_calls(given_name(memsig_arguments.first, length), (ULong)calls);
}

static void add_call_c(void)
{
    add_calls(NUL_ENDED, 1);
}

static void add_calls_c(void)
{
    add_calls(NUL_ENDED, (Int)memsig_arguments.second);
}

static void add_calls_fortran(void)
{
    add_calls(memsig_arguments.second, (Int)memsig_arguments.third);
}

static void set_prefix_c(void)
{
    memsig_set_prefix(given_name(memsig_arguments.first, NUL_ENDED));
}

static void set_prefix_fortran(void)
{
    memsig_set_prefix(given_name(memsig_arguments.first, memsig_arguments.second));
}

static void unset_prefix(void)
{
    memsig_set_prefix(NULL);
}

static void disable(void)
{
    disabled = True;
}

static void enable(void)
{
    disabled = False;
}

/* Reset the counts, as in the report. */
static void reset(void)
{
    memsig_clear();
    memsig_clear_bursts();
}

const struct entry *memsig_entry_of(const HChar *function)
{
    static const struct entry entries[] = {
        {"GPTLstart", start_c},
        {"GPTLstart_handle", start_c},
        {"GPTLstartf", start_fortran},
        {"GPTLstartf_handle", start_fortran},
        {"GPTLstop", stop_c},
        {"GPTLstop_handle", stop_c},
        {"GPTLstopf", stop_fortran},
        {"GPTLstopf_handle", stop_fortran},
        {"GPTLstartstop_val", add_call_c},
        {"GPTLstartstop_vals", add_calls_c},
        {"GPTLstartstop_valsf", add_calls_fortran},
        {"GPTLprefix_set", set_prefix_c},
        {"GPTLprefix_setf", set_prefix_fortran},
        {"GPTLprefix_unset", unset_prefix},
        {"GPTLdisable", disable},
        {"GPTLenable", enable},
        {"GPTLreset", reset},
        {"__cyg_profile_func_enter", enter_function},
        {"__cyg_profile_func_exit", leave_function},
    };
    for (UInt i = 0; i < sizeof entries / sizeof *entries; i++)
        if (VG_(strcmp)(function, entries[i].name) == 0)
            return &entries[i];
    return NULL;
}

/* ---- MPI ------------------------------------------------------------------------------------ */

static void end_wrapper(struct wrapper *open)
{
    if (open->is_region)
        memsig_stop(open->name);
    *open = (struct wrapper){.name = NULL};
}

/*
 * Enter a wrapper. Nested calls made by MPI itself are not regions. A call left by longjmp has
 * ended when another call starts at a higher or equal stack pointer. A wrapper that does not record
 * its call (local queries without the option mpi) jumps to MPI with an unchanged stack pointer.
 */
void memsig_enter_wrapper(HWord name, HWord stack_pointer)
{
    struct wrapper *open = memsig_wrapper();
    if (open->is_region && stack_pointer >= open->stack_pointer)
        end_wrapper(open);
    if (!disabled && !open->is_region)
        *open = (struct wrapper){(struct name *)name, stack_pointer, False};
}

void memsig_wrapper_calls(void)
{
    struct wrapper *open = memsig_wrapper();
    if (!open->name || open->is_region)
        return;
    open->is_region = True;
    memsig_start(open->name, False);
}

void memsig_wrapper_jumps(HWord stack_pointer)
{
    struct wrapper *open = memsig_wrapper();
    if (!open->is_region && stack_pointer == open->stack_pointer)
        open->name = NULL;
}

void memsig_leave_wrapper(HWord stack_pointer)
{
    struct wrapper *open = memsig_wrapper();
    if (open->name && stack_pointer == open->stack_pointer + RETURN_BYTES)
        end_wrapper(open);
}
