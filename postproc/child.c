/*
 * child.c - starts a command, passes signals on to it, and waits for its end.
 *
 * Batch systems announce the end of a job by a signal of their user's choice, and send it to the process
 * that they started. So every signal that a process sends is passed on, whatever it is. The terminal and
 * the kernel send theirs to the command as well, or mean this process only.
 */
#include "config.h"

#include "postproc/child.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static _Atomic pid_t child = -1;
static atomic_bool asked_to_stop;

static bool is_stop(int signal)
{
    return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

/* An alarm that was set before an exec of this program is meant for the command: forks do not keep it. */
static bool is_sent(int signal, const siginfo_t *info)
{
    return info->si_code <= 0 || signal == SIGALRM || signal == SIGVTALRM || signal == SIGPROF;
}

static void pass_on(int signal, siginfo_t *info, void *context)
{
    int error = errno;
    pid_t pid = atomic_load(&child);
    (void)context;
    if (pid > 0 && is_sent(signal, info)) {
        if (is_stop(signal))
            atomic_store(&asked_to_stop, true);
        if (info->si_code != SI_QUEUE || sigqueue(pid, signal, info->si_value) != 0)
            kill(pid, signal);
    } else if (is_stop(signal)) {
        raise(SIGSTOP);
    }
    errno = error;
}

/* The others cannot be caught, tell of this process's own faults, or end the wait for the command. */
static bool is_passed_on(int signal)
{
    static const int own[] = {SIGKILL, SIGSTOP, SIGCHLD, SIGPIPE, SIGSEGV,
                              SIGBUS,  SIGFPE,  SIGILL,  SIGTRAP, SIGSYS};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (signal == own[i])
            return false;
    return signal < 32 || signal >= SIGRTMIN;
}

FILE *gptl_child_open(const char *word, char *file, size_t size)
{
    const char *path = strchr(word, '/') ? "" : getenv("PATH");
    FILE *found = NULL;
    for (; path && !found; path = *path ? path + 1 : NULL) {
        size_t n = strcspn(path, ":");
        snprintf(file, size, "%.*s%s%s", (int)n, path, n ? "/" : "", word);
        found = access(file, X_OK) == 0 ? fopen(file, "rbe") : NULL;
        path += n;
    }
    return found;
}

/* What the caller of this process ignores, the command ignores as well: there is nothing to pass on. */
static void catch_signals(void)
{
    struct sigaction pass = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART}, before;
    sigfillset(&pass.sa_mask);
    for (int s = 1; s <= SIGRTMAX; s++)
        if (is_passed_on(s) && sigaction(s, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(s, &pass, NULL);
    /* What is written and put away afterwards is so also when nobody reads the messages any more. */
    signal(SIGPIPE, SIG_IGN);
}

/* A command that stops because this process was asked to is seen to stop by who asked. */
static int wait_for_end(pid_t pid)
{
    int status;
    for (;;) {
        if (waitpid(pid, &status, WUNTRACED) < 0) {
            if (errno != EINTR)
                return -1;
        } else if (!WIFSTOPPED(status)) {
            return status;
        } else if (atomic_exchange(&asked_to_stop, false)) {
            raise(SIGSTOP);
        }
    }
}

int gptl_child_run(const char *who, char **words, void (*start)(char **words, const void *argument),
                   const void *argument, pid_t *pid)
{
    /* Signals that are passed on wait until it is known to whom. */
    sigset_t passed, before;
    sigfillset(&passed);
    void (*ended)(int) = signal(SIGCHLD, SIG_DFL); /* who ignores it gets no status */
    sigprocmask(SIG_BLOCK, &passed, &before);
    *pid = fork();
    if (*pid == 0) {
        signal(SIGCHLD, ended);
        sigprocmask(SIG_SETMASK, &before, NULL);
        start(words, argument);
        _exit(127);
    }
    if (*pid < 0) {
        fprintf(stderr, "%s: cannot start %s: %s\n", who, words[0], strerror(errno));
        sigprocmask(SIG_SETMASK, &before, NULL);
        return -1;
    }
    atomic_store(&child, *pid);
    catch_signals();
    sigemptyset(&passed); /* a mask that was inherited is the command's */
    sigprocmask(SIG_SETMASK, &passed, NULL);
    int status = wait_for_end(*pid);
    atomic_store(&child, -1);
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
