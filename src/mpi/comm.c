/*
 * comm.c - the communication within an MPI-IO call, as spans of the layer comm: a part of
 * libgptl_iostack, which `gptl run --iostack` preloads.
 *
 * ROMIO, in MPICH and in Open MPI, calls MPI functions by their PMPI names, which the dynamic
 * linker resolves like others. Therefore they can be interposed, and calls made while a span of
 * MPI-IO is innermost are communication of that MPI-IO call. Open MPI's own OMPIO bypasses all
 * names, so its communication is invisible.
 *
 * The same wrappers serve all families of MPI: a handle is an integer in one and an address in
 * another, but each argument occupies a full register or eight bytes of stack, on x86-64 and on
 * Arm. Therefore all arguments are passed on unexamined.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gptl_probe.h"

#include "mpi/find.h"

#pragma weak GPTLprobe_begin_below
#pragma weak GPTLprobe_end

typedef void function(void);
typedef uintptr_t word;

/* ---- Next definitions ------------------------------------------------------------------------ */

static int missing(void)
{
    return -1;
}

static __attribute__((cold)) function *find(_Atomic(function *) *place, const char *name)
{
    int error = errno;
    function *found = (function *)gptl_mpi_find(RTLD_NEXT, name);
    errno = error;
    if (!found) /* it may be loaded later */
        return (function *)missing;
    atomic_store_explicit(place, found, memory_order_relaxed);
    return found;
}

/* ---- Wrappers -------------------------------------------------------------------------------- */

/* Begin a span if this call serves an MPI-IO operation. Return whether it does. */
static inline bool begin(int operation)
{
    return GPTLprobe_begin_below &&
           GPTLprobe_begin_below(GPTL_LAYER_MPI, GPTL_LAYER_ADIO, GPTL_LAYER_COMM, operation);
}

#define COMM(name, operation, parameters, arguments)                                               \
    __attribute__((visibility("default"))) int PMPI_##name parameters;                             \
    int PMPI_##name parameters                                                                     \
    {                                                                                              \
        static _Atomic(function *) next;                                                           \
        function *found = atomic_load_explicit(&next, memory_order_relaxed);                       \
        if (__builtin_expect(!found, 0))                                                           \
            found = find(&next, "PMPI_" #name);                                                    \
        if (!begin(GPTL_OP_##operation))                                                           \
            return ((int(*) parameters)found)arguments;                                            \
        int result = ((int(*) parameters)found)arguments;                                          \
        GPTLprobe_end(GPTL_LAYER_COMM);                                                            \
        return result;                                                                             \
    }

#define COMM_1(name, operation) COMM(name, operation, (word a), (a))
#define COMM_2(name, operation) COMM(name, operation, (word a, word b), (a, b))
#define COMM_3(name, operation) COMM(name, operation, (word a, word b, word c), (a, b, c))
#define COMM_4(name, operation)                                                                    \
    COMM(name, operation, (word a, word b, word c, word d), (a, b, c, d))
#define COMM_5(name, operation)                                                                    \
    COMM(name, operation, (word a, word b, word c, word d, word e), (a, b, c, d, e))
#define COMM_6(name, operation)                                                                    \
    COMM(name, operation, (word a, word b, word c, word d, word e, word f), (a, b, c, d, e, f))
#define COMM_7(name, operation)                                                                    \
    COMM(name, operation, (word a, word b, word c, word d, word e, word f, word g),                \
         (a, b, c, d, e, f, g))
#define COMM_8(name, operation)                                                                    \
    COMM(name, operation, (word a, word b, word c, word d, word e, word f, word g, word h),        \
         (a, b, c, d, e, f, g, h))
#define COMM_9(name, operation)                                                                    \
    COMM(name, operation,                                                                          \
         (word a, word b, word c, word d, word e, word f, word g, word h, word i),                 \
         (a, b, c, d, e, f, g, h, i))
#define COMM_12(name, operation)                                                                   \
    COMM(name, operation,                                                                          \
         (word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, word k,  \
          word l),                                                                                 \
         (a, b, c, d, e, f, g, h, i, j, k, l))

COMM_6(Send, SEND)
COMM_6(Rsend, SEND)
COMM_6(Ssend, SEND)
COMM_7(Isend, SEND)
COMM_7(Irsend, SEND)
COMM_7(Issend, SEND)
COMM_7(Recv, RECEIVE)
COMM_7(Irecv, RECEIVE)
COMM_4(Probe, RECEIVE)
COMM_12(Sendrecv, OTHER)
COMM_2(Wait, OTHER)
COMM_3(Waitall, OTHER)
COMM_4(Waitany, OTHER)
COMM_5(Waitsome, OTHER)
COMM_3(Test, OTHER)
COMM_4(Testall, OTHER)
COMM_1(Barrier, COLLECTIVE)
COMM_5(Bcast, COLLECTIVE)
COMM_8(Gather, COLLECTIVE)
COMM_9(Gatherv, COLLECTIVE)
COMM_8(Scatter, COLLECTIVE)
COMM_9(Scatterv, COLLECTIVE)
COMM_7(Allgather, COLLECTIVE)
COMM_8(Allgatherv, COLLECTIVE)
COMM_7(Alltoall, COLLECTIVE)
COMM_9(Alltoallv, COLLECTIVE)
COMM_9(Alltoallw, COLLECTIVE)
COMM_7(Reduce, COLLECTIVE)
COMM_6(Allreduce, COLLECTIVE)
COMM_6(Reduce_scatter, COLLECTIVE)
COMM_6(Scan, COLLECTIVE)
COMM_6(Exscan, COLLECTIVE)
COMM_6(Ibcast, COLLECTIVE)
COMM_8(Iallgather, COLLECTIVE)
COMM_7(Iallreduce, COLLECTIVE)
COMM_8(Ialltoall, COLLECTIVE)
COMM_2(Comm_dup, COLLECTIVE)
COMM_4(Comm_split, COLLECTIVE)
