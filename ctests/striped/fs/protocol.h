/*
 * protocol.h - the messages between clients and servers of the striped storage. Both ends are on
 * one machine, so structs are sent unchanged.
 *
 * A file is cut into strips that are distributed over the servers in turn. A server stores its
 * strips of a file contiguously in a separate file, so the part of a request on one server is
 * contiguous there.
 */
#ifndef STRIPED_PROTOCOL_H
#define STRIPED_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    STRIP = 64 << 10,
    FLOW_BUFFER = 256 << 10, /* a server cuts a request into buffers of this size */
    SMALL_IO = 6500,         /* up to this size the data bypasses the flow */
    NAME_ROOM = 256,
    HINTS_ROOM = 256
};

enum striped_operation {
    STRIPED_READ = 1,
    STRIPED_WRITE,
    STRIPED_SMALL_READ,
    STRIPED_SMALL_WRITE,
    STRIPED_OPEN,
    STRIPED_CLOSE,
    STRIPED_SIZE,
    STRIPED_RESIZE,
    STRIPED_SYNC,
    STRIPED_DELETE
};

/* Lines NAME=VALUE. They travel with each request, including unknown ones. */
struct striped_hints {
    char text[HINTS_ROOM];
};

/* The data of a write follows. */
struct striped_request {
    uint32_t operation;
    int32_t handle;
    int64_t offset, bytes; /* in the server's file; flags of an open */
    char name[NAME_ROOM];
    struct striped_hints hints;
};

/* After the data of a read. Its result is a number, or less than 0: an errno. */
struct striped_reply {
    int64_t result;
};

/* Return 0, or -1 if there is no space. */
int striped_hint_add(struct striped_hints *hints, const char *name, const char *value);
/* Copy the hint's value, or "", to VALUE, and return VALUE. */
char *striped_hint_get(const struct striped_hints *hints, const char *name, char value[HINTS_ROOM]);

/* Transfer everything. Return 0, or -1: the other end is gone. */
int striped_send(int socket, const void *data, size_t size);
int striped_receive(int socket, void *data, size_t size);

#endif
