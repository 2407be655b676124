#!/bin/sh
# gptl run: programs started with a different environment are measured as well, for each call that
# starts programs.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC" python3
need_plain_build # a sanitizer does not go into programs that are not built with it
need_shared
need_tools
GPTL_RUN_DIR=$PWD/runs_here
export GPTL_RUN_DIR
mkdir runs_here
[ -e "$builddir/.libs/libgptl_run.so.0" ] || skip "built without libgptl_run"

# Print the given arguments, and measure.
cat >prog.c <<'EOF'
#include <gptl.h>
#include <stdio.h>
#include <string.h>

extern char **environ;

int main(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        printf("%s ", argv[i]);
    for (char **e = environ; *e; e++)
        if (strncmp(*e, "LD_PRELOAD=", 11) != 0 && strncmp(*e, "GPTL_", 5) != 0 &&
            strncmp(*e, "PWD=", 4) != 0 && strncmp(*e, "SHLVL=", 6) != 0 && (*e)[0] != '_' && **e)
            printf("%s ", *e);
    puts("");
    GPTLstart("region");
    GPTLstop("region");
    return 7;
}
EOF
compile prog prog.c

# Start prog by the given call, with a different environment.
cat >starter.c <<'EOF'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char *words[] = {"prog", "a", NULL};
static char *own[] = {"A=b", NULL};

static int become(const char *call)
{
    if (strcmp(call, "execve") == 0)
        return execve("./prog", words, own);
    if (strcmp(call, "execvpe") == 0)
        return execvpe("./prog", words, own);
    if (strcmp(call, "execle") == 0)
        return execle("./prog", "prog", "a", NULL, own);
    if (strcmp(call, "fexecve") == 0)
        return fexecve(open("prog", O_RDONLY), words, own);
    if (strcmp(call, "execveat") == 0)
        return execveat(AT_FDCWD, "prog", words, own, 0);
    environ = own;
    if (strcmp(call, "execv") == 0)
        return execv("./prog", words);
    if (strcmp(call, "execvp") == 0)
        return execvp("./prog", words);
    if (strcmp(call, "execl") == 0)
        return execl("./prog", "prog", "a", NULL);
    if (strcmp(call, "execlp") == 0)
        return execlp("./prog", "prog", "a", NULL);
    return 1;
}

static int wait_for(pid_t pid)
{
    int status = 0;
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 90;
}

int main(int argc, char **argv)
{
    pid_t pid;
    char *const *none = NULL;
    if (argc > 2 && strcmp(argv[2], "vfork") == 0) {
        if ((pid = vfork()) == 0)
            _exit(become(argv[1]) ? 91 : 92);
        return wait_for(pid);
    }
    if (strcmp(argv[1], "posix_spawn") == 0)
        return posix_spawn(&pid, "./prog", NULL, NULL, words, own) ? 93 : wait_for(pid);
    if (strcmp(argv[1], "posix_spawnp") == 0)
        return posix_spawnp(&pid, "./prog", NULL, NULL, words, own) ? 93 : wait_for(pid);
    if (strcmp(argv[1], "none") == 0)
        return execve("./prog", words, none);
    if (strcmp(argv[1], "large") == 0) {
        static char *many[200001];
        for (int i = 0; i < 200000; i++)
            many[i] = "";
        return execve("./prog", words, many) && errno == E2BIG ? 94 : 95;
    }
    if (strcmp(argv[1], "missing") == 0)
        return execle("./missing", "missing", NULL, own) == -1 && errno == ENOENT ? 96 : 97;
    return become(argv[1]);
}
EOF
link='' compile starter starter.c

run() {
    status=$1
    shift
    echo "== gptl run $*"
    rm -f timing.*
    ends "$status" "$gptl" run "$@" >stdout 2>stderr
}

measured() {
    [ ! -s stderr ] || { cat stderr; fail "something on stderr"; }
    same reports "$(files timing.* | tr '\n' ' ')" "timing.0 timing.0.json "
    same calls "$(calls timing.0 region)" 1
    [ -z "$(ls "$GPTL_RUN_DIR")" ] || fail "the folder of the run is left"
}

for call in execve execvpe execle fexecve execveat execv execvp execl execlp posix_spawn \
    posix_spawnp; do
    run 7 ./starter $call
    same "$call: what it was given" "$(cat stdout)" "prog a A=b "
    measured
done
for call in execve execvp execle; do
    run 7 ./starter $call vfork
    same "$call: what it was given" "$(cat stdout)" "prog a A=b "
    measured
done
run 7 ./starter none
same "what it was given" "$(cat stdout)" "prog a "
measured
run 96 ./starter missing
(
    # shellcheck disable=SC3045 # which every shell has
    ulimit -s 65536 2>/dev/null || true # the kernel takes as much as a quarter of it
    run 7 ./starter large
)
one_line stderr "gptl run: ./prog is started without the library: its environment is too large"

# Launchers that clear the environment.
run 7 env -i ./prog
measured
run 7 sh -c 'exec env -i A=b sh -c "exec ./prog a"'
same "what it was given" "$(cat stdout)" "./prog a A=b "
measured
run 7 env -i LD_PRELOAD="$library" GPTL_OPTIONS=percent=on ./prog
measured
grep -q '%_of_first' timing.0 || fail "options in an environment of its own are lost"
run 7 env -i GPTL_OPTIONS=output=text ./prog
same reports "$(files timing.* | tr '\n' ' ')" "timing.0 "
run 7 python3 -c 'import subprocess, sys
sys.exit(subprocess.run(["./prog", "a"], env={"A": "b"}).returncode)'
grep -q '^./prog a .*A=b' stdout || fail "Python's child was given something else: $(cat stdout)"
measured

# Nothing is added without gptl run.
LD_PRELOAD=$builddir/.libs/libgptl_run.so.0 GPTL_OPTIONS=percent=on ends 0 \
    env -u GPTL_OPTIONS sh -c 'exec env -i env' >stdout
same "an environment" "$(grep -v '^LD_PRELOAD=' stdout || true)" ""

# With --io, one log has all.
run 7 --io env -i ./prog
[ -s ioc.log ] || fail "--io: no log"
