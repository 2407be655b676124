# shellcheck shell=sh
# What the tests of the layers above and beside MPI-IO share; read after lib.sh and programs.sh. Also set by
# the makefile: hdf5_mpi and pnetcdf_mpi, the family of the MPI that each was built with, and hdf5_FLAGS
# and pnetcdf_FLAGS.

[ "$enable_shared" = yes ] || skip "no shared library"
[ -f "$builddir/.libs/libgptl_iostack.so.0" ] || skip "no preloaded libraries here"
need python3
need_tools
need_plain_build
programs=$srcdir/ctests/programs
probe=$builddir/.libs/libgptl_probe.so.0
layers=$builddir/.libs/libgptl_iostack.so.0

# traced COMMAND...: with the layers' calls as spans, and no logs before.
traced() {
    rm -f ./*.log
    (
        LD_PRELOAD="$probe $layers"
        export LD_PRELOAD
        "$@"
    )
}

# spans LOG...: a line each, by time; see iostack_spans.py.
spans() {
    python3 "$programs/iostack_spans.py" "$@"
}

# whole: nothing is missing in the logs, or left over.
whole() {
    "$gptl" iostack --json ./*.log >whole.json 2>err || { cat err; fail "the logs"; }
    for count in open ends_without_begin duplicates without_parent lost hidden damaged; do
        grep -q "\"$count\":0[,}]" whole.json || fail "$count is not 0: $(grep '"counts"' whole.json)"
    done
}

# build WHAT COMMAND...: says what the compiler said if it fails.
build() {
    what=$1
    shift
    "$@" >build.out 2>&1 || { cat build.out; fail "cannot compile $what"; }
}
