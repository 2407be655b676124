/*
 * signature_read.c - any bytes as an application signature: they are refused, or the signature is
 * the same after it was written and read again, and can be merged with itself.
 */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "postproc/signature/signature.h"
#include "report/out.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* Suppress messages about each input. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    stderr = fopen("/dev/null", "w");
    return stderr ? 0 : -1;
}

static int new_file(void)
{
    int fd = memfd_create("signature", 0);
    if (fd < 0)
        abort();
    return fd;
}

static struct signature *read_back(int fd)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return signature_read("fuzz", path);
}

static int written(const struct signature *s)
{
    int fd = new_file();
    struct gptl_out *out = gptl_out_new(fd);
    if (!out)
        abort();
    signature_write(out, s);
    if (gptl_out_flush(out))
        abort();
    free(out);
    return fd;
}

static bool are_equal(int a, int b)
{
    off_t size = lseek(a, 0, SEEK_END);
    if (size < 0 || size != lseek(b, 0, SEEK_END))
        return false;
    char *text = malloc(2 * (size_t)size + 1);
    bool equal = text && pread(a, text, (size_t)size, 0) == size &&
                 pread(b, text + size, (size_t)size, 0) == size &&
                 memcmp(text, text + size, (size_t)size) == 0;
    free(text);
    return equal;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = new_file();
    if (write(fd, data, size) != (ssize_t)size)
        abort();
    struct signature *s = read_back(fd);
    close(fd);
    if (!s)
        return 0;
    int first = written(s);
    struct signature *again = read_back(first);
    if (!again)
        abort();
    int second = written(again);
    if (!are_equal(first, second))
        abort();
    const struct signature *both[] = {s, again};
    const char *paths[] = {"a", "b"};
    signature_free(signature_merge("fuzz", both, paths, 2));
    signature_free(again);
    signature_free(s);
    close(first);
    close(second);
    return 0;
}
