/* types.h - sizes of datatypes, and contents of a status. */
#ifndef GPTL_MPI_TYPES_H
#define GPTL_MPI_TYPES_H

#include "mpi/wrap.h"

/* ---- Datatypes ------------------------------------------------------------------------------- */

/* Query the size of a type without an inline rule. */
int64_t gptl_mpi_asked_size(MPI_Datatype type);

#ifdef GPTL_MPI_STATUS_OF_MPICH
/* A handle of a basic type contains its size. */
GPTL_MPI_INLINED bool gptl_mpi_is_sized(MPI_Datatype type)
{
    const uint32_t handle = (uint32_t)type, known = (uint32_t)MPI_INT;
    return handle >> 24 == known >> 24 && (known >> 8 & 0xff) == sizeof(int);
}

GPTL_MPI_INLINED int64_t gptl_mpi_size_at_hand(MPI_Datatype type)
{
    return (uint32_t)type >> 8 & 0xff;
}
#else
/* Basic types in a hash table of their handles. They are never freed, so entries stay valid. */
enum { GPTL_MPI_TYPE_BITS = 9 };
struct gptl_mpi_sized {
    MPI_Datatype type;
    int64_t size;
};
extern GPTL_MPI_HIDDEN struct gptl_mpi_sized gptl_mpi_sized[1 << GPTL_MPI_TYPE_BITS];

GPTL_MPI_INLINED struct gptl_mpi_sized *gptl_mpi_sized_at(MPI_Datatype type)
{
    uint64_t hash = (uint64_t)(uintptr_t)type * 0x9e3779b97f4a7c15u;
    return &gptl_mpi_sized[hash >> (64 - GPTL_MPI_TYPE_BITS)];
}

GPTL_MPI_INLINED bool gptl_mpi_is_sized(MPI_Datatype type)
{
    return gptl_mpi_sized_at(type)->type == type;
}

GPTL_MPI_INLINED int64_t gptl_mpi_size_at_hand(MPI_Datatype type)
{
    return gptl_mpi_sized_at(type)->size;
}
#endif

GPTL_MPI_INLINED int64_t gptl_mpi_type_size(MPI_Datatype type)
{
    return gptl_mpi_likely(gptl_mpi_is_sized(type)) ? gptl_mpi_size_at_hand(type)
                                                    : gptl_mpi_asked_size(type);
}

/* Initialize the table, after MPI is initialized. */
void gptl_mpi_know_types(void);

/* Return the bytes of COUNT elements. Without elements, the type need not be valid. */
GPTL_MPI_INLINED int64_t gptl_mpi_bytes(MPI_Count count, MPI_Datatype type)
{
    if (count <= 0)
        return 0;
    return (int64_t)((uint64_t)count * (uint64_t)gptl_mpi_type_size(type));
}

/* ---- Statuses ------------------------------------------------------------------------------ */

/*
 * Return the received bytes of a call that cannot be cancelled; file calls leave the other fields
 * of the status unset.
 */
GPTL_MPI_INLINED int64_t gptl_mpi_status_bytes(const MPI_Status *status)
{
#if defined GPTL_MPI_STATUS_OF_MPICH
    return (int64_t)(status->count_hi_and_cancelled >> 1) << 32 | (uint32_t)status->count_lo;
#elif defined GPTL_MPI_STATUS_OF_OPENMPI
    return (int64_t)status->_ucount;
#else
    MPI_Count n = 0;
    gptl_mpi_next.MPI_Get_elements_x(status, MPI_BYTE, &n);
    return n < 0 ? 0 : n;
#endif
}

GPTL_MPI_INLINED bool gptl_mpi_was_cancelled(const MPI_Status *status)
{
#if defined GPTL_MPI_STATUS_OF_MPICH
    int cancelled = status->count_hi_and_cancelled & 1;
#elif defined GPTL_MPI_STATUS_OF_OPENMPI
    int cancelled = status->_cancelled;
#else
    int cancelled = 0;
    gptl_mpi_next.MPI_Test_cancelled(status, &cancelled);
#endif
    return cancelled;
}

/* Return the received bytes of a request; 0 if it was cancelled. */
GPTL_MPI_INLINED int64_t gptl_mpi_request_bytes(const MPI_Status *status)
{
    return gptl_mpi_was_cancelled(status) ? 0 : gptl_mpi_status_bytes(status);
}

/* Return the caller's status, or OWN if the caller ignores it and the call is measured. */
GPTL_MPI_INLINED MPI_Status *gptl_mpi_own_status(const void *node, MPI_Status *status,
                                                 MPI_Status *own)
{
    if (!node || status != MPI_STATUS_IGNORE)
        return status;
    *own = (MPI_Status){0};
    return own;
}

GPTL_MPI_INLINED void gptl_mpi_received(void *node, const MPI_Status *status)
{
    gptl_mpi_add(node, GPTL_RECEIVED, gptl_mpi_status_bytes(status));
}

GPTL_MPI_INLINED void gptl_mpi_wrote(void *node, const MPI_Status *status)
{
    gptl_mpi_add(node, GPTL_SENT, gptl_mpi_status_bytes(status));
}

#endif
