#!/bin/sh
# libgptl_probe in hosts of all kinds: threads, forks, signal handlers, daemons that close all descriptors, a full
# disk, a kill. gptl iostack reads the logs.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3
need_tools
need_shared

link="$builddir/.libs/libgptl_probe.so -Wl,-rpath,$builddir/.libs"
[ -e "$builddir/.libs/libgptl_probe.so" ] || skip "built without libgptl_probe"
[ "$sanitize" = no ] || link="-fsanitize=$sanitize $link"
compile probes "$srcdir/ctests/programs/probes.c"

# run PROGRAM-ARGUMENT...: without old logs; the contents of the logs are in out.json.
run() {
    rm -f ./*.log out.json
    ./probes "$@" >said 2>err || { cat err; fail "probes $*"; }
    "$gptl" iostack --json ./*.log >out.json 2>err || { cat err; fail "the logs of probes $*"; }
}

# has COUNT:NUMBER...
has() {
    for count; do
        grep -q "\"${count%:*}\":${count#*:}[,}]" out.json || fail "not $count: $(grep counts out.json)"
    done
}

# spans LAYER: the number in the table of layers.
spans() {
    "$gptl" iostack --by layer --csv ./*.log 2>/dev/null | awk -F, -v layer="$1" '$1 == layer { print $4 }'
}

echo "== the library stands by itself"
need readelf nm
if [ "$sanitize" = no ]; then
    readelf -d "$builddir/.libs/libgptl_probe.so" | grep NEEDED | grep -vE 'lib(c|pthread)\.so|ld-linux' &&
        fail "needs more than libc and threads"
    nm -D --defined-only "$builddir/.libs/libgptl_probe.so" | awk '$2 != "A" { print $3 }' |
        grep -v -e '^GPTLprobe_' -e '^prctl$' && fail "exports other names"
fi

echo "== more than a chunk; a parent whose chunk is gone when it ends"
run pairs 5000
has spans:5001 open:0 ends_without_begin:0 lost:0 without_parent:0 killed:0
same "client spans" "$(spans client)" 5000
grep -q '"file":"/some/file"' out.json || fail "the file's name is lost"
grep -q '"bytes":' out.json || fail "no bytes"

echo "== begun in one thread, ended in another"
run keyed 1000
has spans:16001 open:0 ends_without_begin:0 lost:0 without_parent:0
same "calls" "$("$gptl" iostack --csv ./*.log | wc -l)" 2

echo "== many short threads share chunks"
run short_threads 3000
has spans:3000 open:0 lost:0
[ "$(stat -c %s posix.0.log)" -le 2000000 ] || fail "the log has $(stat -c %s posix.0.log) bytes"

echo "== a fork: the child has logs of its own, under what was open"
run forked
has spans:3 open:0 ends_without_begin:0 without_parent:0
same "logs of clients" "$(files client.*.log | wc -l)" 1

echo "== ids"
run by_id
has spans:3 open:0 without_parent:0
"$gptl" iostack --csv ./*.log | grep -q '^[^,]*,mpi,0,read,.*,77,0,probes$' || fail "the bytes of the end are not there"

echo "== only below some layers, with bytes at the end"
run below
has spans:4 open:1 without_parent:0 ends_without_begin:0
same "bytes of each layer" \
    "$("$gptl" iostack --by layer --csv ./*.log 2>err | awk -F, 'NR > 1 { print $1 ":" $8 }' | tr '\n' ' ')" \
    "mpi:0 adio:33 comm:10 "

echo "== work for what is under way in another thread"
run under_way
has spans:138 open:0 tied:10 among_several:6 without_parent:0 lost:0

echo "== samples of a device: at the end, and before that for a small share of the time"
run sampled 5000
# A chunk begins with 64 bytes, and the type of a record is its first byte.
samples=$(python3 -c 'import sys
log = open(sys.argv[1], "rb").read()
print(sum(log[at] == 5 for at in range(65536 + 64, len(log) - 95, 96)))' mpi.0.log)
if [ -r /proc/self/io ] && grep -qE "^ *$(stat -c '%Hd +%Ld' .) " /proc/diskstats; then
    # Each sample covers the device and the process. The first, and the end.
    [ "$samples" -ge 4 ] || fail "$samples samples: none at the end"
    [ "$samples" -le 2500 ] || fail "$samples samples of 5000 times"
else
    same "samples where the kernel counts for no device" "$samples" 0
fi

echo "== odd calls"
run odd
has spans:66 open:1 ends_without_begin:1 hidden:36
grep -q 'were still open when a span around them ended' out.json || fail "does not say what was left"

echo "== signal handlers"
run interrupted 20000
has open:0 ends_without_begin:0 damaged:0 without_parent:0
same "client spans" "$(spans client)" 20000
lost=$(sed -n 's/.*"lost":\([0-9]*\),.*/\1/p' out.json)
same "spans of the handler, and those that interrupted another" $(($(spans disk) + lost)) "$(cat said)"

echo "== a daemon that closes all files and goes away"
run closes_all 3000
has spans:3002 open:0 lost:0
same "its own file" "$(cat mine)" mine

echo "== the time-stamp counter is disabled: spans go on, with the kernel's clock"
if [ "$sanitize" = no ]; then
    for how in without_counter without_counter_early; do
        rm -f ./*.log
        status=0
        ./probes $how 2>err || status=$?
        [ $status -ne 77 ] || break # not on this machine
        same "$how: status" $status 0
        PYTHONPATH="$srcdir/ctests/programs" python3 - ./*.log <<'END' || fail "$how: not four spans of 0.1 s"
import sys
from iostack_log import read
spans = read(sys.argv[1:])[0]
took = [(s.end - s.begin) / s.log.rate for s in spans]
print(took)
sys.exit(not (len(took) == 4 and all(0.0995 < t < 0.6 for t in took)))
END
    done
fi

echo "== killed"
rm -f ./*.log
ends 137 ./probes killed 2000 2>err
"$gptl" iostack --json ./*.log >out.json
has spans:2002 open:1 lost:0 killed:2

echo "== no room: the host goes on, spans are counted"
rm -f ./*.log
(ulimit -f 1000; ./probes pairs 50000) 2>err || fail "the host failed"
one_line err 'gptl_probe: cannot write'
"$gptl" iostack --json ./*.log >out.json
grep -q '"lost":0,' out.json && fail "nothing is lost with a limit of 1000 blocks"
kept=$(sed -n 's/.*"spans":\([0-9]*\),.*/\1/p' out.json)
lost=$(sed -n 's/.*"lost":\([0-9]*\),.*/\1/p' out.json)
same "kept and lost" $((kept + lost)) 50001

echo "== places"
rm -rf ./*.log logs
mkdir logs
GPTL_IOSTACK="path=logs/{program}.{layer}.{index}" ./probes pairs
GPTL_IOSTACK="path=logs/{program}.{layer}.{index}" ./probes pairs
PMI_RANK=3 ./probes pairs
PMI_RANK=3 ./probes pairs
GPTL_IOSTACK="rank=7;node=the node" ./probes pairs
GPTL_IOSTACK=off ./probes pairs
same "names" "$(cd logs && files ./* | tr '\n' ' ')" \
    "./probes.client.0 ./probes.client.1 ./probes.mpi.0 ./probes.mpi.1 "
same "logs" "$(files ./*.log | sed 's/3\.[0-9][0-9]*\.log/3.PID.log/' | sort | tr '\n' ' ')" \
    "./client.3.PID.log ./client.3.log ./client.7.log ./mpi.3.PID.log ./mpi.3.log ./mpi.7.log "
"$gptl" iostack --by client --csv mpi.7.log | grep -q '^the node,' || fail "the node's name"
rm -f ./*.log
GPTL_IOSTACK="path=/nowhere/x;color=red" ./probes pairs 3 2>err
grep -q 'GPTL_IOSTACK: color cannot be that' err || fail "an unknown option is not told"
grep -q 'cannot write /nowhere/x: No such file or directory' err || fail "does not say why"
