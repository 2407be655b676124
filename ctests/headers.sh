#!/bin/sh
# Every header compiles by itself: the installed ones as old and new C and as
# C++, without our warnings; those of the rooms as C11.
. "$srcdir/ctests/lib.sh"
need "$CC"

strict="-Wall -Wextra -Wpedantic -Wundef -Werror -fsyntax-only"
failed=

# alone HEADER EXTENSION COMPILER FLAG...
alone() {
    header=$1
    source=alone.$2
    shift 2
    [ -f "$header" ] || return 0 # a pattern that matched nothing
    # The second copy shows a missing guard.
    printf '#include "%s"\n#include "%s"\nextern int alone;\n' "$header" "$header" >"$source"
    echo "$header: $*"
    "$@" "$source" || failed="$failed ${header#"$srcdir"/}"
}

# shellcheck disable=SC2086 # compilers and flags are lists of words
for header in "$srcdir"/include/*.h "$srcdir"/include/*.hpp; do
    case $header in
        *.h)
            alone "$header" c $CC -std=c99 $strict -I"$srcdir/include"
            alone "$header" c $CC -std=c11 $strict -I"$srcdir/include"
            ;;
    esac
    if [ -n "$CXX" ]; then
        alone "$header" cpp $CXX -std=c++11 $strict -I"$srcdir/include"
        alone "$header" cpp $CXX -std=c++17 $strict -I"$srcdir/include"
    fi
done

# shellcheck disable=SC2086
for header in "$srcdir"/src/*/*.h "$srcdir"/postproc/*.h; do
    alone "$header" c $CC -std=gnu11 -Wall -Wextra -Wundef -Werror -fsyntax-only \
        -I"$srcdir/include" -I"$srcdir/src"
done

[ -z "$failed" ] || fail "not self-contained:$failed"
[ -n "$CXX" ] || echo "no C++ compiler: checked as C only"
