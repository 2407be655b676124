/*
 * server.c - a server of the striped storage: a process that stores its strips in a directory. It
 * is in the background when the command returns, and listens at a port that the kernel selected,
 * which it has written to a file; that file is locked while the process exists.
 *
 * usage: striped-server FOLDER ADDRESS-FILE [ACCESS-AT-WHICH-IT-DIES]
 */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DISK_THREADS = 2 };

static int folder;

/* ---- Requests ------------------------------------------------------------------------------ */

/* A name with slashes is a file name here. */
static char *own_name(const struct striped_request *request, char name[NAME_ROOM])
{
    snprintf(name, NAME_ROOM, "%s", request->name);
    for (char *at = name; *at; at++)
        *at = *at == '/' ? '%' : *at;
    return name;
}

static int64_t result_of(int result)
{
    return result < 0 ? -errno : result;
}

static int64_t serve_metadata(const struct striped_request *request)
{
    char name[NAME_ROOM];
    struct stat status;
    switch (request->operation) {
    case STRIPED_OPEN: /* a write-only open may read: a strip is written by many */
        return result_of(openat(folder, own_name(request, name),
                                O_RDWR | O_CLOEXEC | ((int)request->bytes & (O_CREAT | O_TRUNC)),
                                0666));
    case STRIPED_CLOSE:
        return result_of(close(request->handle));
    case STRIPED_SIZE:
        return fstat(request->handle, &status) == 0 ? status.st_size : -errno;
    case STRIPED_RESIZE:
        return result_of(ftruncate(request->handle, request->bytes));
    case STRIPED_SYNC:
        return result_of(fsync(request->handle));
    case STRIPED_DELETE:
        return result_of(unlinkat(folder, own_name(request, name), 0));
    default:
        return -EINVAL;
    }
}

static int serve_io(int socket, struct flow *flow, const struct striped_request *request)
{
    flow->socket = socket;
    flow->file = request->handle;
    flow->is_write = request->operation == STRIPED_WRITE;
    flow->offset = request->offset;
    flow->bytes = request->bytes;
    flow->hints = request->hints;
    io_start_flow(flow);
    if (flow_run(flow))
        return -1;
    struct striped_reply reply = {flow->error ? -flow->error : flow->had};
    return striped_send(socket, &reply, sizeof reply);
}

static int serve_small(int socket, const struct striped_request *request)
{
    char data[SMALL_IO] = {0};
    bool is_write = request->operation == STRIPED_SMALL_WRITE;
    if (request->bytes < 0 || request->bytes > SMALL_IO ||
        (is_write && striped_receive(socket, data, (size_t)request->bytes)))
        return -1;
    struct striped_reply reply = {small_io(request, data)};
    if (!is_write && striped_send(socket, data, (size_t)request->bytes))
        return -1;
    return striped_send(socket, &reply, sizeof reply);
}

static int serve_one(int socket, struct flow *flow, const struct striped_request *request)
{
    if (request->operation == STRIPED_SMALL_READ || request->operation == STRIPED_SMALL_WRITE)
        return serve_small(socket, request);
    if (request->operation == STRIPED_READ || request->operation == STRIPED_WRITE)
        return request->bytes > 0 ? serve_io(socket, flow, request) : -1;
    struct striped_reply reply = {serve_metadata(request)};
    return striped_send(socket, &reply, sizeof reply);
}

/* ---- Connections --------------------------------------------------------------------------- */

static void *serve(void *to)
{
    int socket = (int)(intptr_t)to, on = 1;
    struct striped_request request;
    struct flow flow = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    flow.buffers = calloc(FLOW_BUFFERS, sizeof *flow.buffers);
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    while (flow.buffers && striped_receive(socket, &request, sizeof request) == 0 &&
           serve_one(socket, &flow, &request) == 0)
        ;
    close(socket);
    free(flow.buffers);
    return NULL;
}

static void *accept_all(void *to)
{
    int listening = (int)(intptr_t)to;
    for (;;) {
        pthread_t thread;
        int socket = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
        if (socket < 0)
            continue;
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)socket))
            close(socket);
        else
            pthread_detach(thread);
    }
    return NULL;
}

/* ---- The process --------------------------------------------------------------------------- */

static void give_up(const char *what)
{
    fprintf(stderr, "striped-server: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int listen_anywhere(struct sockaddr_in *address)
{
    socklen_t size = sizeof *address;
    int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    *address = (struct sockaddr_in){.sin_family = AF_INET};
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (s < 0 || bind(s, (struct sockaddr *)address, sizeof *address) != 0 || listen(s, 64) != 0 ||
        getsockname(s, (struct sockaddr *)address, &size) != 0)
        give_up("cannot listen");
    return s;
}

/* The file appears when it is complete. Its lock ends with the process. */
static void tell_address(const char *path, const struct sockaddr_in *address)
{
    char temporary[4096], host[INET_ADDRSTRLEN];
    snprintf(temporary, sizeof temporary, "%s.new", path);
    inet_ntop(AF_INET, &address->sin_addr, host, sizeof host);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0 || flock(fd, LOCK_EX) != 0 ||
        dprintf(fd, "%s %u %ld\n", host, (unsigned)ntohs(address->sin_port), (long)getpid()) < 0 ||
        rename(temporary, path) != 0)
        give_up(path);
}

/* The command ends when its child, the server, has reported its address or failed. */
static void go_to_background(int *told)
{
    int both[2];
    char byte;
    if (pipe2(both, O_CLOEXEC) != 0)
        give_up("cannot make a pipe");
    pid_t pid = fork();
    if (pid < 0)
        give_up("cannot fork");
    close(both[pid == 0 ? 0 : 1]);
    if (pid > 0)
        _exit(read(both[0], &byte, 1) == 1 ? 0 : 1);
    *told = both[1];
}

int main(int argc, char **argv)
{
    struct sockaddr_in address;
    pthread_t acceptor;
    sigset_t ends;
    int told, got;
    if (argc < 3) {
        fputs("usage: striped-server FOLDER ADDRESS-FILE [ACCESS-AT-WHICH-IT-DIES]\n", stderr);
        return 2;
    }
    folder = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        give_up(argv[1]);
    go_to_background(&told);
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    int listening = listen_anywhere(&address);
    if (disk_start(DISK_THREADS, argc > 3 ? atoll(argv[3]) : 0) ||
        pthread_create(&acceptor, NULL, accept_all, (void *)(intptr_t)listening))
        give_up("cannot start threads");
    tell_address(argv[2], &address);
    if (write(told, "", 1) != 1)
        return 1;
    close(told);
    sigwait(&ends, &got);
    return 0;
}
