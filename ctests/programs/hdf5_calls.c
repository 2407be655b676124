/*
 * hdf5_calls.c - calls of HDF5 in one process. It prints the expected span of each call that moves
 * data: operation and bytes, -1 if unknown.
 */
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

static hid_t file;

static void say(const char *operation, long bytes)
{
    printf("%s\t%ld\n", operation, bytes);
}

static hid_t make(const char *name, hid_t type, hid_t space, hid_t properties)
{
    return H5Dcreate(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
}

static void whole_and_part(void)
{
    static double data[10][20];
    static float small[10][20];
    hsize_t size[2] = {10, 20}, start[2] = {2, 3}, count[2] = {5, 4}, none[1] = {1};
    hid_t space = H5Screate_simple(2, size, NULL), memory = H5Screate_simple(2, count, NULL);
    hid_t set = make("doubles", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT);
    say("write", 1600);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    say("write", 160);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, data);
    say("read", 160);
    H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, space, H5P_DEFAULT, data);
    say("read", 800); /* the size in memory, not in the file */
    H5Dread(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, small);
    H5Sselect_none(space);
    H5Sselect_none(memory);
    say("write", 0);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, data);
    say("read", -1); /* no space, which is an error */
    H5Dread(set, H5T_NATIVE_DOUBLE, set, space, H5P_DEFAULT, data);
    say("write", -1); /* no dataset */
    H5Dwrite(12345, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(set);
    H5Sclose(space);
    H5Sclose(memory);
    (void)none;
}

static void other_types(void)
{
    hsize_t size[1] = {3};
    const char *texts[3] = {"one", "two", "three"};
    struct {
        char a;
        double b;
    } both[3] = {{0}};
    hid_t space = H5Screate_simple(1, size, NULL), text = H5Tcopy(H5T_C_S1);
    hid_t pair = H5Tcreate(H5T_COMPOUND, sizeof both[0]);
    H5Tset_size(text, H5T_VARIABLE);
    H5Tinsert(pair, "a", 0, H5T_NATIVE_CHAR);
    H5Tinsert(pair, "b", 8, H5T_NATIVE_DOUBLE);
    hid_t set = make("texts", text, space, H5P_DEFAULT);
    say("write", -1);
    H5Dwrite(set, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts);
    H5Dclose(set);
    set = make("pairs", pair, space, H5P_DEFAULT);
    say("write", 48);
    H5Dwrite(set, pair, H5S_ALL, H5S_ALL, H5P_DEFAULT, both);
    H5Dclose(set);
    set = make("fixed", H5T_C_S1, space, H5P_DEFAULT);
    hid_t fixed = H5Tcopy(H5T_C_S1);
    for (size_t n = 2; n <= sizeof both / 3; n *= 2) { /* a type has its most recent size */
        H5Tset_size(fixed, n);
        say("write", (long)(3 * n));
        H5Dwrite(set, fixed, H5S_ALL, H5S_ALL, H5P_DEFAULT, both);
    }
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(fixed);
    H5Tclose(text);
    H5Tclose(pair);
}

static void chunks(void)
{
    static int data[64];
    hsize_t size[1] = {64}, chunk[1] = {16}, more[1] = {128}, at[1] = {16},
            most[1] = {H5S_UNLIMITED};
    uint32_t filters;
    hid_t space = H5Screate_simple(1, size, most), properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 1, chunk);
    hid_t set = make("chunks", H5T_NATIVE_INT, space, properties);
    say("write", 64);
    H5Dwrite_chunk(set, H5P_DEFAULT, 0, at, 64, data);
    say("read", -1);
    H5Dread_chunk(set, H5P_DEFAULT, at, &filters, data);
    H5Dset_extent(set, more);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(properties);
}

static void attributes(void)
{
    int three[3] = {1, 2, 3};
    hsize_t size[1] = {3};
    hid_t space = H5Screate_simple(1, size, NULL);
    hid_t group = H5Gcreate(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t attribute = H5Acreate(group, "three", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    say("write", 12);
    H5Awrite(attribute, H5T_NATIVE_INT, three);
    say("read", 12);
    H5Aread(attribute, H5T_NATIVE_INT, three);
    H5Aclose(attribute);
    H5Gclose(group);
    H5Sclose(space);
}

static herr_t visit(hid_t group, const char *name, const H5L_info_t *info, void *opened)
{
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    (void)info;
    ++*(int *)opened;
    return H5Oclose(object);
}

/* HDF5 restarts, and reuses ids. */
static void again(void)
{
    int one = 1;
    file = H5Fcreate("again.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t set = make("one", H5T_NATIVE_INT, space, H5P_DEFAULT);
    say("write", 4);
    H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &one);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
}

int main(void)
{
    int opened = 0;
    file = H5Fcreate("calls.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    whole_and_part();
    other_types();
    chunks();
    attributes();
    H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, visit, &opened);
    H5Fclose(file);
    file = H5Fopen("is-not-there.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    int is_there = file >= 0;
    H5close();
    again();
    return !is_there && opened == 6 ? 0 : 1;
}
