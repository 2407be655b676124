#!/bin/sh
# libgptl_io identifies a file by its inode: links, renames, files without a name, reused names,
# /proc/self/fd, chroot; and a file of two hosts by its path.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/io_lib.sh"
need_tools

# bytes_of PATTERN: bytes read and written, of each file that matches PATTERN, sorted.
bytes_of() {
    "$gptl" ioc summary --csv ioc.log | sed 1d | cut -d, -f1,2,12 | grep -E "$1" | sed 's/,[^,]*$//' |
        sort | tr '\n' ' '
}

# script: Python, where apart(f, ...) runs f in a separate process.
script() {
    {
        cat <<'END_OF_PYTHON'
import os
def apart(f, *a):
    pid = os.fork()
    if pid == 0:
        f(*a)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
def write(path, n, flags=os.O_CREAT):
    os.write(os.open(path, flags | os.O_RDWR), b"x" * n)
def read(path, n):
    os.read(os.open(path, os.O_RDONLY), n)
END_OF_PYTHON
        cat
    } >script.py
    ${runner:-recorded} python3 script.py || fail "the script fails"
}

echo "== links, and a path through another folder"
mkdir sub
script <<'END_OF_PYTHON'
apart(write, "real", 1000)
os.symlink("real", "sym")
os.link("real", "hard")
for name in "sym", "hard", "sub/../real", "real":
    apart(read, name, 100)
fd = os.open("real", os.O_RDWR)
os.pwrite(os.open(f"/proc/self/fd/{fd}", os.O_RDWR), b"yy", 5)
END_OF_PYTHON
same "one file" "$(bytes_of '/(real|sym|hard)$')" "400,1002 "
"$gptl" ioc summary --csv --file hard ioc.log | grep -q '^400,1002,' || fail "not found by another name"

echo "== files without a name"
script <<'END_OF_PYTHON'
def unnamed(n):
    fd = os.open(".", os.O_TMPFILE | os.O_RDWR)
    os.write(fd, b"x" * n)
    os.pread(fd, n, 0)
def memory(n):
    os.write(os.memfd_create("m"), b"x" * n)
try:
    os.close(os.open(".", os.O_TMPFILE | os.O_RDWR))
    apart(unnamed, 11)
    apart(unnamed, 12)
except OSError:
    print("no O_TMPFILE here")
apart(memory, 13)
apart(memory, 14)
write("gone", 15)
fd = os.open("gone", os.O_RDWR)
os.unlink("gone")
os.dup2(fd, 9)
os.system("echo abc >&9")
END_OF_PYTHON
if python3 -c 'import os; os.open(".", os.O_TMPFILE | os.O_RDWR)' 2>/dev/null; then
    case $(bytes_of '/#[0-9]+ .deleted.$') in
    *"11,11 12,12 ") ;;
    *) fail "files without a name: $(bytes_of '/#')" ;;
    esac
fi
same "memory" "$(bytes_of ',m$')" "0,13 0,14 "
same "a file that is gone, and a child that has it" "$(bytes_of '/gone$')" "0,19 "

echo "== a name that is used again, and a file that gets another name"
rm -f f g
script <<'END_OF_PYTHON'
def renames():
    write("g", 30)
    os.rename("g", "f")
apart(write, "f", 10)
os.rename("f", "kept")
apart(write, "f", 20)
apart(read, "kept", 5)
apart(renames)
apart(read, "f", 7)
END_OF_PYTHON
same "three files" "$(bytes_of '/(f|g|kept)$')" "0,20 5,10 7,30 "
same "by their last names" "$("$gptl" ioc summary --csv ioc.log | grep -cE '/(kept|f)$')" 3

if [ "$(id -u)" = 0 ] && python3 -c 'import os; os.chroot("/")' 2>/dev/null; then
    echo "== another root"
    mkdir -p jail/etc
    rm -f ioc.log
    runner="$gptl run --io --set output=none"
    script <<'END_OF_PYTHON'
def jailed():
    os.chroot("jail")
    os.chdir("/")
    write("/etc/hostname", 9)
    os.chdir("/etc")
    read("hostname", 4)
read("/etc/hostname", 1)
apart(jailed)
END_OF_PYTHON
    runner=
    same "the file in there" "$(bytes_of '/jail/etc/hostname$')" "4,9 "
    same "the other one" "$(bytes_of ',/etc/hostname$')" "1,0 "
fi

echo "== hosts"
PYTHONPATH=$programs python3 - <<'END_OF_PYTHON' || fail "cannot make a log"
from ioc_log import *
def one(host, device, inode, birth, n):
    s = Section(host=host, pid=n)
    c = s.chunk(n)
    c.open(s.start_ticks, 3, s.file("/data/f", device=device, inode=inode, birth=birth), flags=1)
    c.call("write", s.start_ticks + 1000, 3, n)
    return s.bytes()
open("ioc.log", "wb").write(one("a", 1, 50, 0, 1) + one("b", 2, 50, 0, 2) + one("a", 2, 52, 0, 4) +
                            one("b", 2, 51, 0, 8) + one("b", 2, 51, 9, 16))
END_OF_PYTHON
same "one shared, three others" "$(bytes_of '/data/f$')" "0,16 0,3 0,4 0,8 "
