#!/bin/sh
# gptl run and programs that start containers: if the container lacks our libraries, its programs run undisturbed, and
# one sentence names the remedy, which this test applies as printed.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC" ldd
need_plain_build # a sanitizer does not go into programs that are not built with it
need_shared
need_tools
[ -e "$builddir/.libs/libgptl_run.so.0" ] || skip "built without libgptl_run"
unshare -m chroot / true 2>/dev/null || skip "another root directory needs root"

mkdir runs
GPTL_RUN_DIR=$PWD/runs
export GPTL_RUN_DIR

# The program in the container: it measures if the library is available.
cat >prog.c <<'END_C'
#include <stdio.h>
extern int GPTLstart(const char *) __attribute__((weak));
extern int GPTLstop(const char *) __attribute__((weak));
int main(void)
{
    if (GPTLstart)
        GPTLstart("contained");
    puts("in the container");
    if (GPTLstop)
        GPTLstop("contained");
    return 5;
}
END_C
$CC -o prog prog.c || fail "cannot compile prog.c"
mkdir -p image/bin
cp prog image/bin
for library in $(ldd prog | grep -o '/[^ ]*'); do
    mkdir -p "image${library%/*}"
    cp "$library" "image$library"
done

# Handles environment, binds and root directory like the program of its name. If the real program is written in Go, it
# starts the command by the bare system call.
cat >runtime.c <<'END_C'
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char image[] = "image";
static char *kept[4096];
static int n;

static void bind_to(const char *from, const char *to)
{
    char path[8192];
    snprintf(path, sizeof path, "%s%s", image, to);
    for (char *slash = path; (slash = strchr(slash + 1, '/')); *slash = '/') {
        *slash = '\0';
        mkdir(path, 0755);
    }
    mkdir(path, 0755);
    if (mount(from, path, NULL, MS_BIND, NULL) != 0)
        perror(path);
}

/* FROM[:TO[:OPTIONS]] */
static void bind_word(char *word)
{
    char *to = strchr(word, ':');
    if (to)
        *to++ = '\0';
    if (to && strchr(to, ':'))
        *strchr(to, ':') = '\0';
    bind_to(word, to ? to : word);
}

static void keep(char *word)
{
    char *value = getenv(word);
    if (strchr(word, '='))
        kept[n++] = word;
    else if (value && asprintf(&kept[n], "%s=%s", word, value) > 0)
        n++;
}

/* All of the environment, with what variables NAME_X say. */
static void hand_on(char **environment, const char *bind, const char *name)
{
    char *list = getenv(bind) ? strdup(getenv(bind)) : NULL;
    for (char *word = list ? strtok(list, ",") : NULL; word; word = strtok(NULL, ","))
        bind_word(word);
    for (char **e = environment; *e; e++)
        if (strncmp(*e, name, strlen(name)) == 0)
            kept[n++] = *e + strlen(name);
    int own = n;
    for (char **e = environment; *e && n < 4095; e++) {
        int known = strncmp(*e, name, strlen(name)) == 0;
        for (int i = 0; i < own; i++)
            known |= strncmp(kept[i], *e, strcspn(*e, "=") + 1) == 0;
        if (!known)
            kept[n++] = *e;
    }
}

int main(int argc, char **argv)
{
    char **environment = &argv[argc + 1]; /* where the kernel put it */
    const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    int i = 1, is_bwrap = strcmp(name, "bwrap") == 0;
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
        return 99;
    if (strcmp(name, "apptainer") == 0)
        hand_on(environment, "APPTAINER_BINDPATH", "APPTAINERENV_");
    else if (strcmp(name, "singularity") == 0)
        hand_on(environment, "SINGULARITY_BINDPATH", "SINGULARITYENV_");
    for (; i < argc && strcmp(argv[i], image) != 0; i++) {
        if (strcmp(argv[i], "--volume") == 0)
            bind_word(argv[++i]);
        else if (strcmp(argv[i], "--env") == 0)
            keep(argv[++i]);
        else if (strcmp(argv[i], "--bind") == 0 || strcmp(argv[i], "--ro-bind") == 0) {
            bind_to(argv[i + 1], argv[i + 2]);
            i += 2;
        } else if (strcmp(argv[i], "--setenv") == 0) {
            setenv(argv[i + 1], argv[i + 2], 1);
            i += 2;
        }
    }
    if (chroot(image) != 0 || chdir("/") != 0 || i + 1 >= argc)
        return 98;
    if (is_bwrap)
        execvp(argv[i + 1], argv + i + 1);
    else
        syscall(SYS_execve, argv[i + 1], argv + i + 1, kept);
    return 97;
}
END_C
mkdir dynamic static
$CC -Wall -o dynamic/apptainer runtime.c || fail "cannot compile runtime.c"
$CC -Wall -static -o static/apptainer runtime.c 2>/dev/null || cp dynamic/apptainer static
for name in singularity podman docker bwrap; do
    cp dynamic/apptainer dynamic/$name
    cp static/apptainer static/$name
done
# Starts a program bypassing libgptl_run, like daemons of batch systems.
cat >daemon.c <<'END_C'
#include <sys/syscall.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv)
{
    (void)argc;
    syscall(SYS_execve, argv[1], argv + 1, environ);
    return 96;
}
END_C
$CC -o daemon daemon.c || fail "cannot compile daemon.c"

# run WORD...: gptl run WORD..., of which the program in the container prints a line.
run() {
    echo "== gptl run $*"
    rm -f timing.*
    ends 5 "$gptl" run "$@" >stdout 2>stderr
    same "what it printed" "$(sort -u stdout)" "in the container"
    same "directories of runs" "$(ls runs)" ""
}

# remedy: the end of the sentence, which helps.
remedy() {
    sed 's/^.*without the libraries of gptl; //; s/^add the options //; s/^start gptl run with \(.*\) in its environment$/\1/' stderr
}

measured() {
    [ ! -s stderr ] || { cat stderr; fail "$1: it said something"; }
    same "$1: calls" "$(calls timing.0 contained)" 1
}

for linked in dynamic static; do
    for name in apptainer singularity podman docker; do
        start=$linked/$name
        run "$start" exec image /bin/prog
        one_line stderr "gptl run: \"$start\" was not measured: it starts programs in a container without the libraries of gptl; "
        help=$(remedy)
        same "$start: reports" "$(files timing.*)" ""
        run sh -c "$start exec image /bin/prog; $start exec image /bin/prog"
        one_line stderr "gptl run: \"$start\" and 1 more were not measured: it starts programs in a container"
        same "$start: the remedy" "$(remedy)" "$help"
        run ./daemon "$start" exec image /bin/prog 
        [ $linked = static ] || one_line stderr "$start\" was not measured: it starts programs in a container"
        for how in "" ./daemon; do
            case $name in
            apptainer | singularity)
                for word in $help; do
                    export "${word?}"
                done
                # shellcheck disable=SC2086 # a word or none
                run $how "$start" exec image /bin/prog
                for word in $help; do
                    unset "${word%%=*}"
                done
                ;;
            *) # shellcheck disable=SC2086 # words
                run $how "$start" exec $help image /bin/prog ;;
            esac
            measured "$how $start, with the remedy"
        done
    done
    # A starter that becomes its command is handled, unless it is linked statically.
    start=$linked/bwrap
    run $start image /bin/prog
    if [ $linked = dynamic ]; then
        one_line stderr 'gptl run: "/bin/prog" was not measured: started in a root directory without the libraries of gptl; '
    else
        one_line stderr "gptl run: \"$start\" was not measured: it starts programs in a container without the libraries of gptl; "
    fi
    help=$(remedy)
    case $help in *", and set LD_PRELOAD="*)
        help="${help%%, and set *} --setenv LD_PRELOAD ${help#*LD_PRELOAD=}"
        help="${help% there}"
        ;;
    esac
    # shellcheck disable=SC2086 # words
    run $start $help image /bin/prog
    measured "$start, with the remedy"
done

echo "== what starts no container says nothing"
ends 98 "$gptl" run dynamic/podman ps 2>stderr
[ ! -s stderr ] || { cat stderr; fail "it said something"; }
