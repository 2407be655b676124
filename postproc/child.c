/* child.c - starts a command, passes signals on to it, and waits for its end. */
#include "config.h"

#include "postproc/child.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t child = -1;

static void pass_on(int signal)
{
    if (child > 0)
        kill(child, signal);
}

FILE *gptl_child_open(const char *word, char *file, size_t size)
{
    const char *path = strchr(word, '/') ? "" : getenv("PATH");
    FILE *found = NULL;
    for (; path && !found; path = *path ? path + 1 : NULL) {
        size_t n = strcspn(path, ":");
        snprintf(file, size, "%.*s%s%s", (int)n, path, n ? "/" : "", word);
        found = access(file, X_OK) == 0 ? fopen(file, "rb") : NULL;
        path += n;
    }
    return found;
}

int gptl_child_run(const char *who, char **words, void (*start)(char **words, const void *argument),
                   const void *argument, pid_t *pid)
{
    /* The terminal sends its signals to the command as well. */
    void (*interrupt)(int) = signal(SIGINT, SIG_IGN);
    void (*quit)(int) = signal(SIGQUIT, SIG_IGN);
    /* Those that are passed on wait until it is known to whom. */
    sigset_t passed, before;
    sigemptyset(&passed);
    sigaddset(&passed, SIGTERM);
    sigaddset(&passed, SIGHUP);
    sigprocmask(SIG_BLOCK, &passed, &before);
    *pid = child = fork();
    if (child == 0) {
        signal(SIGINT, interrupt);
        signal(SIGQUIT, quit);
        sigprocmask(SIG_SETMASK, &before, NULL);
        start(words, argument);
        _exit(127);
    }
    if (child < 0) {
        fprintf(stderr, "%s: cannot start %s: %s\n", who, words[0], strerror(errno));
        return -1;
    }
    signal(SIGTERM, pass_on);
    signal(SIGHUP, pass_on);
    /* What is written and put away afterwards is so also when nobody reads the messages any more. */
    signal(SIGPIPE, SIG_IGN);
    sigprocmask(SIG_SETMASK, &before, NULL);
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

int gptl_child_end(const char *who, const char *what, int status)
{
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    fprintf(stderr, "%s: the %s was ended by signal %d (%s)\n", who, what, WTERMSIG(status),
            strsignal(WTERMSIG(status)));
    return 128 + WTERMSIG(status);
}
