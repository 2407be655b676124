/*
 * protocol.h - what clients and servers of the striped storage say to each other. Both ends are of one
 * machine, so structs go over the wire as they are.
 *
 * A file is cut into strips that go to the servers in turn. A server keeps its strips of a file one
 * behind the other in a file of its own, so what a request takes of one server is one piece there.
 */
#ifndef STRIPED_PROTOCOL_H
#define STRIPED_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    STRIP = 64 << 10,
    FLOW_BUFFER = 256 << 10, /* a server cuts a request into these */
    SMALL_IO = 6500,         /* up to here the data goes beside the flow */
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

/* Lines NAME=VALUE. They travel with each request, also those that nobody knows. */
struct striped_hints {
    char text[HINTS_ROOM];
};

/* The data of a write follows. */
struct striped_request {
    uint32_t operation;
    int32_t handle;
    int64_t offset, bytes; /* in the server's file; what flags an open has */
    char name[NAME_ROOM];
    struct striped_hints hints;
};

/* Behind the data of a read. Its result is a number, or less than 0: an errno. */
struct striped_reply {
    int64_t result;
};

/* Returns 0, or -1: there is no room. */
int striped_hint_add(struct striped_hints *hints, const char *name, const char *value);
/* VALUE gets the hint's value, "" if there is none, and is returned. */
char *striped_hint_get(const struct striped_hints *hints, const char *name, char value[HINTS_ROOM]);

/* All of it. Returns 0, or -1: the other end is gone. */
int striped_send(int socket, const void *data, size_t size);
int striped_receive(int socket, void *data, size_t size);

#endif
