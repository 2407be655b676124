/*
 * adio.h - a substitute for ROMIO's driver of the striped storage: open MPI files and their data.
 * adio.c contains the operations of one process, twophase.c the collective ones.
 */
#ifndef STRIPED_ADIO_H
#define STRIPED_ADIO_H

#include <mpi.h>
#include <stdbool.h>

#include "striped.h"

/*
 * An open file. Its handle belongs to MPI and refers to /dev/null, so that MPI keeps views,
 * pointers and error handlers for us, and unrelated functions do no harm.
 */
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

/* The data of a call as one block, and its places in the file, in ascending order. */
struct ad_access {
    struct ad_file *file;
    char *data;
    int64_t bytes;
    struct ad_piece *pieces;
    size_t npieces, room;
};

/* ---- files.c -------------------------------------------------------------------------------- */

/* Return NULL for a file of MPI. */
struct ad_file *ad_file_of(MPI_File handle);
/* Call the error handler of the file for any CODE except success, and return CODE. */
int ad_told(MPI_File handle, int code);

/* ---- adio.c --------------------------------------------------------------------------------- */

/* Functions with an int return a code of MPI. OFFSET is in etypes of the file's view. */
int ad_access_begin(struct ad_access *access, struct ad_file *file, MPI_Offset offset,
                    const void *buffer, int count, MPI_Datatype type);
void ad_access_end(struct ad_access *access);
/* Move a read's data to its destination. */
int ad_access_unpack(const struct ad_access *access, void *buffer, int count, MPI_Datatype type);

/* Access one piece. Return its bytes, or less than 0: an errno. */
int64_t ad_striped_read_contig(struct ad_file *file, char *data, const struct ad_piece *piece);
int64_t ad_striped_write_contig(struct ad_file *file, char *data, const struct ad_piece *piece);
/* Access the pieces in sequence. DONE gets the bytes. */
int ad_striped_read_strided(struct ad_access *access, int64_t *done);
int ad_striped_write_strided(struct ad_access *access, int64_t *done);
int ad_error(int64_t error);

/* Return the bytes of COUNT elements of TYPE. */
int64_t ad_bytes(int count, MPI_Datatype type);
/* Return the individual pointer and advance it by COUNT of TYPE. */
MPI_Offset ad_advance(const struct ad_file *file, int count, MPI_Datatype type);

/* ---- twophase.c ----------------------------------------------------------------------------- */

int ad_striped_read_coll(struct ad_access *access, int64_t *done);
int ad_striped_write_coll(struct ad_access *access, int64_t *done);

#endif
