/*
 * files.c - MPI_File_* of MPICH for files whose names begin with STRIPED_PREFIX (/striped/); all
 * others are passed to MPI. It is preloaded into an unchanged program: ROMIO's drivers are compiled
 * in, and none can be added at run time. This file opens and closes files; blocking.c and
 * nonblocking.c move data.
 */
#include "adio.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct ad_file *files;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- Files --------------------------------------------------------------------------------- */

/* Return NULL for a file of MPI. */
static const char *own_name(const char *name)
{
    const char *prefix = getenv("STRIPED_PREFIX");
    prefix = prefix && *prefix ? prefix : "/striped/";
    return strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : NULL;
}

struct ad_file *ad_file_of(MPI_File handle)
{
    pthread_mutex_lock(&lock);
    struct ad_file *file = files;
    while (file && file->handle != handle)
        file = file->next;
    pthread_mutex_unlock(&lock);
    return file;
}

int ad_told(MPI_File handle, int code)
{
    if (code != MPI_SUCCESS)
        PMPI_File_call_errhandler(handle, code);
    return code;
}

/* Return the setting of a ROMIO hint for two-phase accesses. */
static int wish_of(MPI_Info info, const char *key)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int found = 0;
    if (info != MPI_INFO_NULL)
        PMPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
    return !found ? -1 : strcmp(value, "enable") == 0 ? 1 : strcmp(value, "disable") == 0 ? 0 : -1;
}

/* The first process creates the file, and all open it. */
static int open_everywhere(struct ad_file *file)
{
    int rank, result = 0, flags = O_RDWR;
    flags |= file->amode & MPI_MODE_CREATE ? O_CREAT : 0;
    flags |= file->amode & MPI_MODE_EXCL ? O_EXCL : 0;
    PMPI_Comm_rank(file->comm, &rank);
    if (rank == 0)
        result = striped_open(file->name, flags, &file->striped);
    PMPI_Bcast(&result, 1, MPI_INT, 0, file->comm);
    if (result == 0 && rank != 0)
        result = striped_open(file->name, O_RDWR, &file->striped);
    PMPI_Allreduce(MPI_IN_PLACE, &result, 1, MPI_INT, MPI_MIN, file->comm);
    return result;
}

int MPI_File_open(MPI_Comm comm, const char *name, int amode, MPI_Info info, MPI_File *handle)
{
    const char *own = own_name(name);
    if (!own)
        return PMPI_File_open(comm, name, amode, info, handle);
    struct ad_file *file = calloc(1, sizeof *file);
    if (!file || strlen(own) >= sizeof file->name)
        return MPI_ERR_BAD_FILE;
    strcpy(file->name, own);
    file->amode = amode;
    file->together[0] = wish_of(info, "romio_cb_read");
    file->together[1] = wish_of(info, "romio_cb_write");
    int result = PMPI_File_open(comm, "/dev/null", MPI_MODE_RDWR, info, &file->handle);
    if (result != MPI_SUCCESS)
        return result;
    PMPI_Comm_dup(comm, &file->comm);
    int error = open_everywhere(file);
    if (error) {
        PMPI_Comm_free(&file->comm);
        PMPI_File_close(&file->handle);
        free(file);
        return ad_told(MPI_FILE_NULL, ad_error(error));
    }
    pthread_mutex_lock(&lock);
    file->next = files;
    files = file;
    pthread_mutex_unlock(&lock);
    *handle = file->handle;
    return MPI_SUCCESS;
}

int MPI_File_close(MPI_File *handle)
{
    struct ad_file *file = ad_file_of(*handle), **at = &files;
    int rank;
    if (!file)
        return PMPI_File_close(handle);
    pthread_mutex_lock(&lock);
    while (*at != file)
        at = &(*at)->next;
    *at = file->next;
    pthread_mutex_unlock(&lock);
    PMPI_Comm_rank(file->comm, &rank);
    int error = striped_close(file->striped);
    PMPI_Barrier(file->comm);
    if (file->amode & MPI_MODE_DELETE_ON_CLOSE && rank == 0)
        striped_delete(file->name);
    PMPI_Comm_free(&file->comm);
    PMPI_File_close(handle);
    free(file);
    return error ? ad_error(error) : MPI_SUCCESS;
}

int MPI_File_delete(const char *name, MPI_Info info)
{
    const char *own = own_name(name);
    if (!own)
        return PMPI_File_delete(name, info);
    int error = striped_delete(own);
    return error ? ad_error(error) : MPI_SUCCESS;
}

int MPI_File_get_amode(MPI_File handle, int *amode)
{
    const struct ad_file *file = ad_file_of(handle);
    if (!file)
        return PMPI_File_get_amode(handle, amode);
    *amode = file->amode;
    return MPI_SUCCESS;
}

int MPI_File_get_size(MPI_File handle, MPI_Offset *size)
{
    const struct ad_file *file = ad_file_of(handle);
    if (!file)
        return PMPI_File_get_size(handle, size);
    int64_t result = striped_size(file->striped);
    *size = result < 0 ? 0 : result;
    return ad_told(handle, result < 0 ? ad_error(result) : MPI_SUCCESS);
}

int MPI_File_set_size(MPI_File handle, MPI_Offset size)
{
    const struct ad_file *file = ad_file_of(handle);
    int rank, error = 0;
    if (!file)
        return PMPI_File_set_size(handle, size);
    PMPI_Comm_rank(file->comm, &rank);
    PMPI_Barrier(file->comm);
    if (rank == 0)
        error = striped_resize(file->striped, size);
    PMPI_Bcast(&error, 1, MPI_INT, 0, file->comm);
    return ad_told(handle, error ? ad_error(error) : MPI_SUCCESS);
}

int MPI_File_preallocate(MPI_File handle, MPI_Offset size)
{
    MPI_Offset now;
    if (!ad_file_of(handle))
        return PMPI_File_preallocate(handle, size);
    int result = MPI_File_get_size(handle, &now);
    return result == MPI_SUCCESS && now < size ? MPI_File_set_size(handle, size) : result;
}

int MPI_File_sync(MPI_File handle)
{
    const struct ad_file *file = ad_file_of(handle);
    if (!file)
        return PMPI_File_sync(handle);
    int error = striped_sync(file->striped);
    PMPI_Barrier(file->comm);
    return ad_told(handle, error ? ad_error(error) : MPI_SUCCESS);
}

int MPI_File_seek(MPI_File handle, MPI_Offset offset, int whence)
{
    const struct ad_file *file = ad_file_of(handle);
    if (file && whence == MPI_SEEK_END)
        return ad_told(handle, MPI_ERR_UNSUPPORTED_OPERATION);
    return PMPI_File_seek(handle, offset, whence);
}
