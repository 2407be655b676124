/*
 * comm.c - the communication within a call of MPI-IO, as spans of the layer comm: a part of libgptl_iostack,
 * which `gptl run --iostack` preloads.
 *
 * ROMIO, in MPICH and in Open MPI, calls MPI's functions by their PMPI names, which the dynamic linker
 * looks up as it does others. So they can be stood in front of, and what is called while a span of MPI-IO
 * is innermost is that call's communication. Open MPI's own OMPIO has ways past all names: of it nothing is
 * seen.
 *
 * The same wrappers are for all families of MPI: a handle is an integer in one and an address in another,
 * but each argument has a register or eight bytes of the stack for itself, on x86-64 and on Arm alike. So
 * all of it is passed on, whatever it is.
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

/* ---- The functions that come after ours ------------------------------------------------------ */

static int missing(void)
{
    return -1;
}

static __attribute__((cold)) function *find(_Atomic(function *) *place, const char *name)
{
    int error = errno;
    function *found = (function *)gptl_mpi_find(RTLD_NEXT, name);
    errno = error;
    if (!found) /* it may come yet */
        return (function *)missing;
    atomic_store_explicit(place, found, memory_order_relaxed);
    return found;
}

/* ---- Wrappers -------------------------------------------------------------------------------- */

/* Begins a span if what begins now is for an operation of MPI-IO. Returns whether it is. */
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
