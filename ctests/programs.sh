# shellcheck shell=sh
# Shared functions of the tests of whole programs; read after lib.sh.

gptl=$builddir/gptl
# shellcheck disable=SC2034 # for some of the tests
library=$builddir/.libs/libgptl.so.9

if [ "$enable_shared" = yes ]; then
    link="$builddir/.libs/libgptl.so -Wl,-rpath,$builddir/.libs"
else
    link="$builddir/.libs/libgptl.a"
fi
[ "$sanitize" = no ] || link="-fsanitize=$sanitize $link"

# A program that is not linked with the library gets it preloaded.
need_shared() {
    [ "$enable_shared" = yes ] || skip "built without a shared library"
}

need_tools() {
    [ -x "$gptl" ] || skip "built without the gptl program"
}

# compile PROGRAM SOURCE [FLAG...]: compile a program that uses the library.
# shellcheck disable=SC2086 # compilers and flags are lists of words
compile() {
    to=$1
    from=$2
    shift 2
    case $from in
        *.cpp) compiler=$CXX ;;
        *) compiler="$CC -std=gnu11" ;;
    esac
    $compiler -g -O1 -Wall -Wextra -Werror -pthread -I"$srcdir/include" -o "$to" "$from" "$@" \
        ${link:-} || fail "cannot compile $from"
}

# compile_fortran PROGRAM SOURCE... [FLAG...]: compile a program that uses the Fortran interface, by its
# module or by gptl.inc.
# shellcheck disable=SC2086 # compilers and flags are lists of words
compile_fortran() {
    to=$1
    shift
    [ "$enable_fortran" = yes ] || skip "built without the Fortran interface"
    $FC -g -O1 ${FC_MODINC}"$builddir/fortran" -o "$to" "$@" ${link:-} -pthread ||
        fail "cannot compile $to"
}

# ends STATUS COMMAND...: COMMAND exits with STATUS.
ends() {
    wanted=$1
    shift
    got=0
    "$@" || got=$?
    [ "$got" -eq "$wanted" ] || fail "exit status $got, not $wanted: $*"
}

# same WHAT GOT WANTED
same() {
    [ "$2" = "$3" ] || fail "$1 is \"$2\", not \"$3\""
}

# files PATTERN...: names of the files, one per line; an empty result is not an error.
files() {
    for name; do
        [ ! -e "$name" ] || echo "$name"
    done
}

# calls REPORT REGION [THREAD]: column Called of the table of thread 0, or of another, summed over the rows
# of that name, or 0.
calls() {
    awk -v region="$2" -v thread="${3:-0}" '
        /^Stats for thread / { inside = ($4 + 0 == thread && $4 ~ /^[0-9]+:$/); next }
        /^Total calls/ { inside = 0 }
        inside { line = substr($0, 3); if (split(line, w, " ") > 1 && w[1] == region) n += w[2] }
        END { print n + 0 }' "$1"
}

# all_calls REPORT REGION: the same over all threads.
all_calls() {
    awk -v region="$2" '
        /^Stats for thread / { inside = 1 }
        /^Total calls/ { inside = 0 }
        inside { line = substr($0, 3); if (split(line, w, " ") > 1) {
                     i = w[1] ~ /^\[/ ? 2 : 1; if (w[i] == region) n += w[i + 1] } }
        END { print n + 0 }' "$1"
}

# tables REPORT: without the parts that differ from run to run, the preamble and the memory of the library.
tables() {
    sed -n '/^Stats for thread /,$p' "$1" | sed '/^Memory used by the library/,$d'
}

# no_rest: all temporary files are removed.
no_rest() {
    left=$(find . -name 'gptl-salvage.*' -o -name '*.tmp.*' -o -name 'gptl-run.*')
    [ -z "$left" ] || fail "left behind: $left"
}

# one_line FILE TEXT: the file contains one line, which contains TEXT.
one_line() {
    [ "$(wc -l <"$1")" -eq 1 ] || { cat "$1"; fail "$1 is not one line"; }
    grep -qF -- "$2" "$1" || { cat "$1"; fail "$1 does not say: $2"; }
}

# ---- Of programs/victim.c --------------------------------------------------------

# started THREADS: wait until all of them measure; print the number of the process.
started() {
    tries=0
    until [ -s counts ] && ! ./victim counts "$1" show | grep -q '^0 '; do
        tries=$((tries + 1))
        [ $tries -lt 1000 ] || { echo "FAILED: the program does not start" >&2; exit 1; }
        sleep 0.01
    done
    ./victim counts "$1" pid
}

# agree REPORT THREADS MODE: the report compared with the program's own counts.
agree() {
    report=$1
    grep -q '^Memory used by the library' "$report" || { cat "$report"; fail "not a whole report"; }
    ! grep -q 'unreadable' "$report" || fail "unreadable names"
    t=0
    ./victim counts "$2" show >shown
    while read -r own made; do
        told=$(all_calls "$report" "work_$t")
        [ "$told" -eq "$own" ] || [ "$told" -eq $((own + 1)) ] ||
            fail "$3: $told calls of work_$t in the report, $own in the program"
        if [ "$made" -gt 0 ]; then
            told=$(grep -c "^ *>* *made_${t}_[0-9]* " "$report" || true)
            # Each name has a row in the table, the last one perhaps an open one.
            [ "$told" -ge "$made" ] && [ "$told" -le $((made + 2)) ] ||
                fail "$3: $told names of thread $t in the report, $made in the program"
        fi
        t=$((t + 1))
    done <shown
}

# reads_ahead PID: whether a page fault in the mapping of a salvage file by PID loads more than the touched
# page. The most recent mappings may not show that yet.
reads_ahead() {
    for _ in 1 2 3 4 5; do
        awk '/gptl-salvage/ { ours = 1; n++ }
            ours && /^VmFlags:/ { if (!/ rr( |$)/) bad = 1; ours = 0 }
            END { exit bad || n == 0 }' "/proc/$1/smaps" && { echo no && return; }
    done
    echo yes
}
