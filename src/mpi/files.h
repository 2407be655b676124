/* files.h - the names of the files that MPI has open, by their handles. */
#ifndef GPTL_MPI_FILES_H
#define GPTL_MPI_FILES_H

#include "mpi/wrap.h"

/* By MPI_File_open and MPI_File_close, from MPI_Init on. NAME is copied. */
void gptl_mpi_file_opened(MPI_File file, const char *name);
void gptl_mpi_file_closed(MPI_File file);

/* Which name FILE was opened by; it stays until it is closed. NULL: not known. */
const char *gptl_mpi_file_name(MPI_File file);

#endif
