#!/bin/sh
# An automatic report is written once, when a process ends that measured something, never called GPTLinitialize
# and printed nothing. A program that calls GPTLinitialize has one only if GPTL_OPTIONS requests it.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC"

cat >who.c <<'EOF'
#include <gptl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void region(const char *name)
{
    if (GPTLstart(name) || GPTLstop(name))
        _exit(90);
}

/* Ends the program unless CONDITION holds. */
static void check(int condition, int status)
{
    if (!condition)
        _exit(status);
}

static int written(void)
{
    return access("timing.0", F_OK) == 0;
}

static void wait_for(pid_t pid)
{
    int status;
    check(waitpid(pid, &status, 0) == pid && status == 0, 91);
}

static void in_child(const char *name)
{
    pid_t pid = fork();
    if (pid == 0) {
        if (name)
            region(name);
        exit(0);
    }
    wait_for(pid);
}

static void *exits(void *status)
{
    region("thread");
    exit(*(int *)status);
}

static void *outlives_main(void *main_thread)
{
    pthread_join(*(pthread_t *)main_thread, NULL);
    region("thread");
    return NULL;
}

static void *hammers(void *unused)
{
    for (;;)
        region("hammer");
    return unused;
}

static void at_exit(void)
{
    region("atexit");
}

static int run(const char *mode)
{
    static int seven = 7;
    static pthread_t self;
    pthread_t thread;
    if (strcmp(mode, "implicit") == 0) {
        region("region");
    } else if (strcmp(mode, "initialize") == 0) {
        check(GPTLinitialize() == 0, 92);
        region("region");
    } else if (strcmp(mode, "finalize") == 0) {
        region("region");
        check(GPTLfinalize() == 0 && written(), 94);
        check(GPTLstart("late") == -1 && GPTLstop("late") == -1, 95);
        check(remove("timing.0") == 0, 96);
    } else if (strcmp(mode, "nested") == 0) {
        GPTLinitialize();
        GPTLinitialize();
        region("region");
        check(GPTLfinalize() == 0 && !written(), 93);
        region("region");
        check(GPTLfinalize() == 0, 93);
        check(GPTLfinalize() == -1, 93);
    } else if (strcmp(mode, "initialize_in_child") == 0) {
        region("parent");
        pid_t pid = fork();
        if (pid == 0) {
            GPTLinitialize();
            region("child");
            exit(0);
        }
        wait_for(pid);
    } else if (strcmp(mode, "fork_after_initialize") == 0) {
        GPTLinitialize();
        region("parent");
        in_child("child");
    } else if (strcmp(mode, "again") == 0) { /* the automatic report comes once */
        for (int i = 0; i < 3; i++) {
            GPTLinitialize();
            region("region");
            GPTLfinalize();
            check(!written() == (i > 0), 97);
            remove("timing.0");
        }
    } else if (strcmp(mode, "pr") == 0) {
        GPTLinitialize();
        region("region");
        check(GPTLpr(3) == 0, 98);
        region("late");
        check(GPTLfinalize() == 0, 99);
    } else if (strcmp(mode, "pr_file") == 0) {
        region("region");
        check(GPTLpr_file("asked") == 0, 98);
    } else if (strcmp(mode, "pr_stderr") == 0) {
        region("region");
        check(GPTLpr(-1) == 0, 98);
    } else if (strcmp(mode, "pr_failed") == 0) { /* what failed does not count */
        region("region");
        check(GPTLpr_file("no/such/folder/report") == -1, 98);
    } else if (strcmp(mode, "nothing") == 0) {
        check(GPTLinitialize() == 0 && GPTLfinalize() == 0, 92);
    } else if (strcmp(mode, "no_call") == 0) {
        ;
    } else if (strcmp(mode, "fork") == 0) {
        region("parent");
        in_child("child");
        in_child(NULL);
        pid_t pid = fork(); /* a grandchild */
        if (pid == 0) {
            in_child("grandchild");
            _exit(0);
        }
        wait_for(pid);
        region("parent");
    } else if (strcmp(mode, "fork_after_pr") == 0) {
        region("parent");
        check(GPTLpr_file("asked") == 0, 98);
        in_child("child");
    } else if (strcmp(mode, "exec") == 0) {
        region("before");
        execl("./who", "who", "implicit", (char *)0);
        _exit(89);
    } else if (strcmp(mode, "spawn") == 0) {
        char *words[] = {"true", NULL};
        pid_t pid;
        region("region");
        check(posix_spawnp(&pid, "true", NULL, NULL, words, environ) == 0, 88);
        wait_for(pid);
        check(system("true; env >/dev/null") == 0, 87);
    } else if (strcmp(mode, "_exit") == 0) {
        region("region");
        _exit(7);
    } else if (strcmp(mode, "kill") == 0) {
        region("region");
        raise(SIGKILL);
    } else if (strcmp(mode, "thread_exit") == 0) {
        region("main");
        pthread_create(&thread, NULL, exits, &seven);
        pthread_join(thread, NULL);
        _exit(86);
    } else if (strcmp(mode, "main_exits") == 0) {
        region("main");
        self = pthread_self();
        pthread_create(&thread, NULL, outlives_main, &self);
        pthread_exit(NULL);
    } else if (strcmp(mode, "hammer") == 0) {
        for (int i = 0; i < 3; i++)
            pthread_create(&thread, NULL, hammers, NULL);
        for (int i = 0; i < 1000; i++)
            region("main");
    } else if (strcmp(mode, "atexit") == 0) {
        atexit(at_exit);
        region("region");
    } else {
        return 85;
    }
    return 0;
}

int main(int argc, char **argv)
{
    return argc == 2 ? run(argv[1]) : 84;
}
EOF
compile who who.c

# report MODE STATUS FILE...: the reports that exist when it has ended. Their names are file names, with
# PID for the number.
report() {
    echo "== $1"
    mode=$1
    status=$2
    shift 2
    rm -f timing.* asked
    ends "$status" ./who "$mode" 2>stderr
    reports=$(files timing.* asked | sed -E 's/\.[0-9]{2,}$/.PID/' | tr '\n' ' ')
    same "reports of $mode" "$reports" "$*${*:+ }"
    case $mode in
        pr_stderr | pr_failed | finalize | nested | kill) ;;
        *) [ ! -s stderr ] || { cat stderr; fail "$mode said something"; } ;;
    esac
    no_rest
}

report implicit 0 timing.0
same calls "$(calls timing.0 region)" 1
report initialize 0
report nested 0
report fork_after_initialize 0
report initialize_in_child 0 timing.0
export GPTL_OPTIONS=output=text
report initialize 0 timing.0
same calls "$(calls timing.0 region)" 1
report nested 0 timing.0
same calls "$(calls timing.0 region)" 2
report fork_after_initialize 0 timing.0 timing.0.PID
report pr 0 timing.3
report again 0
GPTL_OPTIONS=dopr_preamble=on
report initialize 0
unset GPTL_OPTIONS
report finalize 0
one_line stderr "measuring has ended with GPTLfinalize"
report pr 0 timing.3
same "late calls" "$(calls timing.3 late)" 0
report pr_file 0 asked
report pr_stderr 0
same "calls on stderr" "$(calls stderr region)" 1
report pr_failed 0 timing.0
one_line stderr "cannot write no/such/folder/report: No such file or directory"
report nothing 0
report no_call 0

report fork 0 timing.0 timing.0.PID timing.0.PID
same "parent's calls" "$(calls timing.0 parent)" 2
same "child's calls in the parent" "$(calls timing.0 child)" 0
for child in timing.0.*; do
    same "parent's calls in $child" "$(calls "$child" parent)" 0
    same "calls in $child" "$(($(calls "$child" child) + $(calls "$child" grandchild)))" 1
    grep -q "^Process   ${child##*.} on " "$child" || fail "$child has the number of another process"
done
report fork_after_pr 0 timing.0.PID asked
report exec 0 timing.0
same "calls before exec" "$(calls timing.0 before)" 0
same "calls after exec" "$(calls timing.0 region)" 1
report spawn 0 timing.0
report _exit 7
report kill 137
report thread_exit 7 timing.0
same "calls of main" "$(calls timing.0 main 0)" 1
same "calls of the thread" "$(calls timing.0 thread 1)" 1
case $sanitize in
    *thread*) echo "the thread sanitizer does not bear that main exits before a thread" ;;
    *)
        report main_exits 0 timing.0
        same "calls of main" "$(calls timing.0 main 0)" 1
        same "calls of the thread" "$(calls timing.0 thread 1)" 1
        ;;
esac
for _ in 1 2 3 4 5 6 7 8; do
    report hammer 0 timing.0
    same "calls of main" "$(calls timing.0 main 0)" 1000
    grep -q 'Hash tables' timing.0 || fail "the report is not whole"
done
report atexit 0 timing.0
same "calls in atexit" "$(calls timing.0 atexit)" 1

# On from the start, by the environment: that alone is not a measurement.
GPTL_OPTIONS=verbose=off
export GPTL_OPTIONS
report no_call 0
report nothing 0
report implicit 0 timing.0
report fork 0 timing.0 timing.0.PID timing.0.PID
GPTL_OPTIONS='output.path=timing.{pid}' # has the number already
rm -f timing.*
./who fork
same "reports with {pid}" "$(files timing.* | sed 's/[0-9]\{1,\}/N/g' | tr '\n' ' ')" \
    "timing.N timing.N timing.N "
GPTL_OPTIONS=output=none
report implicit 0
report pr_file 0 asked
unset GPTL_OPTIONS

if [ "$enable_shared" = yes ] && [ "$sanitize" = no ]; then
    rm -f timing.*
    # shellcheck disable=SC2034
    for options in '' percent=on; do
        LD_PRELOAD=$library GPTL_OPTIONS=$options sh -c 'true; env >out; cat out >/dev/null' 2>stderr
        [ ! -s stderr ] || { cat stderr; fail "a preloaded shell says something"; }
        same "reports of a shell" "$(files timing.*)" ""
        # Only the program among them reports.
        LD_PRELOAD=$library GPTL_OPTIONS=$options timeout 10 sh -c './who implicit; true'
        same "reports below a shell" "$(files timing.*)" timing.0
        rm -f timing.*
    done
fi
