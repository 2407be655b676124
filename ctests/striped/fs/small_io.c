/* small_io.c - a request whose data fits into one message: without a flow or another thread. */
#include "server.h"

int64_t small_io(const struct striped_request *request, char data[SMALL_IO])
{
    if (request->operation == STRIPED_SMALL_WRITE)
        return disk_pwrite(request->handle, data, request->bytes, request->offset);
    return disk_pread(request->handle, data, request->bytes, request->offset);
}
