/*
 * adio.h - what stands for ROMIO's driver of the striped storage: files of MPI that are there, and
 * their data. adio.c has what is done for one process, twophase.c what is done together.
 */
#ifndef STRIPED_ADIO_H
#define STRIPED_ADIO_H

#include <mpi.h>
#include <stdbool.h>

#include "striped.h"

/* An open file. Its handle is one of MPI, of /dev/null, so that MPI keeps views, pointers and error
 * handlers for us, and functions that know nothing of this do no harm. */
struct ad_file {
    struct ad_file *next;
    MPI_File handle;
    MPI_Comm comm;
    struct striped_file *striped;
    int amode;
    int together[2]; /* two-phase: 1 always, 0 never, -1 when accesses interleave; read, write */
    char name[NAME_ROOM];
};

struct ad_piece {
    int64_t offset, bytes;
};

/* The data of a call as one block, and where it is in the file, in ascending order. */
struct ad_access {
    struct ad_file *file;
    char *data;
    int64_t bytes;
    struct ad_piece *pieces;
    size_t npieces, room;
};

/* ---- files.c -------------------------------------------------------------------------------- */

/* NULL: it is none of ours. */
struct ad_file *ad_file_of(MPI_File handle);
/* Calls the error handler of the file for any CODE but success, and returns CODE. */
int ad_told(MPI_File handle, int code);

/* ---- adio.c --------------------------------------------------------------------------------- */

/* Functions with an int return a code of MPI. OFFSET is in etypes of the file's view. */
int ad_access_begin(struct ad_access *access, struct ad_file *file, MPI_Offset offset,
                    const void *buffer, int count, MPI_Datatype type);
void ad_access_end(struct ad_access *access);
/* A read's data to where it belongs. */
int ad_access_unpack(const struct ad_access *access, void *buffer, int count, MPI_Datatype type);

/* One piece. Returns its bytes, or less than 0: an errno. */
int64_t ad_striped_read_contig(struct ad_file *file, char *data, const struct ad_piece *piece);
int64_t ad_striped_write_contig(struct ad_file *file, char *data, const struct ad_piece *piece);
/* A piece after another. DONE gets the bytes. */
int ad_striped_read_strided(struct ad_access *access, int64_t *done);
int ad_striped_write_strided(struct ad_access *access, int64_t *done);
int ad_error(int64_t error);

/* The bytes that COUNT of TYPE are. */
int64_t ad_bytes(int count, MPI_Datatype type);
/* The individual pointer, which moves behind COUNT of TYPE. */
MPI_Offset ad_advance(const struct ad_file *file, int count, MPI_Datatype type);

/* ---- twophase.c ----------------------------------------------------------------------------- */

int ad_striped_read_coll(struct ad_access *access, int64_t *done);
int ad_striped_write_coll(struct ad_access *access, int64_t *done);

#endif
