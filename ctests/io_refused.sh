#!/bin/sh
# Failing calls fail as without libgptl_io and libgptl_run: the same results, the same errors, and no
# crash, for any pointers; a child of vfork remains one.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/io_lib.sh"
io_library="$builddir/.libs/libgptl_run.so.0:$io_library"

compile_io refused io_refused.c
./refused >bare 2>&1 || fail "io_refused: $?"
[ "$(grep -c ': ' bare)" -gt 70 ] || fail "calls are missing: $(cat bare)"
grep -q '^readv(-1, v, 3): -1 9$' bare || fail "readv is not refused: $(cat bare)"
recorded ./refused >got 2>&1 || fail "io_refused, recorded: $?"
diff bare got || fail "other results"
sections >listed || fail "the log cannot be read"
! grep DAMAGE listed || fail "the log is damaged"

# If the kernel refuses to copy for us, because a filter returns EPERM or ends the program.
if [ "$(uname -m)" = x86_64 ]; then
    compile_io filtered io_filtered.c
    ./filtered ./refused >bare 2>&1 || fail "io_filtered: $?"
    recorded ./filtered ./refused >got 2>&1 || fail "io_filtered, recorded: $?"
    diff bare got || fail "other results without process_vm_readv"
fi

compile_io vforks io_vfork.c
rm -f kept other
./vforks >bare 2>&1
grep -q '^/no/such: error 2, status 127$' bare || fail "vfork: $(cat bare)"
rm -f kept other
recorded ./vforks >got 2>&1
diff bare got || fail "another outcome of vfork"
# The parent's calls are all there, before and after; a descriptor that its child closes stays open.
sections >listed || fail "the log cannot be read"
same "bytes written to kept" \
    "$(tr ' ' '\n' <listed | sed -n 's|^kept=||p' | awk '{ n += $1 } END { print n + 0 }')" 30
recorded ./vforks spawn >got 2>&1
same "posix_spawn" "$(cat got)" "posix_spawn: 2"
