#!/bin/sh
# Descriptors 0 to 2 belong to the program: closed ones stay closed, whatever the library opens; no
# message is written to a file that the program has opened there; a message without a reader raises no
# signal.
# shellcheck disable=SC3045 # ulimit -c and -f, which every shell has
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need_plain_build
need "$CC"
ulimit -c 0 2>/dev/null || :

# The arguments are the descriptors that must be closed: at all times, also when the library has ended.
cat >closed.c <<'EOF'
#include <fcntl.h>
#include <gptl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int number_closed, bad;
static char **closed;

static void look(const char *when)
{
    for (int i = 0; i < number_closed; i++)
        if (fcntl(atoi(closed[i]), F_GETFD) != -1) {
            FILE *f = fopen("open", "a");
            fprintf(f, "%s %s\n", closed[i], when);
            fclose(f);
            bad = 1;
        }
}

__attribute__((destructor(101))) static void look_at_the_end(void)
{
    look("at the end");
    if (bad)
        _exit(3);
}

int main(int argc, char **argv)
{
    char name[32];
    number_closed = argc - 1;
    closed = argv + 1;
    look("at the start");
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "region %d", i);
        GPTLstart(name);
        GPTLstop(name);
    }
    look("after new regions");
    GPTLstop("never started");
    GPTLprint_memusage("here");
    GPTLpr_file("asked");
    GPTLpr(0);
    look("after a report");
    if (fork() == 0) {
        GPTLstart("child");
        GPTLstop("child");
        look("in the child");
        _exit(bad);
    }
    return 7;
}
EOF
compile closed closed.c
for options in '' 'output=text,json,xml' 'salvage=on' 'verbose=on;mem_growth=0;dopr_memusage=on' \
    'counters=NOPE' 'counters=perf::PAGE-FAULTS' 'exclude=x*;overhead=on'; do
    while read -r numbers redirections; do
        rm -f open
        got=0
        GPTL_OPTIONS="$options" sh -c "exec ./closed $(echo "$numbers" | tr , ' ') $redirections" ||
            got=$?
        [ ! -f open ] || fail "options '$options', $redirections: opened $(sort -u open | tr '\n' ',')"
        [ "$got" -eq 7 ] || fail "options '$options', $redirections: exit status $got"
        grep -q "region 1999" asked || fail "options '$options', $redirections: no report"
    done <<'EOF'
0 <&- >/dev/null 2>&1
1 >&- 2>/dev/null
2 2>&- >/dev/null
0,1,2 <&- >&- 2>&-
EOF
done

# A daemon with its own files in place of the standard streams.
cat >daemon.c <<'EOF'
#include <fcntl.h>
#include <gptl.h>
#include <unistd.h>

int main(void)
{
    char name[] = "data.0";
    for (int i = 0; i < 3; i++)
        close(i);
    for (int i = 0; i < 3; i++, name[5]++)
        if (open(name, O_RDWR | O_CREAT | O_TRUNC, 0600) != i || write(i, "record\n", 7) != 7)
            return 99;
    GPTLstart("a");
    GPTLstop("b");
    GPTLstop("a");
    GPTLsetoption(99999, 1);
    GPTLprint_memusage("label");
    GPTLprint_rusage("label");
    return write(2, "last\n", 5) == 5 ? 7 : 98;
}
EOF
compile daemon daemon.c
for options in '' 'verbose=on' 'salvage=on' 'mem_growth=0;dopr_memusage=on' \
    'output.path=/dev/stderr'; do
    rm -f data.?
    GPTL_OPTIONS="output=text;$options" ends 7 ./daemon
    same "data.0 with '$options'" "$(cat data.0)" record
    same "data.1 with '$options'" "$(cat data.1)" record
    same "data.2 with '$options'" "$(tr '\n' ' ' <data.2)" "record last "
done

# Neither a pipe without a reader nor a file at its size limit ends a process.
cat >unread.c <<'EOF'
#include <gptl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Its messages have nobody who reads them, or, with a "limit", no room; then it waits for the child. */
int main(int argc, char **argv)
{
    int ends[2], status, limit = argc > 1 && strcmp(argv[1], "limit") == 0;
    sigset_t pending, pipe_only;
    if (argc == 1) {
        if (pipe(ends) || dup2(ends[1], 2) != 2 || close(ends[1]) || close(ends[0]))
            return 99;
        if (fork() == 0) {
            execl("/proc/self/exe", argv[0], "child", (char *)NULL);
            _exit(98);
        }
        return wait(&status) > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, limit ? SIGXFSZ : SIGPIPE);
    for (int blocked = 0; blocked < 2; blocked++) {
        GPTLstop("nothing");
        GPTLprint_memusage("here");
        GPTLsetoption(99999, 1);
        sigprocmask(SIG_BLOCK, &pipe_only, NULL);
    }
    GPTLstart("a");
    GPTLstop("a");
    sigpending(&pending);
    return sigismember(&pending, SIGPIPE) || sigismember(&pending, SIGXFSZ) ? 5 : 7;
}
EOF
compile unread unread.c
head -c 4096 /dev/zero >full
for options in '' percnet=on verbose=on 'mem_growth=0;dopr_memusage=on' counters=NOPE \
    output.path=/dev/stderr; do
    GPTL_OPTIONS=$options ends 7 ./unread
    got=0
    (
        ulimit -f 1
        export GPTL_OPTIONS="$options;output="
        exec ./unread limit 2>>full
    ) || got=$?
    same "status with stderr at the limit of its size and '$options'" "$got" 7
done
