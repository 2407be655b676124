/*
 * orangefs_client.c - the program of ./dev check-orangefs: writes and reads of all kinds through
 * the system interface of OrangeFS, each in a span of MPI-IO as in ROMIO, and a check of the data
 * read.
 *
 *     orangefs_client NAME ROUNDS
 *
 * Creates the file NAME in the root, and prints the number of its accesses and their bytes. ROUNDS
 * additional accesses have 64 KiB.
 */
#include <gptl_probe.h>
#include <pvfs2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROOM = 8 << 20 };

static PVFS_object_ref file;
static PVFS_credential credential;
static char *written, *got;
static unsigned long long accesses, bytes;

static void check(int result, const char *what)
{
    if (result >= 0)
        return;
    PVFS_perror(what, result);
    exit(1);
}

static void prepare(char *name)
{
    PVFS_fs_id fs;
    PVFS_sysresp_lookup root;
    PVFS_sysresp_create created;
    PVFS_sys_attr attributes = {.perms = PVFS_U_WRITE | PVFS_U_READ,
                                .mask = PVFS_ATTR_SYS_ALL_SETABLE};
    char path[] = "/";
    check(PVFS_util_init_defaults(), "PVFS_util_init_defaults");
    check(PVFS_util_get_default_fsid(&fs), "PVFS_util_get_default_fsid");
    check(PVFS_util_gen_credential_defaults(&credential), "PVFS_util_gen_credential_defaults");
    check(PVFS_sys_lookup(fs, path, &credential, &root, PVFS2_LOOKUP_LINK_FOLLOW, NULL),
          "PVFS_sys_lookup");
    attributes.owner = credential.userid;
    attributes.group = credential.group_array[0];
    attributes.atime = attributes.ctime = attributes.mtime = (PVFS_time)time(NULL);
    check(PVFS_sys_create(name, root.ref, attributes, &credential, NULL, &created, NULL, NULL),
          "PVFS_sys_create");
    file = created.ref;
}

/* Make one access in a separate span; BLOCKING or by PVFS_isys_io. Return the bytes moved. */
static long long access_file(enum PVFS_io_type type, PVFS_Request in_file, long long offset,
                             PVFS_Request in_memory, bool blocking)
{
    PVFS_sysresp_io response = {0};
    PVFS_sys_op_id id;
    int error = 0;
    char *buffer = type == PVFS_IO_WRITE ? written : got;
    GPTLprobe_begin(GPTL_LAYER_MPI, type == PVFS_IO_WRITE ? GPTL_OP_WRITE : GPTL_OP_READ);
    if (blocking) {
        check(PVFS_sys_io(file, in_file, offset, buffer, in_memory, &credential, &response, type,
                          NULL),
              "PVFS_sys_io");
    } else {
        check(PVFS_isys_io(file, in_file, offset, buffer, in_memory, &credential, &response, type,
                           &id, NULL, NULL),
              "PVFS_isys_io");
        for (int n = 0; id != -1 && n == 0;) {
            n = 1;
            check(PVFS_sys_testsome(&id, &n, NULL, &error, 100), "PVFS_sys_testsome");
        }
        check(error, "PVFS_isys_io, at its end");
    }
    GPTLprobe_bytes(GPTL_LAYER_MPI, response.total_completed);
    GPTLprobe_end(GPTL_LAYER_MPI);
    accesses++;
    bytes += (unsigned long long)response.total_completed;
    return response.total_completed;
}

static void write_and_read(long long size, long long offset, bool blocking)
{
    PVFS_Request request;
    for (long long i = 0; i < size; i++)
        written[i] = (char)(rand() >> 8);
    memset(got, 0, (size_t)size);
    check(PVFS_Request_contiguous((int32_t)size, PVFS_BYTE, &request), "PVFS_Request_contiguous");
    long long n = access_file(PVFS_IO_WRITE, PVFS_BYTE, offset, request, blocking);
    long long m = access_file(PVFS_IO_READ, PVFS_BYTE, offset, request, blocking);
    if (n != size || m != size || memcmp(written, got, (size_t)size) != 0) {
        fprintf(stderr, "orangefs_client: %lld bytes at %lld: %lld written, %lld read\n", size,
                offset, n, m);
        exit(1);
    }
    PVFS_Request_free(&request);
}

/* COUNT pieces of SIZE bytes, a piece every 3 * SIZE bytes of the file: list I/O. */
static void write_and_read_pieces(int count, int size)
{
    PVFS_Request in_file, in_memory;
    for (long i = 0; i < (long)count * size; i++)
        written[i] = (char)(rand() >> 8);
    memset(got, 0, (size_t)count * (size_t)size);
    check(PVFS_Request_vector(count, size, 3 * (PVFS_size)size, PVFS_BYTE, &in_file),
          "PVFS_Request_vector");
    check(PVFS_Request_contiguous(count * size, PVFS_BYTE, &in_memory), "PVFS_Request_contiguous");
    long long n = access_file(PVFS_IO_WRITE, in_file, 0, in_memory, true);
    long long m = access_file(PVFS_IO_READ, in_file, 0, in_memory, true);
    if (n != (long long)count * size || m != n ||
        memcmp(written, got, (size_t)count * (size_t)size) != 0) {
        fprintf(stderr, "orangefs_client: %d pieces of %d bytes: %lld written, %lld read\n", count,
                size, n, m);
        exit(1);
    }
    PVFS_Request_free(&in_file);
    PVFS_Request_free(&in_memory);
}

int main(int argc, char **argv)
{
    static const long long sizes[] = {1,     100,    4096,   6000,    6500,      8192,
                                      16384, 100000, 262144, 1048699, ROOM - 77, ROOM};
    if (argc != 3)
        return 2;
    written = malloc(ROOM);
    got = malloc(ROOM);
    if (!written || !got)
        return 1;
    prepare(argv[1]);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        write_and_read(sizes[i], 12345, true);
        write_and_read(sizes[i], (long long)i << 24, false);
    }
    write_and_read_pieces(7, 10);
    write_and_read_pieces(64, 1000);
    write_and_read_pieces(500, 7000);
    for (int i = atoi(argv[2]); i > 0; i--)
        write_and_read(65536, (long long)i << 16, true);
    printf("%llu %llu\n", accesses, bytes);
    PVFS_sys_finalize();
    return 0;
}
