#!/bin/sh
# An intercepted call takes at most 1 KiB more stack than the original: each call is made on a painted
# stack, the first time and again, with records, with spans, and while a section is written.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/io_lib.sh"
probe_library=$builddir/.libs/libgptl_probe.so.0
run_library=$builddir/.libs/libgptl_run.so.0
compile_io stack io_stack.c
seq 1000 >input

# measured NAME COMMAND...: the stack bytes of each call.
measured() {
    rm -rf work
    mkdir work
    (
        name=$1
        shift
        cd work && "$@" ../stack <../input >/dev/null 2>"../$name"
    ) || fail "$1: the program fails: $(tail -n 1 "$1")"
}

# compare NAME: no call takes more than 1024 bytes more than in bare.
compare() {
    python3 - "$1" <<'END' || fail "$1: calls that take more stack"
import sys
bare = [line.split(" ", 1) for line in open("bare")]
more = [line.split(" ", 1) for line in open(sys.argv[1])]
if len(bare) < 300 or [name for _, name in bare] != [name for _, name in more]:
    raise SystemExit("other calls")
over = {name: int(m) - int(b) for (b, name), (m, _) in zip(bare, more) if int(m) - int(b) > 1024}
for name, n in over.items():
    print(n, name, end="")
sys.exit(bool(over))
END
}

for bind in '' 1; do
    [ -z "$bind" ] || export LD_BIND_NOW=1
    measured bare env
    measured records env LD_PRELOAD="$run_library:$io_library" GPTL_IO="path=$PWD/ioc.log;salvage=on"
    compare records
    # Sections are written whenever memory is full.
    measured sections env LD_PRELOAD="$io_library" \
        GPTL_IO="path=$PWD/small.log;memory=64K;full=write;detail=on;sockets=on"
    compare sections
    measured spans env LD_PRELOAD="$run_library:$io_library:$probe_library" \
        GPTL_IOSTACK="path=$PWD/{layer}.{pid}.log"
    compare spans
    measured both env LD_PRELOAD="$run_library:$io_library:$probe_library" \
        GPTL_IO="path=$PWD/ioc.log;salvage=on" GPTL_IOSTACK="path=$PWD/{layer}.{pid}.log"
    compare both
done
[ -s ioc.log ] && [ -s small.log ] || fail "nothing is recorded"
