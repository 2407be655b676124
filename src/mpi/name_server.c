/*
 * name_server.c - detects that publishing a name would make MPICH's launcher end the job.
 *
 * mpiexec of MPICH keeps published names itself, unless it was started with -nameserver HOST. If
 * nothing listens there, the first published name ends the job. MPI offers no query, so this file
 * searches the process's ancestors for the launcher, and connects to its server once.
 */
#include "config.h"

#include "mpi/name_server.h"

#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ARGUMENTS_SIZE = 65536, MOST_ANCESTORS = 16 };
static const char default_port[] = "6392"; /* of hydra_nameserver */

/* Read /proc/PID/NAME and append a NUL. Return its length; 0 if it is unreadable. */
static size_t read_file(long pid, const char *name, char *to, size_t size)
{
    char path[64];
    size_t n = 0;
    ssize_t more = 1;
    snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && n < size - 1 && (more = read(fd, to + n, size - 1 - n)) > 0)
        n += (size_t)more;
    if (fd >= 0)
        close(fd);
    to[n] = '\0';
    return n;
}

static long parent_of(long pid)
{
    char text[1024];
    const char *end;
    if (!read_file(pid, "stat", text, sizeof text) || !(end = strrchr(text, ')')))
        return 0;
    char state;
    long parent = 0;
    return sscanf(end + 1, " %c %ld", &state, &parent) == 2 ? parent : 0;
}

/* Return the value of the option -nameserver in N bytes of ARGUMENTS, or NULL. */
static const char *server_in(const char *arguments, size_t n)
{
    for (const char *at = arguments; at < arguments + n; at += strlen(at) + 1) {
        const char *next = at + strlen(at) + 1;
        if ((strcmp(at, "-nameserver") == 0 || strcmp(at, "--nameserver") == 0) &&
            next < arguments + n)
            return next;
    }
    return NULL;
}

static bool listens(const char *server)
{
    char host[256];
    const char *colon = strrchr(server, ':');
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found = NULL;
    snprintf(host, sizeof host, "%.*s", colon ? (int)(colon - server) : 255, server);
    if (getaddrinfo(host, colon ? colon + 1 : default_port, &hints, &found))
        return false;
    bool connected = false;
    for (const struct addrinfo *a = found; a && !connected; a = a->ai_next) {
        int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        connected = fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) == 0;
        if (fd >= 0)
            close(fd);
    }
    freeaddrinfo(found);
    return connected;
}

bool gptl_mpi_name_server_is_down(void)
{
    char *arguments = malloc(ARGUMENTS_SIZE);
    const char *server = NULL;
    long pid = parent_of((long)getpid());
    for (int i = 0; arguments && i < MOST_ANCESTORS && pid > 1 && !server; i++) {
        size_t n = read_file(pid, "cmdline", arguments, ARGUMENTS_SIZE);
        server = server_in(arguments, n);
        pid = parent_of(pid);
    }
    bool is_down = server && !listens(server);
    free(arguments);
    return is_down;
}
