/*
 * ioc_read.c - any bytes as a log of I/O calls: all calls are read, in both orders, with the same
 * number in both. Checksums are corrected first, because random inputs never have valid ones.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "postproc/ioc/crc.h"
#include "postproc/ioc/walk.h"

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

/* Correct the blocks of a section from AT on. */
static void correct_blocks(uint8_t *log, size_t at, size_t end)
{
    struct gptl_ioc_block block;
    while (end - at >= sizeof block) {
        memcpy(&block, log + at, sizeof block);
        at += sizeof block;
        if (block.size > end - at)
            return;
        block.crc = 0;
        block.crc = crc_of(crc_of(0, &block, sizeof block), log + at, block.size);
        memcpy(log + at - sizeof block, &block, sizeof block);
        uint64_t padded = block.size + (0 - block.size) % GPTL_IOC_ALIGN;
        if (padded > end - at)
            return;
        at += padded;
    }
}

static void correct(uint8_t *log, size_t size)
{
    struct gptl_ioc_header header;
    for (size_t at = 0; size - at >= sizeof header;) {
        memcpy(&header, log + at, sizeof header);
        memcpy(header.magic, GPTL_IOC_MAGIC, sizeof header.magic);
        header.version = GPTL_IOC_VERSION;
        header.header_size = sizeof header;
        header.crc = 0;
        header.crc = crc_of(0, &header, sizeof header);
        memcpy(log + at, &header, sizeof header);
        size_t end = header.section_size < size - at ? at + header.section_size : size;
        if (end < at + sizeof header)
            return;
        correct_blocks(log, at + sizeof header, end);
        at = end;
    }
}

static void count(void *to, const struct call *call)
{
    if (call->process > 1000000 || call->n == 0 || call->read < 0 || call->written < 0)
        abort();
    ++*(uint64_t *)to;
}

static void read_all(int fd)
{
    static const struct selection all = {.rank = -1, .from = INT64_MIN, .to = INT64_MAX};
    uint64_t n[2] = {0, 0};
    char path[64], *paths[] = {path};
    struct log log;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (log_open(&log, paths, 1) == 0) {
        walk_check(&log);
        for (int in_order = 0; in_order < 2; in_order++) {
            struct files files;
            files_begin(&files, NULL);
            walk(&log, &all, &files, in_order, count, &n[in_order]);
            files_free(&files);
        }
        if (n[0] != n[1])
            abort();
    }
    log_free(&log);
}

/* The first byte decides whether the input is read unchanged. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("log", 0);
    if (size == 0 || fd < 0) {
        close(fd);
        return 0;
    }
    uint8_t *log = malloc(size);
    if (!log)
        abort();
    memcpy(log, data + 1, size - 1);
    if (data[0] != '=')
        correct(log, size - 1);
    if (write(fd, log, size - 1) != (ssize_t)(size - 1))
        abort();
    free(log);
    read_all(fd);
    close(fd);
    return 0;
}
