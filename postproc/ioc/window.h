/* window.h - the bytes of a file of any size, a part of it in memory at a time. */
#ifndef GPTL_POSTPROC_IOC_WINDOW_H
#define GPTL_POSTPROC_IOC_WINDOW_H

#include <stddef.h>
#include <stdint.h>

struct window {
    int fd;
    uint64_t end; /* nothing is read from here on */
    uint64_t at;  /* of the first byte in memory */
    size_t n, room;
    unsigned char *bytes;
};

/*
 * SIZE bytes at AT, on no alignment: NULL where they are not all there, or cannot be read. They stand
 * until the next call.
 */
const void *window_at(struct window *window, uint64_t at, size_t size);
void window_free(struct window *window);

#endif
