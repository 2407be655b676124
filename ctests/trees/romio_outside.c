/*
 * romio_outside.c - the one function of MPICH that its ROMIO needs and that MPICH's library does
 * not export. Any type except a named one may be reported as noncontiguous: ROMIO then examines its
 * parts.
 */
#include <mpi.h>

void MPIR_Datatype_iscontig(MPI_Datatype type, int *is_contiguous);
void MPIR_Datatype_iscontig(MPI_Datatype type, int *is_contiguous)
{
    int integers, addresses, types, combiner;
    MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    *is_contiguous = combiner == MPI_COMBINER_NAMED;
}
