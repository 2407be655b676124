/*
 * ranks_file.c - writes the JSON reports of all ranks to one file:
 *
 * {"format":"gptl-profiles","version":1,"profiles":[REPORT, REPORT, …]}
 *
 * in rank order, with null for a rank without a report. Each rank writes its report to memory; then
 * all ranks write simultaneously at their offsets in the file.
 */
#include "config.h"

#include "ranks/ranks_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/descriptor.h"

#include "report/out.h"
#include "report/output.h"

/* Write this rank's part to FD. False on failure. */
static bool put_part(int fd, const struct gptl_transport *transport,
                     const struct gptl_profile *profile)
{
    struct gptl_out *out = gptl_out_new(fd);
    if (!out)
        return false;
    if (transport->rank == 0)
        gptl_out_literal(out, "{\"format\":\"gptl-profiles\",\"version\":1,\"profiles\":[\n");
    else
        gptl_out_literal(out, ",\n");
    bool whole = true;
    if (profile)
        whole = gptl_output_put_json(out, profile) == 0;
    else
        gptl_out_literal(out, "null");
    if (transport->rank == transport->size - 1)
        gptl_out_literal(out, "]}\n");
    whole = gptl_out_flush(out) == 0 && whole;
    free(out);
    return whole;
}

/* Return a memory file with this rank's part; -1 on failure. */
static int make_part(const struct gptl_transport *transport, const struct gptl_profile *profile,
                     size_t *size)
{
    struct stat status;
    int fd = gptl_descriptor_raise(memfd_create("gptl", MFD_CLOEXEC));
    *size = 0;
    if (fd >= 0 && put_part(fd, transport, profile) && fstat(fd, &status) == 0) {
        *size = (size_t)status.st_size;
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

int gptl_ranks_put_file(const char *function, const struct gptl_transport *transport,
                        const struct gptl_profile *profile, const char *path)
{
    size_t size;
    int fd = make_part(transport, profile, &size);
    if (fd < 0 && profile) /* the others' reports are useful even without this one */
        fd = make_part(transport, NULL, &size);
    void *bytes = fd >= 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    bool mapped = bytes != MAP_FAILED;
    int result =
        transport->write_file(transport->context, path, mapped ? bytes : "", mapped ? size : 0);
    if (mapped)
        munmap(bytes, size);
    if (fd >= 0)
        close(fd);
    if (result && transport->rank == 0)
        gptl_core_error(function,
                        "cannot write %s: MPI reports an error; there is no file of all "
                        "ranks' reports",
                        path);
    return result;
}
