/* protocol.c - common code of both ends: hints, and transfers of whole messages. */
#include "protocol.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

int striped_hint_add(struct striped_hints *hints, const char *name, const char *value)
{
    size_t used = strlen(hints->text), room = HINTS_ROOM - used;
    int n = snprintf(hints->text + used, room, "%s=%s\n", name, value);
    if (n >= 0 && (size_t)n < room)
        return 0;
    hints->text[used] = '\0';
    return -1;
}

char *striped_hint_get(const struct striped_hints *hints, const char *name, char value[HINTS_ROOM])
{
    size_t n = strlen(name);
    value[0] = '\0';
    for (const char *line = hints->text; *line; line += strcspn(line, "\n") + 1)
        if (strncmp(line, name, n) == 0 && line[n] == '=') {
            snprintf(value, HINTS_ROOM, "%.*s", (int)strcspn(line + n + 1, "\n"), line + n + 1);
            break;
        }
    return value;
}

int striped_send(int socket, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t n = send(socket, at, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

int striped_receive(int socket, void *data, size_t size)
{
    char *at = data;
    while (size > 0) {
        ssize_t n = recv(socket, at, size, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return -1;
        at += n;
        size -= (size_t)n;
    }
    return 0;
}
