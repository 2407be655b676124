/*
 * machine_read.c - any bytes as the profile of a machine: it is refused, or it is written, read
 * back and written identically, has rates above 0, and can be edited.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "postproc/machine/machine.h"
#include "postproc/maps/edit.h"

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

static int file_of(const void *data, size_t size)
{
    int fd = memfd_create("machine", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    return fd;
}

static int read_from(int fd, struct machine *machine)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return machine_read(machine, "fuzz", path);
}

static int written(const struct machine *machine)
{
    int fd = file_of("", 0);
    struct gptl_out *out = gptl_out_new(fd);
    if (!out)
        abort();
    machine_write(machine, out);
    if (gptl_out_flush(out))
        abort();
    free(out);
    return fd;
}

static void *contents(int fd, size_t *size)
{
    struct stat status;
    if (fstat(fd, &status) || status.st_size <= 0)
        abort();
    *size = (size_t)status.st_size;
    void *all = malloc(*size);
    if (!all || pread(fd, all, *size, 0) != status.st_size)
        abort();
    return all;
}

static void compare(int a, int b)
{
    size_t na, nb;
    void *first = contents(a, &na), *second = contents(b, &nb);
    if (na != nb || memcmp(first, second, na) != 0)
        abort();
    free(first);
    free(second);
}

static void look_up(const struct machine *machine)
{
    for (size_t i = 0; i < machine->ncurves; i++) {
        struct machine_kind kind = machine->curves[i].kind;
        for (double bytes = 1; bytes < 1e20; bytes *= 7)
            if (!(machine_rate(machine, &kind, bytes) > 0))
                abort();
        kind.stride_lines += 3;
        kind.cores += 2;
        if (!(machine_rate(machine, &kind, 1e6) > 0))
            abort();
        for (size_t level = 0; level <= machine->ncaches; level++)
            if (!(machine_level_rate(machine, &kind, level) > 0))
                abort();
    }
}

/* The result of an edit is a profile as well, unless numbers have become too large or small. */
static void edit(struct machine *machine)
{
    static const char *const edits[] = {
        "L1.rate*=2",     "L2.bytes*=1.5",      "memory.latency=100ns", "L3.bytes=64M",
        "memory.rate*=3", "arithmetic.rate*=2", "network.latency*=2"};
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
        edit_machine(machine, edits[i]);
    struct machine again;
    int fd = written(machine);
    read_from(fd, &again);
    close(fd);
    machine_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct machine machine, again;
    int fd = file_of(data, size);
    if (read_from(fd, &machine) == 0) {
        int first = written(&machine);
        if (read_from(first, &again) != 0)
            abort();
        int second = written(&again);
        compare(first, second);
        close(first);
        close(second);
        machine_free(&again);
        look_up(&machine);
        edit(&machine);
    }
    machine_free(&machine);
    close(fd);
    return 0;
}
