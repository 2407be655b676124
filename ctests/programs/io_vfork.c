/*
 * A child of vfork that passes the error of exec to its parent through shared memory, like shells;
 * and one that closes and copies descriptors, which do not belong to the parent. Argument `spawn`:
 * posix_spawn instead.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int run(char *const words[], int kept, int other)
{
    volatile int error = 0;
    int status;
    pid_t child = vfork();
    if (child == 0) {
        close(kept);
        dup2(other, kept + 10);
        execvp(words[0], words);
        error = errno;
        write(other, "child", 5);
        _exit(127);
    }
    waitpid(child, &status, 0);
    printf("%s: error %d, status %d\n", words[0], error, WEXITSTATUS(status));
    return error;
}

int main(int argc, char **argv)
{
    char *none[] = {"/no/such", NULL}, *there[] = {"sh", "-c", "exit 3", NULL};
    int kept = open("kept", O_CREAT | O_RDWR, 0600), other = open("other", O_CREAT | O_RDWR, 0600);
    if (argc > 1) {
        pid_t child;
        printf("posix_spawn: %d\n", posix_spawn(&child, none[0], NULL, NULL, none, environ));
        return 0;
    }
    write(kept, "1234567890", 10);
    run(none, kept, other);
    write(kept, "1234567890", 10);
    run(there, kept, other);
    write(kept, "1234567890", 10);
    close(kept);
    return 0;
}
