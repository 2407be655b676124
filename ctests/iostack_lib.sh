# shellcheck shell=sh
# Shared functions of the tests of the layers above and next to MPI-IO; read after lib.sh and programs.sh.
# The makefile also sets hdf5_mpi and pnetcdf_mpi, the family of the MPI that each was built with, and
# hdf5_FLAGS and pnetcdf_FLAGS.

[ "$enable_shared" = yes ] || skip "no shared library"
[ -f "$builddir/.libs/libgptl_iostack.so.0" ] || skip "no preloaded libraries here"
need python3
need_tools
need_plain_build
programs=$srcdir/ctests/programs
probe=$builddir/.libs/libgptl_probe.so.0
layers=$builddir/.libs/libgptl_iostack.so.0

# traced COMMAND...: run with the layers' calls as spans, after removing logs.
traced() {
    rm -f ./*.log
    (
        LD_PRELOAD="$probe $layers"
        export LD_PRELOAD
        "$@"
    )
}

# spans LOG...: one line per span, by time; see iostack_spans.py.
spans() {
    python3 "$programs/iostack_spans.py" "$@"
}

# whole: the logs are complete and without unmatched records.
whole() {
    "$gptl" iostack --json ./*.log >whole.json 2>err || { cat err; fail "the logs"; }
    for count in open ends_without_begin duplicates without_parent lost hidden damaged; do
        grep -q "\"$count\":0[,}]" whole.json || fail "$count is not 0: $(grep '"counts"' whole.json)"
    done
}

# build WHAT COMMAND...: print the compiler's output on failure.
build() {
    what=$1
    shift
    "$@" >build.out 2>&1 || { cat build.out; fail "cannot compile $what"; }
}
