#!/bin/sh
# Every header compiles by itself: the installed ones as old and new C and as
# C++, without our warnings; the internal ones as C11.
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
    # The second inclusion detects a missing guard.
    printf '#include "%s"\n#include "%s"\nextern int alone;\n' "$header" "$header" >"$source"
    echo "$header: $*"
    "$@" "$source" || failed="$failed ${header#"$srcdir"/}"
}

# Flags for each MPI: include/gptlmpi.h and src/mpi are checked with all of them.
mpi_flags() {
    case $1 in
        mpich) echo "-I$builddir/src/mpi/mpich $mpich_CPPFLAGS" ;;
        openmpi) echo "-I$builddir/src/mpi/openmpi $openmpi_CPPFLAGS" ;;
    esac
}

# shellcheck disable=SC2086 # compilers and flags are lists of words
for header in "$srcdir"/include/*.h "$srcdir"/include/*.hpp; do
    [ "$header" != "$srcdir/include/gptlmpi.h" ] || continue
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
    core=
    case $header in
        */src/mpi/*) continue ;;
        */src/memsig/*)
            core=$VALGRIND_CFLAGS
            [ -n "$core" ] || continue
            ;;
        */src/counters/library.h) echo '#include <papi.h>' | $CC -E - >/dev/null 2>&1 || continue ;;
    esac
    alone "$header" c $CC -std=gnu11 -Wall -Wextra -Wundef -Werror -fsyntax-only $core \
        -I"$srcdir/include" -I"$srcdir/src"
done

# shellcheck disable=SC2086,SC2046
for mpi in $mpis; do
    alone "$srcdir/include/gptlmpi.h" c $CC -std=c99 $strict $(mpi_flags $mpi) -I"$srcdir/include"
    [ -z "$CXX" ] || alone "$srcdir/include/gptlmpi.h" cpp $CXX -std=c++11 $strict \
        $(mpi_flags $mpi) -I"$srcdir/include"
    printf '#include <mpi.h>\n#include <gptl.h>\nint summary(void);\nint summary(void) { return %s; }\n' \
        'GPTLpr_summary(MPI_COMM_WORLD)' >after_mpi.c
    $CC -std=c99 $strict $(mpi_flags $mpi) -I"$srcdir/include" after_mpi.c ||
        failed="$failed include/gptl.h, after mpi.h of $mpi"
    for header in "$srcdir"/src/mpi/*.h; do
        alone "$header" c $CC -std=gnu11 -Wall -Wextra -Wundef -Werror -fsyntax-only \
            $(mpi_flags $mpi) -I"$srcdir/include" -I"$srcdir/src"
    done
done

[ -z "$failed" ] || fail "not self-contained:$failed"
[ -n "$CXX" ] || echo "no C++ compiler: checked as C only"
