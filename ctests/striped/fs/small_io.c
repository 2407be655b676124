/* small_io.c - a request whose data comes or goes in one message: no flow, no other thread. */
#include "server.h"

#include <errno.h>

int small_io(int socket, const struct striped_request *request)
{
    char data[SMALL_IO] = {0};
    struct striped_reply reply = {-EINVAL};
    bool is_write = request->operation == STRIPED_SMALL_WRITE;
    if (request->bytes < 0 || request->bytes > SMALL_IO)
        return -1;
    if (is_write && striped_receive(socket, data, (size_t)request->bytes))
        return -1;
    if (is_write)
        reply.result = disk_pwrite(request->handle, data, request->bytes, request->offset);
    else {
        reply.result = disk_pread(request->handle, data, request->bytes, request->offset);
        if (striped_send(socket, data, (size_t)request->bytes))
            return -1;
    }
    return striped_send(socket, &reply, sizeof reply);
}
