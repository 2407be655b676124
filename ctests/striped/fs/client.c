/* client.c - the client library: a request is cut by strips, and each server gets its part. */
#include "striped.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_SERVERS = 16 };

struct striped_file {
    int32_t handles[MOST_SERVERS];
};

/* The part of one server in a request. */
struct part {
    int64_t offset, bytes; /* in its file */
    bool sent;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sockets[MOST_SERVERS];
static int nservers;

/* ---- Servers ------------------------------------------------------------------------------- */

static int connect_to(const char *path)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    unsigned port = 0;
    char host[64];
    int on = 1;
    FILE *file = fopen(path, "r");
    if (!file)
        return -errno;
    int n = fscanf(file, "%63s %u", host, &port);
    fclose(file);
    if (n != 2 || port > 65535 || inet_pton(AF_INET, host, &address.sin_addr) != 1)
        return -EINVAL;
    address.sin_port = htons((uint16_t)port);
    int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s < 0)
        return -errno;
    if (connect(s, (struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;
        close(s);
        return -error;
    }
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return s;
}

/* Once per process. A missing server is an error for all later calls. */
static int connect_all(void)
{
    const char *names = getenv("STRIPED_SERVERS");
    if (nservers != 0)
        return nservers > 0 ? 0 : nservers;
    char *copy = strdup(names ? names : ""), *rest = copy;
    for (char *path = strsep(&rest, ":"); path && nservers >= 0; path = strsep(&rest, ":")) {
        int s = nservers < MOST_SERVERS ? connect_to(path) : -EINVAL;
        if (s < 0)
            fprintf(stderr, "striped: %s: %s\n", path, strerror(-s));
        else
            sockets[nservers] = s;
        nservers = s < 0 ? s : nservers + 1;
    }
    free(copy);
    return nservers > 0 ? 0 : nservers;
}

/* ---- Requests without data ------------------------------------------------------------------ */

static int64_t ask(int server, const struct striped_request *request)
{
    struct striped_reply reply;
    if (striped_send(sockets[server], request, sizeof *request) ||
        striped_receive(sockets[server], &reply, sizeof reply))
        return -EIO;
    return reply.result;
}

static void set_name(struct striped_request *request, const char *name)
{
    snprintf(request->name, sizeof request->name, "%s", name);
}

/* The same for all servers. Return the first error, else 0. */
static int ask_all(struct striped_request *request, const struct striped_file *file)
{
    int64_t error = 0;
    pthread_mutex_lock(&lock);
    int result = connect_all();
    for (int i = 0; i < nservers; i++) {
        request->handle = file ? file->handles[i] : -1;
        int64_t answer = ask(i, request);
        error = error == 0 && answer < 0 ? answer : error;
    }
    pthread_mutex_unlock(&lock);
    return result < 0 ? result : (int)error;
}

int striped_open(const char *name, int flags, struct striped_file **file)
{
    struct striped_request request = {.operation = STRIPED_OPEN, .bytes = flags};
    struct striped_file *opened = calloc(1, sizeof *opened);
    if (!opened)
        return -ENOMEM;
    set_name(&request, name);
    pthread_mutex_lock(&lock);
    int result = connect_all();
    for (int i = 0; i < nservers && result == 0; i++) {
        int64_t handle = ask(i, &request);
        opened->handles[i] = (int32_t)handle;
        result = handle < 0 ? (int)handle : 0;
    }
    pthread_mutex_unlock(&lock);
    if (result == 0)
        *file = opened;
    else
        free(opened);
    return result;
}

int striped_close(struct striped_file *file)
{
    struct striped_request request = {.operation = STRIPED_CLOSE};
    int result = ask_all(&request, file);
    free(file);
    return result;
}

int striped_sync(struct striped_file *file)
{
    struct striped_request request = {.operation = STRIPED_SYNC};
    return ask_all(&request, file);
}

int striped_delete(const char *name)
{
    struct striped_request request = {.operation = STRIPED_DELETE};
    set_name(&request, name);
    return ask_all(&request, NULL);
}

/* ---- Strips -------------------------------------------------------------------------------- */

/* Return how many of the first BYTES bytes of a file are on SERVER. */
static int64_t bytes_on(int server, int64_t bytes)
{
    int64_t strip = bytes / STRIP, round = strip / nservers, last = strip % nservers;
    return round * STRIP + (server < last ? STRIP : server == last ? bytes % STRIP : 0);
}

/* Return the file's size if SERVER has SIZE bytes of it. */
static int64_t size_by(int server, int64_t size)
{
    int64_t last = size - 1;
    return size > 0 ? (last / STRIP * nservers + server) * STRIP + last % STRIP + 1 : 0;
}

static int64_t size_locked(const struct striped_file *file)
{
    struct striped_request request = {.operation = STRIPED_SIZE};
    int64_t size = 0;
    for (int i = 0; i < nservers; i++) {
        request.handle = file->handles[i];
        int64_t own = ask(i, &request), whole = size_by(i, own);
        if (own < 0)
            return own;
        size = whole > size ? whole : size;
    }
    return size;
}

int64_t striped_size(struct striped_file *file)
{
    pthread_mutex_lock(&lock);
    int64_t size = size_locked(file);
    pthread_mutex_unlock(&lock);
    return size;
}

int striped_resize(struct striped_file *file, int64_t size)
{
    struct striped_request request = {.operation = STRIPED_RESIZE};
    int64_t error = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < nservers; i++) {
        request.handle = file->handles[i];
        request.bytes = bytes_on(i, size);
        int64_t answer = ask(i, &request);
        error = error == 0 && answer < 0 ? answer : error;
    }
    pthread_mutex_unlock(&lock);
    return (int)error;
}

/* Transfer the strips of SERVER in a request, one after another, to or from its socket. */
static int move_strips(int server, bool to_server, char *data, int64_t bytes, int64_t offset)
{
    for (int64_t at = offset, n; at < offset + bytes; at += n) {
        n = STRIP - at % STRIP;
        n = n < offset + bytes - at ? n : offset + bytes - at;
        if (at / STRIP % nservers != server)
            continue;
        char *strip = data + (at - offset);
        if (to_server ? striped_send(sockets[server], strip, (size_t)n)
                      : striped_receive(sockets[server], strip, (size_t)n))
            return -1;
    }
    return 0;
}

/* ---- Data ---------------------------------------------------------------------------------- */

static void fill_request(struct striped_request *request, enum striped_operation operation,
                         int32_t handle, const struct part *part)
{
    memset(request, 0, sizeof *request);
    request->operation = operation;
    request->handle = handle;
    request->offset = part->offset;
    request->bytes = part->bytes;
}

/* A part that fits into one message; servers process it without a flow. */
static int start_small_io(const struct striped_file *file, int server, bool is_write,
                          const struct part *part)
{
    struct striped_request request;
    fill_request(&request, is_write ? STRIPED_SMALL_WRITE : STRIPED_SMALL_READ,
                 file->handles[server], part);
    return striped_send(sockets[server], &request, sizeof request);
}

static int start_io(const struct striped_file *file, int server, bool is_write,
                    const struct part *part)
{
    struct striped_request request;
    fill_request(&request, is_write ? STRIPED_WRITE : STRIPED_READ, file->handles[server], part);
    return striped_send(sockets[server], &request, sizeof request);
}

/* Return the number of bytes that the server had, or less than 0: an errno. */
static int64_t finish_io(int server, bool is_write, const struct part *part, char *data,
                         int64_t bytes, int64_t offset)
{
    struct striped_reply reply;
    if (!part->sent || (!is_write && move_strips(server, false, data, bytes, offset)) ||
        striped_receive(sockets[server], &reply, sizeof reply))
        return -EIO;
    return reply.result;
}

/* All servers get their part before the client waits for the first one. */
static int64_t io_locked(struct striped_file *file, bool is_write, char *data, int64_t bytes,
                         int64_t offset)
{
    struct part parts[MOST_SERVERS] = {0};
    int64_t error = 0;
    bool is_short = false;
    for (int i = 0; i < nservers; i++) {
        struct part *part = &parts[i];
        part->offset = bytes_on(i, offset);
        part->bytes = bytes_on(i, offset + bytes) - part->offset;
        if (part->bytes == 0)
            continue;
        int failed = part->bytes <= SMALL_IO ? start_small_io(file, i, is_write, part)
                                             : start_io(file, i, is_write, part);
        part->sent = !failed && (!is_write || !move_strips(i, true, data, bytes, offset));
    }
    for (int i = 0; i < nservers; i++) {
        if (parts[i].bytes == 0)
            continue;
        int64_t result = finish_io(i, is_write, &parts[i], data, bytes, offset);
        error = error == 0 && result < 0 ? result : error;
        is_short |= result < parts[i].bytes;
    }
    if (error != 0 || !is_short || is_write)
        return error != 0 ? error : bytes;
    int64_t size = size_locked(file); /* a hole reads as zeros; data ends at the end of the file */
    return size < 0 ? size : size <= offset ? 0 : size - offset < bytes ? size - offset : bytes;
}

int64_t striped_sys_io(struct striped_file *file, enum striped_operation operation, void *data,
                       int64_t bytes, int64_t offset)
{
    if (bytes < 0 || offset < 0 || bytes > INT64_MAX - offset)
        return -EINVAL;
    if (bytes == 0)
        return 0;
    pthread_mutex_lock(&lock);
    int64_t result = io_locked(file, operation == STRIPED_WRITE, data, bytes, offset);
    pthread_mutex_unlock(&lock);
    return result;
}
