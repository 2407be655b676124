/*
 * adio.c - the layer ADIO in programs with a static MPICH: with the linker options
 * --wrap=ADIOI_GEN_WriteContig and --wrap=ADIOI_GEN_ReadContig, this file intercepts each access
 * made by ROMIO. A shared MPICH binds these names internally, so interposition is impossible there.
 * This object exists only in the static library, and is linked only on request (-u).
 */
#include "config.h"

#include <stdint.h>

#include "gptl_probe.h"

#include "mpi/installed.h"

#pragma weak GPTLprobe_begin
#pragma weak GPTLprobe_bytes
#pragma weak GPTLprobe_end
#pragma weak GPTLprobe_offset

/* Type of both functions; the element count is wider in later releases than in earlier ones. */
typedef void contig(void *file, const void *buffer, uintptr_t count, MPI_Datatype type, int pointer,
                    MPI_Offset offset, MPI_Status *status, int *error);

contig __real_ADIOI_GEN_WriteContig, __real_ADIOI_GEN_ReadContig;
contig __wrap_ADIOI_GEN_WriteContig, __wrap_ADIOI_GEN_ReadContig;

enum { EXPLICIT_OFFSET = 100 }; /* ROMIO's value of POINTER for an explicit offset */

static void begin(int operation, int pointer, MPI_Offset offset)
{
    if (!GPTLprobe_begin)
        return;
    GPTLprobe_begin(GPTL_LAYER_ADIO, operation);
    if (pointer == EXPLICIT_OFFSET)
        GPTLprobe_offset(GPTL_LAYER_ADIO, offset);
}

static void end(const MPI_Status *status, int error)
{
    MPI_Count bytes;
    if (!GPTLprobe_end)
        return;
    if (error == MPI_SUCCESS && status != MPI_STATUS_IGNORE &&
        PMPI_Get_elements_x(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes >= 0)
        GPTLprobe_bytes(GPTL_LAYER_ADIO, bytes);
    GPTLprobe_end(GPTL_LAYER_ADIO);
}

void __wrap_ADIOI_GEN_WriteContig(void *file, const void *buffer, uintptr_t count,
                                  MPI_Datatype type, int pointer, MPI_Offset offset,
                                  MPI_Status *status, int *error)
{
    begin(GPTL_OP_WRITE, pointer, offset);
    __real_ADIOI_GEN_WriteContig(file, buffer, count, type, pointer, offset, status, error);
    end(status, *error);
}

void __wrap_ADIOI_GEN_ReadContig(void *file, const void *buffer, uintptr_t count, MPI_Datatype type,
                                 int pointer, MPI_Offset offset, MPI_Status *status, int *error)
{
    begin(GPTL_OP_READ, pointer, offset);
    __real_ADIOI_GEN_ReadContig(file, buffer, count, type, pointer, offset, status, error);
    end(status, *error);
}
