/* blocking.c - MPI_File_read*, MPI_File_write* for files of the striped storage. */
#include "adio.h"

static void set_status(MPI_Status *status, int64_t bytes)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    PMPI_Status_set_cancelled(status, 0);
    PMPI_Status_set_elements_x(status, MPI_BYTE, bytes);
}

static int read_file(struct ad_file *file, MPI_Offset offset, void *buffer, int count,
                     MPI_Datatype type, MPI_Status *status, bool is_collective)
{
    struct ad_access access;
    int64_t done = 0;
    int result = ad_access_begin(&access, file, offset, NULL, count, type);
    if (result == MPI_SUCCESS)
        result = is_collective ? ad_striped_read_coll(&access, &done)
                               : ad_striped_read_strided(&access, &done);
    if (result == MPI_SUCCESS)
        result = ad_access_unpack(&access, buffer, count, type);
    ad_access_end(&access);
    set_status(status, done);
    return ad_told(file->handle, result);
}

static int write_file(struct ad_file *file, MPI_Offset offset, const void *buffer, int count,
                      MPI_Datatype type, MPI_Status *status, bool is_collective)
{
    struct ad_access access;
    int64_t done = 0;
    int result = ad_access_begin(&access, file, offset, buffer, count, type);
    if (result == MPI_SUCCESS)
        result = is_collective ? ad_striped_write_coll(&access, &done)
                               : ad_striped_write_strided(&access, &done);
    ad_access_end(&access);
    set_status(status, done);
    return ad_told(file->handle, result);
}

int MPI_File_read_at(MPI_File handle, MPI_Offset offset, void *buffer, int count, MPI_Datatype type,
                     MPI_Status *status)
{
    struct ad_file *file = ad_file_of(handle);
    if (!file)
        return PMPI_File_read_at(handle, offset, buffer, count, type, status);
    return read_file(file, offset, buffer, count, type, status, false);
}

int MPI_File_read_at_all(MPI_File handle, MPI_Offset offset, void *buffer, int count,
                         MPI_Datatype type, MPI_Status *status)
{
    struct ad_file *file = ad_file_of(handle);
    if (!file)
        return PMPI_File_read_at_all(handle, offset, buffer, count, type, status);
    return read_file(file, offset, buffer, count, type, status, true);
}

int MPI_File_read(MPI_File handle, void *buffer, int count, MPI_Datatype type, MPI_Status *status)
{
    struct ad_file *file = ad_file_of(handle);
    if (!file)
        return PMPI_File_read(handle, buffer, count, type, status);
    MPI_Offset offset = ad_advance(file, count, type);
    return read_file(file, offset, buffer, count, type, status, false);
}

int MPI_File_read_all(MPI_File handle, void *buffer, int count, MPI_Datatype type,
                      MPI_Status *status)
{
    struct ad_file *file = ad_file_of(handle);
    if (!file)
        return PMPI_File_read_all(handle, buffer, count, type, status);
    MPI_Offset offset = ad_advance(file, count, type);
    return read_file(file, offset, buffer, count, type, status, true);
}

int MPI_File_write_at(MPI_File handle, MPI_Offset offset, const void *buffer, int count,
                      MPI_Datatype type, MPI_Status *status)
{
    struct ad_file *file = ad_file_of(handle);
    if (!file)
        return PMPI_File_write_at(handle, offset, buffer, count, type, status);
    return write_file(file, offset, buffer, count, type, status, false);
}

int MPI_File_write_at_all(MPI_File handle, MPI_Offset offset, const void *buffer, int count,
                          MPI_Datatype type, MPI_Status *status)
{
    struct ad_file *file = ad_file_of(handle);
    if (!file)
        return PMPI_File_write_at_all(handle, offset, buffer, count, type, status);
    return write_file(file, offset, buffer, count, type, status, true);
}

int MPI_File_write(MPI_File handle, const void *buffer, int count, MPI_Datatype type,
                   MPI_Status *status)
{
    struct ad_file *file = ad_file_of(handle);
    if (!file)
        return PMPI_File_write(handle, buffer, count, type, status);
    MPI_Offset offset = ad_advance(file, count, type);
    return write_file(file, offset, buffer, count, type, status, false);
}

int MPI_File_write_all(MPI_File handle, const void *buffer, int count, MPI_Datatype type,
                       MPI_Status *status)
{
    struct ad_file *file = ad_file_of(handle);
    if (!file)
        return PMPI_File_write_all(handle, buffer, count, type, status);
    MPI_Offset offset = ad_advance(file, count, type);
    return write_file(file, offset, buffer, count, type, status, true);
}
