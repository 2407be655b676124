#!/bin/sh
# libgptl_io in the life of processes: fork, vfork, exec, each kind of end, threads, signals, little memory, no
# space for the log. Written bytes in the log equal the size of the file.
# shellcheck disable=SC3045 # ulimit -v, which every shell has
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/io_lib.sh"

compile_io turns_program io_turns.c

# turn STATUS WHAT: leave ioc.log, stdout, stderr; no message is printed.
turn() {
    echo "== $2 ${io_options:-}"
    rm -f turns
    ends "$1" recorded ./turns_program "$2" >stdout 2>stderr
    [ ! -s stderr ] || { cat stderr; fail "$2: something on stderr"; }
}

# turned STATUS WHAT SECTIONS: the log has SECTIONS.
turned() {
    turn "$1" "$2"
    same "$2" "$(sections)" "$3"
}

turned 0 fork 'part=0 flags=forked lost=0 threads=1 turns=14
part=0 flags=- lost=0 threads=1 turns=14'
# A child of vfork runs in its parent's memory and writes no section.
turned 0 vfork 'part=0 flags=- lost=0 threads=1 turns=14'
turned 0 exec 'part=0 flags=before_exec lost=0 threads=1 turns=7
part=1 flags=before_exec lost=0 threads=1 turns=7
part=0 flags=- lost=0 threads=1'
for end in _exit quick_exit; do
    turned 3 $end 'part=0 flags=- lost=0 threads=1 turns=7'
done
turned 3 exit_in_thread 'part=0 flags=- lost=0 threads=2 turns=7'
turned 0 close_all 'part=0 flags=- lost=0 threads=1 turns=14'
turned 0 cancel 'part=0 flags=- lost=0 threads=2 turns=14'
turned 0 deleted 'part=0 flags=- lost=0 threads=1 turns=7'
turned 0 error 'part=0 flags=- lost=0 threads=1 turns=7'
turned 0 raw_fork 'part=0 flags=- lost=0 threads=1 turns=7'
turned 0 names 'part=0 flags=forked lost=0 threads=1 turns=7
part=0 flags=forked lost=0 threads=1 turns=7
part=0 flags=forked lost=0 threads=1 turns=7
part=0 flags=- lost=0 threads=1'
# A child writes the names that its calls refer to, not again all names of its parent.
same "names in the log" "$(grep -ao 'one_of_many_[0-9]*' ioc.log | sort | uniq -c |
    awk '{ n[$1]++ } END { print n[1], n[4] }')" '499 1'
turned 0 threads 'part=0 flags=- lost=0 threads=25 turns=168000'
turned 0 many_threads 'part=0 flags=- lost=0 threads=2001 turns=1400000'
turn 0 signals
same signals "$(sections)" "part=0 flags=- lost=0 threads=1 turns=$(cat stdout)
part=1 flags=- lost=0 threads=1 stdout=$(wc -c <stdout | tr -d ' ')"
io_options="detail=on" turned 0 threads 'part=0 flags=detailed lost=0 threads=25 turns=168000'

# ---- Little memory -----------------------------------------------------------

# The oldest records are dropped and counted; the remaining ones have their file, although open is lost.
io_options="memory=256K" turn 0 lots
sections >got
lost=$(sed 's/.*lost=\([0-9]*\) .*/\1/' got)
kept=$(sed 's/.*turns=//' got)
same "calls in all" $((lost + kept / 7)) 100001

# If chunks are written out instead, nothing is lost, with one thread or many. The crowd refills written chunks
# before a thread that waits for one has got it.
for what in lots many_threads crowd; do
    io_options="memory=256K;full=write;detail=on" turn 0 $what
    sections >got
    [ "$(wc -l <got)" -gt 10 ] || fail "not written out"
    ! grep -v 'lost=0 ' got || fail "lost some"
    same "bytes in all" "$(sed 's/.*turns=//' got | awk '{ n += $1 } END { print n }')" \
        "$(wc -c <turns | tr -d ' ')"
done

# Writing out is not a cancellation point: the thread continues, and others need not wait for it.
io_options="memory=256K;full=write" turn 0 cancelled_later

# Memory limits of the program do not affect the recorder.
(ulimit -v 60000 && recorded ./turns_program _exit; [ $? -eq 3 ]) || fail "does not run in little memory"
same "with little memory" "$(sections)" 'part=0 flags=- lost=0 threads=1 turns=7'

# ---- No room for the log -----------------------------------------------------

# unwritten LOG SENTENCE: the program continues, and stderr has one line.
unwritten() {
    echo "== $1"
    ends 0 preloaded "$1" ./turns_program threads 2>stderr
    grep -qx "gptl ioc: the calls are not recorded; cannot $2" stderr ||
        { cat stderr; fail "$1: not told"; }
    same "lines on stderr" "$(wc -l <stderr)" 1
}
[ ! -c /dev/full ] || unwritten /dev/full 'write /dev/full: No space left on device'
unwritten /no/such/place 'open /no/such/place: No such file or directory'
unwritten / 'open /: Is a directory'

# A file size limit: the first section remains, and no partial one follows.
cat >limited.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int fd = open("small", O_RDWR | O_CREAT, 0600);
    for (int i = 0; i < atoi(argv[argc - 1]); i++)
        if (pwrite(fd, "0123456", 7, 0) != 7)
            return 1;
    return 0;
}
END
$CC -o limited limited.c || fail "cannot compile limited.c"
(ulimit -f 64 && recorded ./limited 10 && cp ioc.log before.log &&
    preloaded "$PWD/ioc.log" ./limited 100000 2>stderr) ||
    fail "a limit on file sizes ended the program"
grep -q 'cannot write .*: File too large$' stderr || { cat stderr; fail "the limit: not told"; }
cmp ioc.log before.log || fail "a section that did not fit left something"

# Closed stderr whose number is used for a file: no message is written there.
ends 0 preloaded /no/such/place ./turns_program stderr_reused
same "the program's own file" "$(wc -c <mine | tr -d ' ')" 0

# A mistake in the options is reported, and the other options hold.
io_options="memory=3;nothing=1;sockets=maybe" ends 3 preloaded "x;y.log" ./turns_program _exit 2>stderr
[ -s 'x;y.log' ] || fail "no log with a quoted name"
same "mistakes told" "$(grep -c '^gptl ioc: GPTL_IO: .* cannot be that; there may stand ' stderr)" 3

# Many concurrent processes append complete sections.
rm -f ioc.log
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    preloaded "$PWD/ioc.log" ./limited 20000 &
done
wait
same sections "$(sections | sort | uniq -c | sed 's/^ *//')" \
    "16 part=0 flags=- lost=0 threads=1 small=140000"

# If locks are refused, sections are appended nevertheless, with a warning in the log.
compile_io no_locks no_locks.c
rm -f ioc.log
status=0
preloaded "$PWD/ioc.log" ./no_locks ./limited 1000 || status=$?
if [ $status = 99 ]; then
    echo "(no filter for system calls here: refused locks are left out)"
else
    same "exit status" $status 0
    for _ in 1 2 3 4 5 6 7 8; do
        preloaded "$PWD/ioc.log" ./no_locks ./limited 2000 &
    done
    wait
    same "sections without locks" "$(sections | grep -c small=14000)" 8
    python3 "$programs/ioc_log.py" ioc.log >/dev/null || fail "the log is damaged"
    if [ -e "$gptl" ]; then
        "$gptl" ioc summary ioc.log >out || fail "$(cat out)"
        grep -q '^Note: 9 processes could not lock the log (No locks available)' out || fail "$(cat out)"
    fi
fi

# A program with the rights of another user loads no library from the user's directory, and works.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    cp "$(command -v cat)" own_cat && chmod 4755 own_cat && chmod 755 . && echo text >text
    rm -f ioc.log
    (umask 0; setpriv --reuid 65534 --clear-groups env LD_PRELOAD="$io_library" \
        GPTL_IO="path=$PWD/ioc.log" ./own_cat text >stdout 2>stderr) || fail "a setuid program fails"
    same "what a setuid program prints" "$(cat stdout)" text
    [ ! -e ioc.log ] || fail "a setuid program wrote a log"
fi

# Imported functions that are not recorded are reported, including variants in future versions of libc.
cat >unseen.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
extern long __pread_2_chk(void) __attribute__((weak)), pread_2(void) __attribute__((weak));
int main(void)
{
    close(open("/dev/null", O_RDONLY));
    access("/", R_OK);
    sync();
    return pread_2 || __pread_2_chk ? 1 : 0;
}
END
$CC -o unseen unseen.c || fail "cannot compile unseen.c"
ends 0 recorded ./unseen
python3 "$programs/ioc_log.py" ioc.log | grep '^==' >got
grep -q "' pread_2'" got && grep -q "' __pread_2_chk'" got && grep -q "' sync'" got && ! grep -q "' access'" got ||
    fail "unseen calls are not told"
