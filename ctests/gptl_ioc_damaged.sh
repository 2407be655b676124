#!/bin/sh
# gptl ioc on damaged logs: warnings at the start, omitted parts, and complete reading of all other parts.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3 gnuplot
need_tools

cat >made.py <<'EOF'
import struct
import sys
from ioc_log import *


def section(pid, nchunks=3):
    """Of 10 reads of PID bytes in each chunk."""
    s = Section(pid=pid)
    f = s.file("/f%d" % pid)
    s.descriptor(3, f)
    for k in range(nchunks):
        c = s.chunk(pid, at=s.start_ticks + (20 * k) * 1_000_000)
        for i in range(10):
            c.call("read", s.start_ticks + (20 * k + i + 1) * 1_000_000, 3, pid)
    return s


def write(path, data):
    open(path, "wb").write(data)


def blocks(data, start=0):
    """(offset, type, size) of each block of the section at START."""
    size = struct.unpack_from("<Q", data, start + 24)[0]
    at, found = start + 256, []
    while at < start + size:
        kind, _, length = struct.unpack_from("<IIQ", data, at)
        found.append((at, kind, length))
        at += 16 + length + -length % 16
    return found


def broken(data, at, by=b"\xee"):
    return data[:at] + by + data[at + len(by):]


def retyped(data, at, kind):
    """The block at AT as one of another type."""
    size = struct.unpack_from("<Q", data, at + 8)[0]
    return broken(data, at, struct.pack("<II", kind, block_crc(kind, data[at + 16:at + 16 + size])))
EOF

made() {
    PYTHONPATH=$srcdir/ctests/programs:. python3 -c "from made import *
$1" || fail "cannot make logs"
}

# ioc_ends STATUS ARGUMENT...: the output is in out, messages are in err.
ioc_ends() {
    wanted=$1
    shift
    status=0
    "$gptl" ioc "$@" >out 2>err || status=$?
    [ $status = "$wanted" ] || {
        cat out err
        fail "gptl ioc $*: exit status $status, expected $wanted"
    }
}

complains() {
    grep -qF -e "$1" err || {
        cat err
        fail "does not complain: $1"
    }
}

# reads LOG BYTES: the undamaged part contains reads of BYTES.
reads() {
    ioc_ends 1 rate --csv --step 100 "$1"
    same "what is read of $1" "$(sed -n 's/^0\.000000000,all,\([0-9]*\),.*/\1/p' out)" "$2"
}

echo "== a whole one has no notes"
made 'write("whole.log", section(100).bytes() + section(7).bytes())'
ioc_ends 0 rate --csv --step 100 whole.log
same "messages" "$(cat err)" ""
grep -q '^0.000000000,all,3210,0,0,0$' out || fail "not all read"

echo "== a damaged chunk, the content and each number of its head"
made '
data = section(100).bytes()
chunk = [at for at, kind, _ in blocks(data) if kind == 7][1]
for name, at in (("content", chunk + 40), ("crc", chunk + 4), ("size", chunk + 8), ("size2", chunk + 14)):
    write(name + ".log", broken(data, at) + section(7).bytes())
write("type.log", broken(data, chunk) + section(7).bytes())
print(chunk)' >place
for name in content crc size size2 type; do
    reads $name.log 2210
    complains "bytes at $(cat place) are left out"
done

# Unknown records are skipped, but calls are counted.
made '
data = section(100).bytes()
chunk = [at for at, kind, _ in blocks(data) if kind == 7][1]
write("unknown.log", retyped(data, chunk, 99) + section(7).bytes())'
reads unknown.log 2210
complains 'at 0 calls are missing, though nothing else is damaged'

echo "== a damaged block of names"
made '
data = section(100).bytes()
names = [at for at, kind, _ in blocks(data) if kind == 3][0]
write("names.log", broken(data, names + 20))'
reads names.log 3000
complains 'a damaged block'
ioc_ends 1 dump names.log
grep -q 'Note: damaged: names.log: ' out || fail "not said first"
grep -q 'read(3) 100 @0 -$' out || fail "not read without names"

echo "== a damaged header costs its section"
made '
write("header.log", broken(section(100).bytes(), 60) + section(7).bytes())
write("magic.log", section(7).bytes() + broken(section(100).bytes(), 3) + section(9).bytes())
write("rubbish.log", b"rubbish" * 9 + section(7).bytes() + b"more\n" + section(9).bytes() + b"end")'
reads header.log 210
complains 'the header of a section is damaged'
reads magic.log 480
complains 'no section begins here'
reads rubbish.log 480
complains '63 bytes at 0 are left out'

echo "== cut off at every place, no crash, and no more than is there"
made '
data = section(100).bytes()
chunks = [at for at, kind, _ in blocks(data) if kind == 7]
write("last.log", data[:chunks[2] + 50])
write("second.log", data[:chunks[1] + 16])
write("mixed.log", data[:chunks[1] + 16] + section(7).bytes())
for n in range(0, len(data), 37):
    write("cut.%d.log" % n, data[:n])'
reads last.log 2000
complains 'the file ends within a section'
reads second.log 1000
reads mixed.log 1210
complains 'a section is cut off by another'
for log in cut.*.log; do
    status=0
    "$gptl" ioc summary "$log" >out 2>err || status=$?
    { [ $status -eq 1 ] && [ "$log" != cut.0.log ]; } || [ $status -eq 2 ] ||
        fail "$log: exit status $status"
done

echo "== no log at all"
: >empty.log
ioc_ends 2 summary empty.log
complains 'empty.log: it is empty'
echo 'not a log' >foreign.log
ioc_ends 2 summary foreign.log
complains 'foreign.log: this is no log of I/O calls'
ioc_ends 2 summary missing.log
complains 'missing.log: No such file'
ioc_ends 2 summary .
complains 'it must be a file'
ioc_ends 2 summary whole.log foreign.log
made '
s = section(7)
s.version = 4
write("version.log", s.bytes())'
ioc_ends 2 summary version.log
complains 'its version is 4'

echo "== lost, unlocked, unseen: said first, by all tools"
made '
s = section(7)
s.lost, s.calls, s.flags, s.lock_errno = 500, 30, FLAGS["unlocked"], 37
s.unseen = ["libfoo.so io_uring_enter", " io_uring_setup"]
s.notes = ["the memory for names is full"]
write("lost.log", s.bytes())'
for tool in summary rate ops sizes dump "file f7"; do
    # shellcheck disable=SC2086 # a tool and its path
    ioc_ends 0 $tool lost.log
    [ "$(sed -n '1{/^Note: 500 calls are lost, 30 are here: .* (64 MiB) .* (most in node1:7)/p;}' out)" ] ||
        { cat out; fail "$tool does not begin with what is lost"; }
    for text in 'could not lock the log (No locks available)' \
        'not recorded, but imported: libfoo.so io_uring_enter, prog io_uring_setup' \
        'the memory for names is full'; do
        grep -qF "Note: $text" out || sed -n '2,4p' out | grep -qF "$text" || fail "$tool: $text"
    done
    # shellcheck disable=SC2086
    ioc_ends 0 $tool --csv lost.log
    complains '500 calls are lost'
    # shellcheck disable=SC2086
    ioc_ends 0 $tool --json lost.log
    grep -q '^{"format":"gptl-ioc-[a-z]*","version":1,"notes":\[$' out || fail "$tool: no notes"
done

made '
s = section(7)
s.unseen = ["/usr/lib/libfoo.so call%d" % i for i in range(100)]
write("unseen.log", s.bytes())'
ioc_ends 0 summary unseen.log
same "a line for a hundred calls" "$(head -n 1 out)" \
    "Note: not recorded, but imported: libfoo.so call0, libfoo.so call1, libfoo.so call2, and 97 more: --json has all"
ioc_ends 0 summary --json unseen.log
grep -qF ', /usr/lib/libfoo.so call99"' out || fail "--json has not all"

"$gptl" ioc html -o page.html lost.log 2>err
grep -q 'Note: 500 calls are lost' page.html || fail "not in the page"
same "messages beside the page" "$(cat err)" ""

echo "== a full disk"
if [ -w /dev/full ]; then
    status=0
    "$gptl" ioc dump whole.log >/dev/full 2>err || status=$?
    same "exit status on a full disk" $status 2
    complains 'No space left on device'
fi
