#!/bin/sh
# The shared library exports the names in ctests/exports.list, each with its symbol version, and
# otherwise only gptl_core_* and gptl_ranks_* in the private node and Fortran's names, which
# ftests/interface.sh checks. The static library defines nothing outside our own prefixes.
. "$srcdir/ctests/lib.sh"
need nm
need_plain_build

if [ "$enable_shared" = yes ]; then
    nm -D --defined-only "$builddir/.libs/libgptl.so" | awk '$2 != "A" { print $3 }' |
        sort >symbols
    grep -vE -e '^gptl_(core|ranks)_[a-z0-9_]*@@GPTL_PRIVATE_2$' \
        -e '^gptl(_papi|[a-z])[a-z0-9_]*@@GPTL_1\.0$' symbols >public || true
    grep -v '^#' "$srcdir/ctests/exports.list" | sort >expected
    diff -u expected public || fail "exported names differ from ctests/exports.list"
fi

if [ "$enable_static" = yes ]; then
    nm -g --defined-only "$builddir/.libs/libgptl.a" | awk 'NF == 3 { print $3 }' |
        grep -vE '^(GPTL|gptl|__cyg_profile_func_(enter|exit)$|clone$|dlclose$|prctl$)' >strangers || true
    [ ! -s strangers ] || fail "global names without our prefix: $(cat strangers)"
fi
