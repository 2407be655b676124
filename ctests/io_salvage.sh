#!/bin/sh
# The calls of a killed process are in the log, one by one: by gptl run, by gptl ioc salvage from
# its file, by gptl report; also in children, while a section is written, with full memory, and
# from files that are truncated, damaged, or cannot grow.
# shellcheck disable=SC2016 # scripts for other shells
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/io_lib.sh"
need taskset
need_tools
GPTL_RUN_DIR=$PWD/runs_here
export GPTL_RUN_DIR
mkdir runs_here
compile_io victim io_victim.c

# killed COMMAND...: run it in the background until its threads have made some calls, and kill it.
killed() {
    rm -f counts parent
    "$@" 2>stderr &
    runner=$!
    await
    ahead=$(reads_ahead "$(pid_of)")
    kill -9 "$(pid_of)" || fail "it is not there"
    wait $runner || :
    same "read ahead" "$ahead" no
}

pid_of() {
    python3 -c 'import struct; print(struct.unpack("q", open("counts", "rb").read(8))[0])'
}

# await: wait until each existing thread has made enough calls.
enough=1000
await() {
    for _ in $(seq 600); do
        if [ -s counts ] && ./victim counts $threads show | awk -v n=$enough '$2 < n { low = 1 } END { exit low }'; then
            return
        fi
        sleep 0.05
    done
    fail "the program does not get on"
}

# exact LOG: the calls of each thread are in LOG, plus at most the one not counted yet.
exact() {
    ./victim counts $threads show >made
    "$gptl" ioc dump --csv --process victim "$1" >dump.csv 2>notes || fail "dump: $(cat notes)"
    python3 - <<'END' || fail "calls are missing"
import csv
import os
made = dict(line.split() for line in open("made"))
seen = dict.fromkeys(made, 0)
for row in csv.DictReader(open("dump.csv")):
    name = os.path.basename(row["file"])
    if name in seen and row["call"] != "open":
        seen[name] += 1
for name in made:
    if seen[name] - int(made[name]) not in (0, 1):
        raise SystemExit(f"{name}: {made[name]} calls, {seen[name]} in the log")
END
}

threads=8

echo "== gptl run"
GPTL_IO=memory=256M killed "$gptl" run --io --set output=none ./victim counts $threads all
exact ioc.log
grep -q '1 process ended without writing all calls: what was in memory is here' notes || fail "not told: $(cat notes)"
grep -q '^gptl run: wrote [0-9]* calls to .*/ioc.log, which a process left that ended without writing them$' stderr || fail "$(cat stderr)"
[ -z "$(ls -d "$GPTL_RUN_DIR"/* gptl-salvage* 2>/dev/null)" ] || fail "files are left"

echo "== many are told of once"
rm -f ioc.log
"$gptl" run --io --set output=none sh -c \
    'for i in 1 2 3; do sh -c "echo \$i >f\$i; kill -9 \$\$"; done 2>/dev/null; true' 2>stderr ||
    fail "$(cat stderr)"
sed 's/wrote [0-9]* calls/wrote N calls/' stderr >told
one_line told "gptl run: wrote N calls to $PWD/ioc.log, which 3 processes left that ended without writing them"

echo "== one that ended by itself, which no library sees, is not called killed"
cat >ended.c <<'END'
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    if (write(1, "x", 1) != 1)
        abort();
    syscall(SYS_exit_group, 0);
}
END
compile ended ended.c
rm -f ioc.log
ends 0 "$gptl" run --io --set output=none ./ended >own 2>stderr
one_line stderr "gptl run: wrote 1 call to $PWD/ioc.log, which a process left that ended without writing them"
"$gptl" ioc summary ioc.log >out
grep -q '^Note: 1 process ended without writing all calls: what was in memory is here$' out || fail "$(cat out)"
! grep -i kill out stderr || fail "it is called killed"

echo "== killed before it began"
rm -f ioc.log
"$gptl" run --io --set output=none sh -c 'for name in gptl-salvage-io gptl-salvage; do
    head -c 8192 /dev/zero >"$(echo "$GPTL_RUN_DIR"/gptl-run.*)/$name.$(uname -n).$(sh -c "echo \$\$")"
done' 2>stderr || fail "$(cat stderr)"
[ ! -s stderr ] || fail "there is something to say: $(cat stderr)"
[ -z "$(ls "$GPTL_RUN_DIR")" ] || fail "files are left"

echo "== a file that its process can open no longer, as servers that give up their rights"
if python3 -c 'import mmap; mmap.mmap(-1, 4096).madvise(23)' 2>/dev/null; then # Linux 5.14
    rm -f ioc.log
    "$gptl" run --io --set output=none python3 -c '
import glob, os
folder, = glob.glob(os.environ["GPTL_RUN_DIR"] + "/gptl-run.*")
f = os.open("own", os.O_CREAT | os.O_WRONLY)
os.rename(folder, "away")
for i in range(50000):
    os.write(f, b"12345")
os.rename("away", folder)
os.kill(os.getpid(), 9)' 2>stderr && fail "not killed"
    "$gptl" ioc summary --csv ioc.log | grep '^0,250000,0,50000,.*/own$' || fail "$(cat stderr)"
fi

echo "== the file alone, later"
for how in "ioc salvage ." report; do
    rm -f ioc.log
    io_options="salvage=on;memory=256M" killed preloaded "$PWD/ioc.log" ./victim counts $threads all
    [ ! -e ioc.log ] || fail "a log of a killed process"
    left=$(ls gptl-salvage-io.*)
    ends 2 "$gptl" ioc summary "$left" 2>err
    grep -q 'a process that ended without writing its calls left it: .gptl ioc salvage.' err || fail "$(cat err)"
    [ "$how" != report ] || how="report $left"
    # shellcheck disable=SC2086 # words
    ends 0 "$gptl" $how >out 2>err
    exact ioc.log
    [ ! -s out ] || fail "$(cat out)"
    [ ! -e "$left" ] || fail "the file is still there"
done

echo "== into another log, and of a process that still runs"
rm -f counts
io_options="salvage=on;memory=256M" preloaded "$PWD/ioc.log" ./victim counts $threads all 2>/dev/null &
runner=$!
await
left=$(ls gptl-salvage-io.*)
ends 2 "$gptl" ioc salvage . 2>err
grep -q "its process .* still runs" err || fail "$(cat err)"
kill -9 "$(pid_of)"
wait $runner || :
cp "$left" kept.file
ends 0 "$gptl" ioc salvage --log other.log . 2>err
exact other.log

echo "== children"
for kind in fork clone; do
    rm -f ioc.log
    GPTL_IO=memory=256M killed "$gptl" run --io --set output=none ./victim counts $threads $kind
    exact ioc.log
    "$gptl" ioc dump --csv --file '*/parent' ioc.log >parent.csv 2>/dev/null
    same "the parent's calls" "$(grep -c ',write,' parent.csv)" "$(wc -c <parent | tr -d ' ')"
    [ -z "$(ls -d "$GPTL_RUN_DIR"/* gptl-salvage* 2>/dev/null)" ] || fail "files are left"
done

echo "== a child has a file from its first call on"
rm -f ioc.log
"$gptl" run --io --set output=none python3 -c '
import glob, os, signal
pid = os.fork()
if pid == 0:
    os.kill(os.getpid(), signal.SIGSTOP)
    f = os.open("late", os.O_CREAT | os.O_WRONLY)
    os.write(f, b"1234567")
    os.kill(os.getpid(), signal.SIGSTOP)
files = []
for then in signal.SIGCONT, signal.SIGKILL:
    os.waitpid(pid, os.WUNTRACED)
    files.append(len(glob.glob(os.environ["GPTL_RUN_DIR"] + "/gptl-run.*/gptl-salvage-io.*")))
    os.kill(pid, then)
os.waitpid(pid, 0)
assert files == [1, 2], files' 2>stderr || fail "$(cat stderr)"
"$gptl" ioc summary --csv ioc.log | grep '^0,7,0,1,.*/late$' || fail "the call of the child is lost"

echo "== while sections are written"
threads=4
enough=5000 # there is room for less than 9000 of all threads in 256 KiB
for _ in 1 2 3; do
    rm -f ioc.log
    GPTL_IO="full=write;memory=128K" killed "$gptl" run --io --set output=none ./victim counts $threads all
    exact ioc.log
    [ "$(sections | wc -l)" -gt 2 ] || fail "not written out"
done

echo "== when memory was full"
# On one processor it is often interrupted while a thread handles an overwritten chunk; others wait for it.
threads=12
enough=1500
processor=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
for round in 1 2 3; do
    rm -f ioc.log
    GPTL_IO="memory=256K" killed taskset -c "$processor" "$gptl" run --io --set output=none ./victim counts $threads all
    "$gptl" ioc summary ioc.log >out || fail "$(cat out)"
    grep -q '^Note: [0-9]* calls are lost, [0-9]* are here' out || fail "$(cat out)"
    PYTHONPATH=$programs python3 - $threads <<'END' || fail "not all is told in round $round"
import sys
import ioc_log
sections, damage = ioc_log.read_log("ioc.log")
s = sections[0]
assert not damage and len(sections) == 1, damage
# Files whose opening was overwritten are named by their descriptor, others by their opening.
paths = [c.data & 0xFFFFFFFF for c in ioc_log.calls_of(s) if c.type == "open"]
paths += [d[1] for d in s.descriptors]
named = {ioc_log.full_path(s, path).split("/")[-1] for path in paths}
assert {f"mine{i}" for i in range(int(sys.argv[1]))} <= named, named
END
done
threads=4
enough=1000

echo "== one that ends by itself leaves nothing, nor one that records nothing"
rm -f ioc.log
io_options="salvage=on" ends 0 preloaded "$PWD/ioc.log" true
io_options="salvage=on" ends 0 preloaded "$PWD/ioc.log" sh -c 'echo a >f; cat f; (echo b >f); exec cat f' >out
same "what it printed" "$(cat out)" "a
b"
[ -z "$(ls -d gptl-salvage-io.* 2>/dev/null)" ] || fail "files are left"
mkdir there
io_options="salvage=on;salvage.dir=there" ends 0 preloaded "$PWD/ioc.log" sh -c 'ls there >seen'
grep -q '^gptl-salvage-io\.' seen || fail "the file is not where it should be"

echo "== files that are cut off, or damaged"
size=$(wc -c <kept.file | tr -d ' ')
for part in 0 100 5000 70000 300000 $((size / 2)) $((size - 5000)); do
    mkdir cut && head -c "$part" kept.file >cut/gptl-salvage-io.here.1
    status=0
    "$gptl" ioc salvage --log cut.log cut >out 2>err || status=$?
    if [ -e cut.log ]; then
        same "exit status of $part bytes" $status 0
        "$gptl" ioc summary cut.log >out 2>&1 || fail "$part bytes: $(cat out)"
        grep -q 'was cut off after' out || fail "$part bytes: not told"
        some=$part
    else
        same "exit status of $part bytes" $status 2
        [ -s err ] || fail "$part bytes: not told"
    fi
    rm -rf cut cut.log
done
[ "${some-}" ] || fail "nothing was read of what was cut off"
io_options="salvage=on;memory=1M" killed preloaded "$PWD/none.log" ./victim counts $threads all
mv gptl-salvage-io.* small.file
for i in $(seq 20); do
    cp --sparse=always small.file "gptl-salvage-io.bad.$i"
done
python3 - <<'END'
import os
import random
rng = random.Random(7)
for i in range(1, 21):
    fd = os.open(f"gptl-salvage-io.bad.{i}", os.O_RDWR)
    end, data, at = os.fstat(fd).st_size, [], 0
    while at < end: # what is no hole
        try:
            at = os.lseek(fd, at, os.SEEK_DATA)
        except OSError:
            break
        hole = os.lseek(fd, at, os.SEEK_HOLE)
        data.append((at, hole))
        at = hole
    for _ in range(rng.choice((1, 5, 200))):
        first, last = rng.choice(data) if i % 3 else (0, 8192)
        os.pwrite(fd, bytes([rng.randrange(256)]), rng.randrange(first, last))
    os.close(fd)
END
read=0
for file in gptl-salvage-io.bad.*; do
    status=0
    timeout 60 "$gptl" ioc salvage --log bad.log "$file" >out 2>err || status=$?
    [ $status = 0 ] || [ $status = 2 ] || fail "$file: exit status $status: $(cat err)"
    if [ -e bad.log ]; then
        timeout 60 "$gptl" ioc summary bad.log >out 2>err || [ $? = 1 ] || fail "$file: $(cat err)"
        read=$((read + 1))
    fi
    rm -f "$file" bad.log
done

[ $read -gt 5 ] || fail "only $read of the damaged files were read"

echo "== no room"
# A file size limit, which ends programs that exceed it.
(ulimit -f 64 && io_options="salvage=on" preloaded "$PWD/ioc.log" cat /etc/passwd >out 2>stderr) ||
    fail "a limit on file sizes ended the program"
grep -q '^gptl ioc: the calls would not survive a kill: no salvage file can be made' stderr || fail "$(cat stderr)"
# A disk that fills up: a small file system, if one may be mounted.
cat >on_small_disk.sh <<'END'
mount -t tmpfs -o size=1m none there || exit 99
cd there
LD_PRELOAD=$1 GPTL_IO="salvage=on;path=ioc.log" "$2" counts 4 all &
until "$2" counts 4 show | awk '{ n += $2 } END { exit n < 40000 }'; do sleep 0.05; done # 40 bytes each
kill -9 $!
wait $! || [ $? = 137 ] || exit 1
cp counts ..
"$3" ioc salvage --log ../small.log . || exit 2
END
rm -f small.log
status=0
unshare -rm sh on_small_disk.sh "$io_library" "$PWD/victim" "$gptl" >out 2>&1 || status=$?
if [ $status = 99 ] || grep -q '^unshare: ' out; then
    echo "(no file system can be mounted here: the full disk is left out)"
else
    same "exit status" $status 0
    "$gptl" ioc summary small.log >told || fail "no summary of what was on a full disk"
    grep -q 'had no more room: calls are missing' told || fail "$(cat told)"
fi

echo "== usage"
ends 0 "$gptl" ioc salvage --help >out
ends 2 "$gptl" ioc salvage 2>err
ends 2 "$gptl" ioc salvage /no/such/file 2>err
grep -q '/no/such/file: No such file' err || fail "$(cat err)"
mkdir empty
ends 2 "$gptl" ioc salvage empty 2>err
grep -q 'there is no salvage file' err || fail "$(cat err)"
