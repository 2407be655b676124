/* window.h - the bytes of a file of any size, with a part of it in memory. */
#ifndef GPTL_POSTPROC_IOC_WINDOW_H
#define GPTL_POSTPROC_IOC_WINDOW_H

#include <stddef.h>
#include <stdint.h>

struct window {
    int fd;
    uint64_t end; /* end of readable data */
    uint64_t at;  /* position of the first byte in memory */
    size_t n, room;
    unsigned char *bytes;
};

/* Return SIZE bytes at AT, unaligned, valid until the next call; NULL if unreadable. */
const void *window_at(struct window *window, uint64_t at, size_t size);
void window_free(struct window *window);

#endif
