#!/bin/sh
# gptl run and programs that cannot be measured: of another ABI, in another root directory, of another user; and ranks
# on another host. They run as without it, a sentence names the reason, and no files remain.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need "$CC" python3
need_plain_build # a sanitizer does not go into programs that are not built with it
need_shared
need_tools

mkdir runs
chmod 711 runs .
GPTL_RUN_DIR=$PWD/runs
export GPTL_RUN_DIR
clean() {
    same "directories of runs" "$(ls "$GPTL_RUN_DIR")" ""
}

echo "== another ABI"
if [ "$(uname -m)" = x86_64 ]; then
    # 32-bit programs that exit with status 4, created without a compiler. One names a loader of musl instead.
    python3 - <<'END'
import os, struct

def program(name, elf_class, machine, interpreter):
    wide = elf_class == 2
    code = bytes([0xb8, 1, 0, 0, 0, 0xbb, 4, 0, 0, 0, 0xcd, 0x80])
    head = 64 if wide else 52
    part = 56 if wide else 32
    base = 0x08048000
    begin = head + 2 * part
    text = interpreter.encode() + b"\0"
    size = begin + len(code) + len(text)
    if wide:
        h = struct.pack("<HHIQQQIHHHHHH", 2, machine, 1, base + begin, head, 0, 0, head, part, 2, 0, 0, 0)
        load = struct.pack("<IIQQQQQQ", 1, 5, 0, base, base, size, size, 0x1000)
        interp = struct.pack("<IIQQQQQQ", 3 if interpreter else 0, 4, begin + len(code), 0, 0, len(text), len(text), 1)
    else:
        h = struct.pack("<HHIIIIIHHHHHH", 2, machine, 1, base + begin, head, 0, 0, head, part, 2, 0, 0, 0)
        load = struct.pack("<IIIIIIII", 1, 0, base, base, size, size, 5, 0x1000)
        interp = struct.pack("<IIIIIIII", 0, 0, 0, 0, 0, 0, 0, 0)
    with open(name, "wb") as to:
        to.write(b"\x7fELF" + bytes([elf_class, 1, 1]) + bytes(9) + h + load + interp + code + text)
    os.chmod(name, 0o755)

program("narrow", 1, 3, "")
END
    if ./narrow || [ $? -ne 4 ]; then
        echo "no programs of 32 bits run here"
    else
        ends 4 "$gptl" run ./narrow 2>stderr
        one_line stderr "gptl run: ./narrow is built for another processor than gptl: it is run without what gptl would preload"
        printf '#!%s\n' "$PWD/narrow" >script
        chmod +x script
        # shellcheck disable=SC2016 # for the other shell
        ends 4 "$gptl" run sh -c './narrow; PATH=.:$PATH narrow; ./script' 2>stderr
        one_line stderr 'gptl run: "./narrow" and 2 more were not measured: built for another processor or C library than gptl; '
        # Other preloaded libraries remain.
        echo 'int main(void) { return 0; }' >own.c
        $CC -shared -fPIC -o own.so own.c
        # shellcheck disable=SC2016 # for the other shell
        ends 0 env LD_PRELOAD="$PWD/own.so" "$gptl" run sh -c 'case $LD_PRELOAD in *libgptl*own.so) exit 0 ;; esac; exit 1'
    fi
    clean
fi

cat >prog.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <gptl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void region(const char *name)
{
    GPTLstart(name);
    GPTLstop(name);
}

/* kill; plain; or user, root DIRECTORY: gives up its rights, and goes on in a child. */
int main(int argc, char **argv)
{
    int status, f;
    region("before");
    if (strcmp(argv[1], "kill") == 0)
        raise(SIGKILL);
    if (strcmp(argv[1], "plain") == 0)
        return 0;
    f = open("own", O_CREAT | O_TRUNC | O_WRONLY, 0666);
    if (write(f, "x", 1) != 1 || (argc > 2 && chroot(argv[2])) || setgroups(0, NULL) || setuid(65534))
        return 9;
    region("after");
    if (write(f, "yy", 2) != 2)
        return 8;
    if (fork() == 0) {
        region("child");
        _exit(write(f, "z", 1) == 1 ? 3 : 7);
    }
    wait(&status);
    return WEXITSTATUS(status);
}
END
compile prog prog.c
if [ "$(id -u)" -ne 0 ] || ! chroot / true 2>/dev/null; then
    echo "SKIPPED: another root directory, user and host: this needs root"
    exit 77
fi

echo "== PID namespaces, in which processes have the same number: a report of each"
# All processes choose the names of their reports before the first one creates its file.
cat >late.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
int open(const char *path, int flags, ...)
{
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    if (strstr(path, "timing"))
        usleep(300000);
    return next(path, flags, 0666);
}
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
END
$CC -shared -fPIC -o late.so late.c -ldl || fail "cannot compile late.c"
if unshare -pf true 2>/dev/null; then
    for how in plain kill; do
        for path in 'timing.{rank}' 'timing.{pid}'; do
            rm -f timing*
            # shellcheck disable=SC2016 # for the other shell
            ends 0 "$gptl" run --set output=text --set output.path="$path" \
                sh -c 'for i in 1 2 3 4; do
                    unshare -pf sh -c "LD_PRELOAD=\"./late.so:$LD_PRELOAD\" ./prog $0; :" &
                done; wait' $how 2>stderr
            same "reports of $how" "$(files timing* | wc -l)" 4
            for report in timing*; do
                same "calls in $report" "$(calls "$report" before)" 1
            done
        done
    done
    clean
fi

echo "== a process that changes its user, or its root directory as well, keeps its files; its child is counted"
mkdir -p root/bin
for how in "user" "root $PWD/root"; do
    rm -f timing* ioc.log
    # shellcheck disable=SC2086 # words
    ends 3 "$gptl" run --io ./prog $how 2>stderr
    grep -v ' from what a process left that ended without \| calls to .*ioc.log, which a process left ' stderr >said || fail "no child is counted"
    one_line said 'gptl run: "./prog" was not measured: started by another user, who may not write to the directory of this run; '
    same "calls before" "$(calls timing.0 before)" 1
    same "calls after" "$(calls timing.0 after)" 1
    "$gptl" ioc summary --csv ioc.log 2>/dev/null | grep -q '^0,3,0,2,.*/own$' || fail "not 3 bytes: $("$gptl" ioc summary --csv ioc.log)"
    same "files in the other root" "$(cd root && find . | sort | tr '\n' ' ')" ". ./bin "
    clean
done

echo "== another root directory, without the libraries"
for file in /bin/sh /bin/ls; do
    cp "$file" root/bin
    for library in $(ldd "$file" | grep -o '/[^ ]*'); do
        mkdir -p "root${library%/*}"
        cp "$library" "root$library"
    done
done
find root | sort >before
ends 5 "$gptl" run chroot root /bin/sh -c '/bin/ls /; exit 5' >stdout 2>stderr
one_line stderr 'gptl run: "/bin/sh" was not measured: started in a root directory without the libraries of gptl; bind '
same "what it printed" "$(tr '\n' ' ' <stdout)" "$(find root -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | tr '\n' ' ')"
find root | sort | cmp - before || fail "files are left in the other root"
clean

echo "== another root directory with the libraries, and with a C library that is too old for them"
loader=$(cd root && find . -name 'ld-linux*' -type f | sed -n 's/^\.//p' | head -n 1)
if grep -q 'stable release version 2\.[0-9]' "root$loader"; then
    cp prog root/bin
    for library in $(ldd prog | grep -o '/[^ ]*'); do
        [ -e "root$library" ] || { mkdir -p "root${library%/*}" && cp "$library" "root$library"; }
    done
    mkdir -p "root$builddir/.libs" "root$GPTL_RUN_DIR"
    in_root() {
        rm -f timing*
        # shellcheck disable=SC2016 # for the other shell
        ends 0 "$gptl" run unshare -m sh -c 'mount --bind "$1" "root$1" && mount --bind "$2" "root$2" && exec chroot root /bin/prog plain' \
            - "$builddir/.libs" "$GPTL_RUN_DIR" 2>stderr
        clean
    }
    in_root
    same "calls in another root" "$(calls timing.0 before)" 1
    sed -i 's/stable release version 2\.[0-9][0-9]/stable release version 2.17/' "root$loader"
    in_root
    one_line stderr 'gptl run: "/bin/prog" was not measured: built for another processor or C library than gptl; '
fi

echo "== two hosts: mount namespaces with a /dev/shm and a /tmp of their own"
unset GPTL_RUN_DIR
TMPDIR=$PWD
export TMPDIR
if unshare -m true 2>/dev/null; then
    mkdir home
    cat >job <<'END'
#!/bin/sh
PMI_RANK=0 PMI_SIZE=2 ./prog kill
PMI_RANK=1 PMI_SIZE=2 unshare -m sh -c 'mount -t tmpfs none /dev/shm; mount -t tmpfs none /tmp; exec ./prog kill'
exit 3
END
    chmod +x job
    case $PWD in
    /tmp/* | /dev/shm/*) ;; # the other host would not see the program
    *)
        rm -f timing*
        HOME=$PWD/home ends 3 "$gptl" run ./job 2>stderr
        for rank in 0 1; do
            same "calls of rank $rank" "$(calls timing.$rank before)" 1
        done
        same "what is left in the home directory" "$(find home -mindepth 2)" ""
        # Logs that grow without bound are collected from the disk of either host.
        cat >writers <<'END'
#!/bin/sh
PMI_RANK=0 sh -c 'echo a >written.0'
PMI_RANK=1 unshare -m sh -c 'for d in /dev/shm /tmp /var/tmp; do mount -t tmpfs none $d; done; exec sh -c "echo b >written.1"'
END
        chmod +x writers
        HOME=$PWD/home ends 0 "$gptl" run --iostack --set output=none ./writers 2>stderr
        for rank in 0 1; do
            [ -s iostack/posix.$rank.log ] || { cat stderr; fail "no log of rank $rank: $(files iostack/*)"; }
        done
        same "what is left in the home directory" "$(find home -mindepth 2)" ""
        rm -f timing*
        HOME=$PWD/missing ends 3 "$gptl" run ./job 2>stderr
        same "calls of rank 0" "$(calls timing.0 before)" 1
        [ ! -e timing.1 ] || fail "a report of rank 1"
        grep -q '^gptl run: nothing could be collected from rank 1, ' stderr || { cat stderr; fail "rank 1 is not named"; }
        same "files here" "$(files gptl-salvage* missing)" ""
        ;;
    esac
fi
