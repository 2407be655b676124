/*
 * iostack_log.c - any bytes as logs of spans: the input is split into two logs. The records are
 * joined, and all rows are created. Headers may be corrected first, because few inputs would pass
 * their checks.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "postproc/iostack/calls.h"

#include "iostack/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A log is small here: chunks begin at its header's end, and are moved to their positions. */
static int make_log(const uint8_t *data, size_t size, uint64_t process, uint32_t layer)
{
    struct gptl_iostack_header header = {.version = GPTL_IOSTACK_VERSION,
                                         .header_size = sizeof header,
                                         .record_size = sizeof(struct gptl_iostack_record),
                                         .layer = layer,
                                         .process = process,
                                         .flags = GPTL_IOSTACK_NANOSECONDS};
    struct gptl_iostack_chunk chunk = {
        .magic = GPTL_IOSTACK_CHUNK_MAGIC, .process = process, .size = 1 << 16, .layer = layer};
    int fd = memfd_create("log", 0);
    if (fd < 0)
        abort();
    memcpy(header.magic, GPTL_IOSTACK_MAGIC, sizeof header.magic);
    if (size > 0 && data[0] == '=') { /* as it is */
        if (write(fd, data + 1, size - 1) != (ssize_t)(size - 1))
            abort();
        return fd;
    }
    if (size > sizeof chunk && data[0] == '+') /* a chunk's head too */
        memcpy(&chunk, data, sizeof chunk);
    if (pwrite(fd, &header, sizeof header, 0) < 0 ||
        pwrite(fd, &chunk, sizeof chunk, GPTL_IOSTACK_ALIGN) < 0 ||
        pwrite(fd, data, size < 60000 ? size : 60000, GPTL_IOSTACK_ALIGN + sizeof chunk) < 0)
        abort();
    return fd;
}

static void count(void *to, const struct call *call, const struct call_spans *spans,
                  const struct cell *cells, size_t ncells)
{
    uint64_t n = 0;
    for (size_t i = 0; i < ncells; i++)
        n += cells[i].spans;
    if (n != spans->n || call->number < 0)
        abort();
    *(uint64_t *)to += n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[2][64], *paths[] = {path[0], path[1]};
    struct stack stack;
    struct query query;
    struct sorter by_call;
    uint64_t n = 0;
    int fds[2] = {make_log(data, size / 2, 1, GPTL_LAYER_MPI),
                  make_log(data + size / 2, size - size / 2, 2, GPTL_LAYER_DISK)};
    for (int i = 0; i < 2; i++)
        snprintf(path[i], sizeof path[i], "/proc/self/fd/%d", fds[i]);
    query_begin(&query);
    if (stack_open(&stack, paths, 2) == 0) {
        join(&stack, size % 2 != 0, &by_call);
        calls_walk(&stack, &query, &by_call, count, &n);
        sorter_free(&by_call);
        const struct counts *c = &stack.counts;
        if (n + c->duplicates + c->circles + c->too_deep < c->spans)
            abort(); /* a span is neither in the result nor reported */
        char **notes = stack_notes(&stack);
        for (size_t i = 0; notes[i]; i++)
            free(notes[i]);
        free(notes);
    }
    stack_free(&stack);
    query_free(&query);
    close(fds[0]);
    close(fds[1]);
    return 0;
}
