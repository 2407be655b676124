# shellcheck shell=sh
# Shared functions of the tests of gptl memsig; read after lib.sh and programs.sh.

[ -x "$builddir/gptl_memsig-amd64-linux" ] || skip "built without Valgrind"
need_plain_build # a sanitizer's programs do not run under Valgrind
need valgrind python3 "$CC"
PYTHONPATH=$srcdir/ctests/programs
export PYTHONPATH

kernels() {
    "${CC%% *}" -std=gnu11 -g -O2 -fno-tree-vectorize -fno-unroll-loops -ffp-contract=off -fno-math-errno \
        -Wall -Wextra -Werror -o kernels "$srcdir/ctests/programs/memsig_kernels.c" || fail "cannot compile the kernels"
}

# signature FILE WORD...: gptl memsig -o FILE WORD...
signature() {
    to=$1
    shift
    "$gptl" memsig -o "$to" "$@" >out 2>err || fail "gptl memsig $*: exit status $?: $(cat err)"
}

# python ARGUMENTS: run the program on stdin; "" for no argument.
python() {
    python3 - "$@" || fail "see above"
}

no_folder() {
    [ -z "$(find . -name '.gptl-memsig.*')" ] || fail "a folder is left"
}
