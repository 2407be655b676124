#!/bin/sh
# Threads that end anywhere, by asynchronous cancellation or pthread_exit in a signal handler, leave no lock
# held: the program continues to its end, and the log is complete.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/io_lib.sh"
need timeout
probe_library=$builddir/.libs/libgptl_probe.so.0
compile_io anywhere io_ends.c

# With little memory, sections are written all the time, and threads end during the writing.
for io_options in 'memory=64K;full=write' 'memory=1M;salvage=on;detail=on'; do
    echo "== $io_options"
    rm -f ioc.log
    preloaded "$PWD/ioc.log" timeout 200 ./anywhere >stdout || fail "it does not end: $?"
    same stdout "$(cat stdout)" over
    sections >listed || fail "the log cannot be read"
    ! grep DAMAGE listed || fail "the log is damaged"
    grep -q 'shared=' listed || fail "nothing is recorded"
done

LD_PRELOAD="$io_library:$probe_library" GPTL_IOSTACK="path=$PWD/{layer}.{pid}.log" \
    timeout 200 ./anywhere >stdout || fail "it does not end with spans: $?"
same stdout "$(cat stdout)" over
