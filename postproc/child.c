/*
 * child.c - starts a command, forwards signals to it, and waits for its end.
 *
 * Batch systems announce the end of a job with a signal of the user's choice, sent to the process
 * that they started. So every signal sent by a process is forwarded. Signals of the terminal and
 * the kernel reach the command anyway, or concern only this process.
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

/*
 * A pending alarm survives exec but not fork, so an alarm set before this program started is meant
 * for the command.
 */
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

/*
 * The excluded signals cannot be caught, report faults of this process, or end the wait for the
 * command.
 */
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

/*
 * Catch the signals to forward. Signals ignored by the parent remain ignored by the command, so
 * they are skipped.
 */
static void catch_signals(void)
{
    struct sigaction pass = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART}, before;
    sigfillset(&pass.sa_mask);
    for (int s = 1; s <= SIGRTMAX; s++)
        if (is_passed_on(s) && sigaction(s, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(s, &pass, NULL);
    /* Finish writing and cleaning up even if the reader of the messages has gone. */
    signal(SIGPIPE, SIG_IGN);
}

/*
 * Wait for the end of PID. If the command stops because this process was asked to stop, this
 * process stops as well, so that the sender sees it.
 */
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
    /* Block signals until the child's number is known. */
    sigset_t passed, before;
    sigfillset(&passed);
    /* with SIGCHLD ignored, waitpid returns no status */
    void (*ended)(int) = signal(SIGCHLD, SIG_DFL);
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
    sigemptyset(&passed); /* an inherited mask applies to the command */
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
