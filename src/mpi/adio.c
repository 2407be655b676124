/*
 * adio.c - the layer ADIO in programs with a static MPICH: with the linker's --wrap=ADIOI_GEN_WriteContig
 * and --wrap=ADIOI_GEN_ReadContig, each access that ROMIO makes comes here. A shared MPICH binds these
 * names within itself, so nothing can stand in front of them there. This object is in the static library
 * only, and taken from it only if it is asked for (-u).
 */
#include "config.h"

#include <stdint.h>

#include "gptl_probe.h"

#include "mpi/installed.h"

#pragma weak GPTLprobe_begin
#pragma weak GPTLprobe_bytes
#pragma weak GPTLprobe_end
#pragma weak GPTLprobe_offset

/* Of both functions; the number of elements has more bits in later releases than in earlier ones. */
typedef void contig(void *file, const void *buffer, uintptr_t count, MPI_Datatype type, int pointer,
                    MPI_Offset offset, MPI_Status *status, int *error);

contig __real_ADIOI_GEN_WriteContig, __real_ADIOI_GEN_ReadContig;
contig __wrap_ADIOI_GEN_WriteContig, __wrap_ADIOI_GEN_ReadContig;

enum { EXPLICIT_OFFSET = 100 }; /* ROMIO's number for POINTER: not the file's own */

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
