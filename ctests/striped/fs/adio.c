/*
 * adio.c - a process's independent accesses: the pieces that result from a view, with one request
 * for each.
 */
#include "adio.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

int ad_error(int64_t error)
{
    return error == -ENOENT   ? MPI_ERR_NO_SUCH_FILE
           : error == -EEXIST ? MPI_ERR_FILE_EXISTS
           : error == -ENOSPC ? MPI_ERR_NO_SPACE
                              : MPI_ERR_IO;
}

int64_t ad_bytes(int count, MPI_Datatype type)
{
    MPI_Count size = 0;
    PMPI_Type_size_x(type, &size);
    return size * count;
}

/* ---- Views --------------------------------------------------------------------------------- */

static void free_type(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    if (combiner != MPI_COMBINER_NAMED)
        PMPI_Type_free(&type);
}

static int64_t etype_size(const struct ad_file *file)
{
    MPI_Offset displacement;
    MPI_Datatype etype, filetype;
    MPI_Count size = 1;
    char representation[MPI_MAX_DATAREP_STRING];
    PMPI_File_get_view(file->handle, &displacement, &etype, &filetype, representation);
    PMPI_Type_size_x(etype, &size);
    free_type(etype);
    free_type(filetype);
    return size;
}

MPI_Offset ad_advance(const struct ad_file *file, int count, MPI_Datatype type)
{
    MPI_Offset at;
    PMPI_File_get_position(file->handle, &at);
    PMPI_File_seek(file->handle, at + ad_bytes(count, type) / etype_size(file), MPI_SEEK_SET);
    return at;
}

static int64_t byte_at(const struct ad_file *file, int64_t etypes)
{
    MPI_Offset at = 0;
    PMPI_File_get_byte_offset(file->handle, etypes, &at);
    return at;
}

/*
 * Return how many of the MOST etypes from FIRST on are contiguous. Offsets ascend, so bisection
 * works.
 */
static int64_t together(const struct ad_file *file, int64_t first, int64_t most, int64_t size)
{
    int64_t begin = byte_at(file, first), known = 1, wrong = most + 1;
    for (int64_t n = most; known + 1 < wrong; n = known + (wrong - known) / 2)
        if (byte_at(file, first + n - 1) - begin == (n - 1) * size)
            known = n;
        else
            wrong = n;
    return known;
}

static int add_piece(struct ad_access *access, int64_t offset, int64_t bytes)
{
    if (access->npieces == access->room) {
        access->room = access->room ? 2 * access->room : 4;
        struct ad_piece *more = realloc(access->pieces, access->room * sizeof *access->pieces);
        if (!more)
            return MPI_ERR_NO_MEM;
        access->pieces = more;
    }
    access->pieces[access->npieces++] = (struct ad_piece){offset, bytes};
    return MPI_SUCCESS;
}

static int find_pieces(struct ad_access *access, MPI_Offset offset)
{
    int64_t size = etype_size(access->file), all = access->bytes / size, n;
    int result = MPI_SUCCESS;
    for (int64_t at = 0; at < all && result == MPI_SUCCESS; at += n) {
        n = together(access->file, offset + at, all - at, size);
        result = add_piece(access, byte_at(access->file, offset + at), n * size);
    }
    return result;
}

/* ---- Accesses ------------------------------------------------------------------------------ */

int ad_access_begin(struct ad_access *access, struct ad_file *file, MPI_Offset offset,
                    const void *buffer, int count, MPI_Datatype type)
{
    int position = 0;
    *access = (struct ad_access){.file = file, .bytes = ad_bytes(count, type)};
    if (access->bytes > INT_MAX)
        return MPI_ERR_COUNT;
    access->data = malloc((size_t)access->bytes + 1);
    if (!access->data)
        return MPI_ERR_NO_MEM;
    if (buffer && access->bytes > 0)
        PMPI_Pack(buffer, count, type, access->data, (int)access->bytes, &position, file->comm);
    return find_pieces(access, offset);
}

void ad_access_end(struct ad_access *access)
{
    free(access->data);
    free(access->pieces);
}

int ad_access_unpack(const struct ad_access *access, void *buffer, int count, MPI_Datatype type)
{
    int position = 0;
    return access->bytes > 0 ? PMPI_Unpack(access->data, (int)access->bytes, &position, buffer,
                                           count, type, access->file->comm)
                             : MPI_SUCCESS;
}

int64_t ad_striped_read_contig(struct ad_file *file, char *data, const struct ad_piece *piece)
{
    return striped_sys_io(file->striped, STRIPED_READ, data, piece->bytes, piece->offset);
}

int64_t ad_striped_write_contig(struct ad_file *file, char *data, const struct ad_piece *piece)
{
    return striped_sys_io(file->striped, STRIPED_WRITE, data, piece->bytes, piece->offset);
}

int ad_striped_read_strided(struct ad_access *access, int64_t *done)
{
    char *data = access->data;
    for (size_t i = 0; i < access->npieces; data += access->pieces[i++].bytes) {
        int64_t n = ad_striped_read_contig(access->file, data, &access->pieces[i]);
        if (n < 0)
            return ad_error(n);
        *done += n;
    }
    return MPI_SUCCESS;
}

int ad_striped_write_strided(struct ad_access *access, int64_t *done)
{
    char *data = access->data;
    for (size_t i = 0; i < access->npieces; data += access->pieces[i++].bytes) {
        int64_t n = ad_striped_write_contig(access->file, data, &access->pieces[i]);
        if (n < 0)
            return ad_error(n);
        *done += n;
    }
    return MPI_SUCCESS;
}
