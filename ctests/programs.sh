# shellcheck shell=sh
# What the tests of whole programs share; read after lib.sh.

gptl=$builddir/gptl
library=$builddir/.libs/libgptl.so.0

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

# compile PROGRAM SOURCE [FLAG...]: a program that uses the library.
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

# ends STATUS COMMAND...: COMMAND ends with STATUS.
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

# files PATTERN...: names of the files, one a line; none is no error.
files() {
    for name; do
        [ ! -e "$name" ] || echo "$name"
    done
}

# calls REPORT REGION [THREAD]: column Called of the table of thread 0, or of
# another, summed over the rows of that name; 0 when it has none.
calls() {
    awk -v region="$2" -v thread="${3:-0}" '
        /^Stats for thread / { inside = ($4 + 0 == thread && $4 ~ /^[0-9]+:$/); next }
        /^Total calls/ { inside = 0 }
        inside { line = substr($0, 3); if (split(line, w, " ") > 1 && w[1] == region) n += w[2] }
        END { print n + 0 }' "$1"
}

# tables REPORT: without what differs from run to run, the preamble and the
# memory of the library.
tables() {
    sed -n '/^Stats for thread /,$p' "$1" | sed '/^Memory used by the library/,$d'
}

# no_rest [FOLDER]: nothing that was to be removed is left there.
no_rest() {
    left=$(find "${1:-.}" -name 'gptl-salvage.*' -o -name '*.tmp.*' -o -name '.gptl-run.*')
    [ -z "$left" ] || fail "left behind: $left"
}

# one_line FILE TEXT: the file holds one line, and TEXT stands in it.
one_line() {
    [ "$(wc -l <"$1")" -eq 1 ] || { cat "$1"; fail "$1 is not one line"; }
    grep -qF -- "$2" "$1" || { cat "$1"; fail "$1 does not say: $2"; }
}
