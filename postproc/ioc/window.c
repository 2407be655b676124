/*
 * window.c - the bytes of a file of any size. They are read, not mapped: if the file shrinks or the
 * disk fails, access to a mapping would end the program.
 */
#include "config.h"

#include "postproc/ioc/window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postproc/ioc/memory.h"

enum { LEAST = 1 << 18 };

const void *window_at(struct window *window, uint64_t at, size_t size)
{
    if (at > window->end || size > window->end - at)
        return NULL;
    if (at >= window->at && at - window->at <= window->n && size <= window->n - (at - window->at))
        return window->bytes + (at - window->at);
    size_t wanted = size;
    if (wanted < LEAST)
        wanted = LEAST;
    if (wanted > window->end - at)
        wanted = (size_t)(window->end - at);
    window->bytes = memory_room(window->bytes, &window->room, wanted, 1);
    window->at = at;
    window->n = 0;
    while (window->n < wanted) {
        ssize_t n = pread(window->fd, window->bytes + window->n, wanted - window->n,
                          (off_t)(at + window->n));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        window->n += (size_t)n;
    }
    return window->n >= size ? window->bytes : NULL;
}

void window_free(struct window *window)
{
    free(window->bytes);
    *window = (struct window){0};
}
