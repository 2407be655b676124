#!/bin/sh
# State of the host that must not change: its stdout, errno, signals, threads,
# environment, descriptors, locale, exit status, its random numbers.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC"
case $sanitize in *thread*) skip "the thread sanitizer has threads of its own" ;; esac

cat >host.c <<'EOF'
#define _GNU_SOURCE
#include <gptl.h>
#include <dirent.h>
#include <errno.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct look {
    struct sigaction actions[65];
    sigset_t mask;
    size_t variables;
    char *first_variable;
    int files, threads, rounding, children;
    char directory[4096], locale[256];
    mode_t umask;
    struct rlimit core, stack;
    unsigned alarm;
};

static int entries(const char *path)
{
    int n = 0;
    DIR *d = opendir(path);
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

static void look(struct look *l)
{
    memset(l, 0, sizeof *l);
    for (int s = 1; s < 65; s++)
        sigaction(s, NULL, &l->actions[s]);
    pthread_sigmask(SIG_BLOCK, NULL, &l->mask);
    for (char **v = environ; v && *v; v++)
        l->variables++;
    l->first_variable = environ[0];
    l->files = entries("/proc/self/fd");
    l->threads = entries("/proc/self/task");
    l->rounding = fegetround();
    l->children = waitpid(-1, NULL, WNOHANG);
    if (!getcwd(l->directory, sizeof l->directory))
        exit(80);
    snprintf(l->locale, sizeof l->locale, "%s", setlocale(LC_ALL, NULL));
    l->umask = umask(022);
    umask(l->umask);
    getrlimit(RLIMIT_CORE, &l->core);
    getrlimit(RLIMIT_STACK, &l->stack);
    l->alarm = alarm(0);
}

static int differs(const struct look *a, const struct look *b, const char *where)
{
    int n = 0;
#define SAME(what, condition)                                                                      \
    if (!(condition)) {                                                                            \
        fprintf(stderr, "%s: %s differs\n", where, what);                                          \
        n++;                                                                                       \
    }
    for (int s = 1; s < 65; s++)
        SAME("a signal's action", a->actions[s].sa_handler == b->actions[s].sa_handler &&
                                      a->actions[s].sa_flags == b->actions[s].sa_flags);
    SAME("the signal mask", !memcmp(&a->mask, &b->mask, sizeof a->mask));
    SAME("the environment", a->variables == b->variables && a->first_variable == b->first_variable);
    SAME("the number of open files", a->files == b->files);
    SAME("the number of threads", a->threads == b->threads);
    SAME("rounding", a->rounding == b->rounding);
    SAME("children", a->children == b->children);
    SAME("the working directory", !strcmp(a->directory, b->directory));
    SAME("the locale", !strcmp(a->locale, b->locale));
    SAME("umask", a->umask == b->umask);
    SAME("limits", !memcmp(&a->core, &b->core, sizeof a->core) &&
                       !memcmp(&a->stack, &b->stack, sizeof a->stack));
    SAME("the alarm", a->alarm == b->alarm);
    return n;
}

static int bad_errno;

#define KEEPS_ERRNO(call)                                                                          \
    do {                                                                                           \
        errno = 4711;                                                                              \
        (void)(call);                                                                              \
        if (errno != 4711) {                                                                       \
            fprintf(stderr, "errno after " #call ": %d\n", errno);                                 \
            bad_errno++;                                                                           \
        }                                                                                          \
    } while (0)

static void *work(void *unused)
{
    char name[64];
    int handle = 0;
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "region_%d", i);
        KEEPS_ERRNO(GPTLstart(name));
        KEEPS_ERRNO(GPTLstart("literal"));
        KEEPS_ERRNO(GPTLstart_handle("handle", &handle));
        KEEPS_ERRNO(GPTLstop_handle("handle", &handle));
        KEEPS_ERRNO(GPTLstop("literal"));
        KEEPS_ERRNO(GPTLstop(name));
    }
    return unused;
}

static void deep(int level)
{
    char name[32];
    snprintf(name, sizeof name, "level_%d", level);
    KEEPS_ERRNO(GPTLstart(name));
    if (level < 500)
        deep(level + 1);
    KEEPS_ERRNO(GPTLstop(name));
}

int main(int argc, char **argv)
{
    static struct look before, begun, after;
    pthread_t thread;
    int bad = 0;
    signal(SIGUSR1, SIG_IGN);
    umask(027);
    srand(1);
    int first = rand();
    srand(1);
    look(&before);
    KEEPS_ERRNO(GPTLstart("first")); /* turns the library on */
    KEEPS_ERRNO(GPTLstop("first"));
    look(&begun);
    if (getenv("SALVAGE")) /* its file is open to the end */
        before.files = begun.files;
    bad += differs(&before, &begun, "after the first region");
    work(NULL);
    deep(1);
    KEEPS_ERRNO(GPTLmark("mark"));
    KEEPS_ERRNO(GPTLstop("crossed? not open"));
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    if (argc > 1)
        bad += GPTLpr_file("asked") != 0;
    if (rand() != first) {
        fprintf(stderr, "random numbers differ\n");
        bad++;
    }
    look(&after);
    bad += differs(&before, &after, "at the end");
    GPTLinitialize();
    bad += GPTLfinalize() != 0;
    look(&after);
    bad += differs(&before, &after, "after GPTLfinalize");
    (void)argv;
    return bad || bad_errno ? 1 : 42;
}
EOF
compile host host.c -lm

for options in '' 'salvage=on' 'cpu=on;histogram=on;subtract=on' 'utr=gettimeofday;output=text,json' 'memory=1m' \
    'dopr_memusage=on' 'depthlimit=3' 'percnet=on;output=nonsense;output.path=no/such/folder'; do
    for report in '' report; do
        echo "== $options $report"
        rm -f timing.* asked*
        case $options in
            *salvage*) salvage=SALVAGE=yes ;;
            *) salvage=SALVAGE_NOT=yes ;;
        esac
        ends 42 env $salvage GPTL_OPTIONS="$options" ./host $report >stdout 2>stderr
        [ ! -s stdout ] || { cat stdout; fail "something on stdout"; }
        ! grep -vE '^GPTL: ' stderr || fail "what is on stderr does not say that it is of ours"
        no_rest
    done
done
