/*
 * hdf5_stub.c - a substitute for libhdf5 1.14 in tests, because Debian has 1.10: functions of
 * several datasets and those for event sets, which check their arguments. With -DPROGRAM the
 * program that calls them. If the environment has NOBODY_ASKS, no other function may be called.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t hid_t;

/* An id is its type, by HDF5's numbers, and an identification, here often a size. */
enum { FILE_ID = 0x101, SET_A = 0x501, SET_B = 0x502, INT_TYPE = 0x304, DOUBLE_TYPE = 0x308 };
enum { TEN = 0x40a, WHOLE = 0x432, COLLECTIVE = 0x901, EVENTS = 0xa01 };

hid_t H5Fopen_async(const char *source, const char *function, unsigned line, const char *name,
                    unsigned flags, hid_t access, hid_t events);
int H5Dwrite_async(const char *source, const char *function, unsigned line, hid_t set, hid_t type,
                   hid_t memory, hid_t file, hid_t transfer, const void *buffer, hid_t events);
int H5Dread_multi(size_t n, hid_t sets[], hid_t types[], hid_t memory[], hid_t file[],
                  hid_t transfer, void *buffers[]);
int H5Pset_dxpl_mpio(hid_t id, int mode);
hid_t H5Dcreate_async(const char *source, const char *function, unsigned line, hid_t at,
                      const char *name, hid_t type, hid_t space, hid_t link, hid_t create,
                      hid_t access, hid_t events);

#ifndef PROGRAM

int H5Iget_type(hid_t id);
int64_t H5Fget_name(hid_t id, char *name, size_t size);
int64_t H5Sget_select_npoints(hid_t id);
size_t H5Tget_size(hid_t id);
int H5Tdetect_class(hid_t id, int what);
int H5Tis_variable_str(hid_t id);
hid_t H5Dget_space(hid_t id);
int H5Sclose(hid_t id);
int H5Pget_dxpl_mpio(hid_t id, int *mode);

/* Every query calls this first. */
int H5Iget_type(hid_t id)
{
    if (getenv("NOBODY_ASKS"))
        abort();
    return (int)(id >> 8);
}

int64_t H5Fget_name(hid_t id, char *name, size_t size)
{
    (void)id;
    return snprintf(name, size, "new.h5");
}

int64_t H5Sget_select_npoints(hid_t id)
{
    return id & 255;
}

size_t H5Tget_size(hid_t id)
{
    return id & 255;
}

int H5Tdetect_class(hid_t id, int what)
{
    return id == what;
}

int H5Tis_variable_str(hid_t id)
{
    return id == 0;
}

hid_t H5Dget_space(hid_t id)
{
    return id == SET_B ? WHOLE : -1;
}

int H5Sclose(hid_t id)
{
    return id == WHOLE ? 0 : -1;
}

static int mode_of_collective = 1;

int H5Pget_dxpl_mpio(hid_t id, int *mode)
{
    *mode = id == COLLECTIVE ? mode_of_collective : 0;
    return 0;
}

int H5Pset_dxpl_mpio(hid_t id, int mode)
{
    mode_of_collective = mode;
    return id == COLLECTIVE ? 0 : -1;
}

hid_t H5Fopen_async(const char *source, const char *function, unsigned line, const char *name,
                    unsigned flags, hid_t access, hid_t events)
{
    return source && function && line == 1 && strcmp(name, "new.h5") == 0 && flags == 2 &&
                   access == 3 && events == EVENTS
               ? FILE_ID
               : -1;
}

int H5Dwrite_async(const char *source, const char *function, unsigned line, hid_t set, hid_t type,
                   hid_t memory, hid_t file, hid_t transfer, const void *buffer, hid_t events)
{
    return source && function && line == 2 && set == SET_A && type == INT_TYPE && memory == TEN &&
                   file == 0 && transfer == COLLECTIVE && buffer && events == EVENTS
               ? 0
               : -1;
}

int H5Dread_multi(size_t n, hid_t sets[], hid_t types[], hid_t memory[], hid_t file[],
                  hid_t transfer, void *buffers[])
{
    return n == 2 && sets[1] == SET_B && types[1] == DOUBLE_TYPE && memory[1] == 0 &&
                   file[1] == 0 && transfer == COLLECTIVE && buffers
               ? 0
               : -1;
}

hid_t H5Dcreate_async(const char *source, const char *function, unsigned line, hid_t at,
                      const char *name, hid_t type, hid_t space, hid_t link, hid_t create,
                      hid_t access, hid_t events)
{
    return source && function && line == 3 && at == FILE_ID && strcmp(name, "set") == 0 &&
                   type == INT_TYPE && space == TEN && link == 4 && create == 5 && access == 6 &&
                   events == EVENTS
               ? SET_A
               : -1;
}

#else

/* The same property list has another value than before. */
static int write_as(int mode)
{
    char buffer[1];
    if (H5Pset_dxpl_mpio(COLLECTIVE, mode))
        return 1;
    return H5Dwrite_async("a.c", "main", 2, SET_A, INT_TYPE, TEN, 0, COLLECTIVE, buffer, EVENTS);
}

int main(void)
{
    char buffer[1];
    hid_t sets[] = {SET_A, SET_B}, types[] = {INT_TYPE, DOUBLE_TYPE}, spaces[] = {TEN, 0},
          all[] = {0, 0};
    void *buffers[] = {buffer, buffer};
    return H5Fopen_async("a.c", "main", 1, "new.h5", 2, 3, EVENTS) == FILE_ID &&
                   H5Dcreate_async("a.c", "main", 3, FILE_ID, "set", INT_TYPE, TEN, 4, 5, 6,
                                   EVENTS) == SET_A &&
                   H5Dwrite_async("a.c", "main", 2, SET_A, INT_TYPE, TEN, 0, COLLECTIVE, buffer,
                                  EVENTS) == 0 &&
                   H5Dread_multi(2, sets, types, spaces, all, COLLECTIVE, buffers) == 0 &&
                   write_as(0) == 0 && write_as(1) == 0
               ? 0
               : 1;
}

#endif
