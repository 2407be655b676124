#!/bin/sh
# gptl ioc: its pictures, and the page with all of them: their texts for one process, a few, and
# many; odd names; without gnuplot, with a failing one, and in an unwritable place.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
need python3 gnuplot xmllint
need_tools

PYTHONPATH=$srcdir/ctests/programs python3 -c '
from ioc_log import *

MS = 1_000_000

def process(rank, odd=False):
    s = Section(host="node1", pid=100 + rank, rank=rank)
    f = s.file("/it\x27s <odd> & \"new\nline\"" if odd else "/shared", size=0)
    c = s.chunk(100 + rank)
    c.open(s.start_ticks + MS, 3, f)
    for i in range(20):
        c.call("write", s.start_ticks + (10 + i * 50 + rank) * MS, 3, 100 << rank % 8)
        c.call("read", s.start_ticks + (11 + i * 50 + rank) * MS, 3, 4096, name="pread", offset=4096 * i)
    return s

def write(path, n, **more):
    open(path, "wb").write(b"".join(process(r, **more).bytes() for r in range(n)))

for n in (1, 5, 40):
    write("%d.log" % n, n)
write("odd.log", 1, odd=True)
two = [process(0), process(1)]
two[1].rank, two[1].program = -1, "/usr/bin/helper"
open("two.log", "wb").write(b"".join(s.bytes() for s in two))
two[1].program = "/usr/bin/program_with_a_long_name"
open("long.log", "wb").write(b"".join(s.bytes() for s in two))
s = Section(pid=1)
c = s.chunk(1)
for i in range(100):
    c.open(s.start_ticks + 2 * i * MS, 3, s.file("/file %d" % i, size=0))
    c.call("write", s.start_ticks + (2 * i + 1) * MS, 3, 1000 + i)
c.open(s.start_ticks + 200 * MS, 3, s.file("/shared by MPI", size=0), name="shm_open")
c.call("write", s.start_ticks + 201 * MS, 3, 1 << 20)
open("files.log", "wb").write(s.bytes())
s = Section(pid=1)
s.chunk(1).call("close", s.start_ticks, 3, 0)
open("none.log", "wb").write(s.bytes())
' || fail "cannot make logs"

# text SVG: the words in it, one per line.
text() {
    xmllint --noout "$1" || fail "$1 is no XML"
    sed -n 's|^[[:space:]]*<text>\(.*\)</text>$|\1|p' "$1" | sed 's/<[^>]*>//g; s/^ *//; s/ *$//'
}

has() {
    text "$1" | grep -qxF -e "$2" || {
        text "$1"
        fail "$1 does not show: $2"
    }
}

for n in 1 5 40 odd two; do
    for tool in rate ops sizes "file *"; do
        set -f
        # shellcheck disable=SC2086 # a tool and its path
        "$gptl" ioc $tool -o $n.svg $n.log 2>err || { cat err; fail "$tool of $n.log"; }
        set +f
        [ ! -s err ] || { cat err; fail "$tool of $n.log complains"; }
        mv $n.svg "${tool%% *}.$n.svg"
    done
done
for n in 1 5 40; do
    for tool in rate ops; do
        has $tool.$n.svg 'time (s)'
    done
    who=
    [ $n != 1 ] || who=', rank 0' # nothing else names it
    has rate.$n.svg "Bytes read$who"
    has rate.$n.svg "Bytes written$who"
    has ops.$n.svg 'calls in 0.05 s'
    has sizes.$n.svg 'bytes of a call'
    has sizes.$n.svg '4 Ki'
    has file.$n.svg '/shared'
    has file.$n.svg 'access (in order of time)'
done
# If there are several programs, they are named.
for name in 'rank 0 prog' 'helper 101'; do
    has rate.two.svg "$name"
    has file.two.svg "$name writes"
done
"$gptl" ioc rate -o long.svg long.log
has long.svg 'program_with_a_long_ 101'
python3 -c '
import re
names = re.findall(r"translate\(([0-9.]+),[^>]*>\s*<text>(?:<[^>]*>)*(program_[^<]*)", open("long.svg").read())
assert len(names) == 2
assert all(float(x) + 7.5 * len(name) <= 1000 for x, name in names), names # of 13 pixels, in a picture of 1000
' || fail "the name of a program is cut off"
has rate.5.svg 'rank 4'
has rate.40.svg 'process'
has file.5.svg 'rank 4 writes'
has file.5.svg 'rank 0 reads'
has file.40.svg 'process'
has sizes.5.svg 'write'
text file.odd.svg | grep -q "^/it's &lt;odd> &amp; \"new?line\"$" || fail "an odd name: $(text file.odd.svg)"

"$gptl" ioc rate -o five.png 5.log
[ "$(head -c 4 five.png | od -An -tx1)" = " 89 50 4e 47" ] || fail "no PNG"

echo "== without gnuplot, and with one that fails"
mkdir bin
PATH=$PWD/bin "$gptl" ioc rate -o no.svg 1.log 2>err && fail "drew without gnuplot"
one_line err 'gnuplot draws the pictures, and is not installed (Debian: gnuplot-nox)'
printf '#!/bin/sh\nexit 1\n' >bin/gnuplot
chmod +x bin/gnuplot
PATH=$PWD/bin:$PATH "$gptl" ioc rate -o no.svg 1.log 2>err && fail "drew without gnuplot"
grep -q 'gnuplot could not draw the picture' err || fail "does not say that gnuplot failed"
[ -z "$(files no.svg* .no.svg*)" ] || fail "half a picture is left"
"$gptl" ioc rate -o nowhere/no.svg 1.log 2>err && fail "drew nowhere"
grep -q 'cannot write nowhere/no.svg' err || fail "does not say that it cannot be written"
for tool in rate sizes; do
    "$gptl" ioc $tool -o no.svg none.log 2>err && fail "$tool drew nothing"
    grep -q 'there is nothing to draw' err || [ $tool = rate ] || fail "does not say why"
done

echo "== the page"
"$gptl" ioc html -o page.html 5.log
[ "$(grep -c '<svg' page.html)" -eq 4 ] || fail "not all pictures are in the page"
grep -q '<h2>/shared</h2>' page.html || fail "the page does not name the file"
grep -q '^I/O of prog: 5 processes' page.html || grep -q 'I/O of prog: 5 processes' page.html ||
    fail "the page has no summary"
! grep -E '(src|href)="?https?:' page.html || fail "the page needs a network"
"$gptl" ioc html -o files.html files.log 2>err
same "messages" "$(cat err)" ""
same "files in the page" "$(sed -n 's|<h2>/\(.*\)</h2>|\1|p' files.html)" "$(
    for i in 99 98 97 96 95 94; do echo "file $i"; done)"
"$gptl" ioc html odd.log | grep -q "&lt;odd&gt;" || fail "an odd name in the page"
