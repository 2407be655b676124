/* types.c - sizes of datatypes without an inline rule. */
#include "config.h"

#include "mpi/types.h"

int64_t gptl_mpi_asked_size(MPI_Datatype type)
{
    MPI_Count size = 0;
    if (gptl_mpi_next.MPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0)
        return 0;
    return size;
}

#ifdef GPTL_MPI_STATUS_OF_MPICH
void gptl_mpi_know_types(void) {}
#else
struct gptl_mpi_sized gptl_mpi_sized[1 << GPTL_MPI_TYPE_BITS];

/*
 * Fill the table of sizes. Of two types with the same place, the first gets it; the other is
 * queried each time.
 */
void gptl_mpi_know_types(void)
{
    const MPI_Datatype types[] = {
        MPI_INT,
        MPI_DOUBLE,
        MPI_BYTE,
        MPI_CHAR,
        MPI_FLOAT,
        MPI_LONG,
        MPI_LONG_LONG,
        MPI_UNSIGNED,
        MPI_UNSIGNED_LONG,
        MPI_UNSIGNED_LONG_LONG,
        MPI_SHORT,
        MPI_SIGNED_CHAR,
        MPI_UINT8_T,
        MPI_UNSIGNED_CHAR,
        MPI_UNSIGNED_SHORT,
        MPI_INT8_T,
        MPI_INT16_T,
        MPI_INT32_T,
        MPI_INT64_T,
        MPI_UINT16_T,
        MPI_UINT32_T,
        MPI_UINT64_T,
        MPI_AINT,
        MPI_OFFSET,
        MPI_COUNT,
        MPI_C_BOOL,
        MPI_C_COMPLEX,
        MPI_WCHAR,
        MPI_LONG_DOUBLE,
        MPI_C_DOUBLE_COMPLEX,
        MPI_PACKED,
        MPI_2INT,
        MPI_REAL,
        MPI_DOUBLE_INT,
        MPI_DOUBLE_PRECISION,
        MPI_INTEGER,
        MPI_LOGICAL,
        MPI_COMPLEX,
        MPI_CHARACTER,
        MPI_DOUBLE_COMPLEX,
        MPI_REAL4,
        MPI_REAL8,
        MPI_INTEGER4,
        MPI_INTEGER8,
        MPI_CXX_BOOL,
        MPI_FLOAT_INT,
        MPI_LONG_INT,
        MPI_2INTEGER,
        MPI_2REAL,
        MPI_2DOUBLE_PRECISION,
        MPI_CXX_DOUBLE_COMPLEX,
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct gptl_mpi_sized *sized = gptl_mpi_sized_at(types[i]);
        if (!types[i] || sized->type)
            continue;
        sized->size = gptl_mpi_asked_size(types[i]);
        __atomic_store_n(&sized->type, types[i], __ATOMIC_RELEASE);
    }
}
#endif
