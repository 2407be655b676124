#!/bin/sh
# libgptl_iostack: calls of HDF5, PnetCDF and the PVFS client are spans with exact bytes, below the open span, each
# once; also in loaded modules; the behavior of the program does not change.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
. "$srcdir/ctests/iostack_lib.sh"
need nm

flags="-std=gnu11 -g -O1 -Wall -Wextra -Werror -I$srcdir/include -I$programs"

# stub NAME: a library of PVFS of that name, with a server's probes.
stub() {
    # shellcheck disable=SC2086 # compilers and flags are lists of words
    build "pvfs_stub.c" $CC $flags -shared -fPIC "-DNAME=\"$1\"" -o "lib$1.so" -Wl,-soname,"lib$1.so" \
        "$programs/pvfs_stub.c" "$builddir/.libs/libgptl_probe.so" -Wl,-rpath,"$builddir/.libs"
}

# calls_of PROGRAM FLAG...
calls_of() {
    to=$1
    shift
    # shellcheck disable=SC2086
    build "pvfs_calls.c" $CC $flags -o "$to" "$programs/pvfs_calls.c" "$@" -Wl,-rpath,"$PWD"
}

echo "== the library needs none of those that it stands before, and shows only their names"
readelf -d "$layers" | grep NEEDED | grep -vE 'lib(c|dl|pthread)\.so|ld-linux' && fail "needs more than libc"
nm -D --defined-only "$layers" | awk '$2 != "A" { print $3 }' | grep -vE '^(H5[A-Z]*[a-z]|ncmpi_|PMPI_|PVFS_i?sys_)' &&
    fail "exports other names"
[ "$(nm -D --defined-only "$layers" | grep -c ' ncmpi_')" -gt 800 ] || fail "few functions of PnetCDF"

echo "== PVFS: spans with their bytes, the servers' under them by the hint; arguments of all kinds"
stub stub
calls_of pvfs -DPROGRAM ./libstub.so
./pvfs || fail "the program alone"
traced ./pvfs || fail "the program with the library"
whole
cat >expected <<'END'
client metadata - -1 -1 new
client write - 4096 1000 handle 77 of file system -5
server write client write 4096 -1
client read - 4096 2000 handle 77 of file system -5
server read client read 4096 -1
client write - -1 0 handle 77 of file system -5
END
spans ./*.log >found
sed -n 's/handle 1 /handle 77 /; 1,6p' found | awk -F'\t' -v OFS=' ' '{ sub(/ $/, ""); print $1, $2, $4, $5, $6, $8 }' |
    sed 's/ $//' | diff expected - || fail "spans"
same "operations that are waited for, and their servers" \
    "$(awk -F'\t' '$4 == "client other" || ($1 == "server" && $4 == "client write")' found | wc -l)" 7
same "their bytes" "$(awk -F'\t' '$4 == "client other" { n += $5 } END { print n }' found)" 12288
# The call that was left by longjmp has ended as well.
same "flushes" "$(awk -F'\t' '$2 == "sync" && $4 == "-"' found | wc -l)" 2

echo "== two copies of a library in one process, each for the module that brought it"
for name in a b; do
    stub $name
    calls_of module_$name -shared -fPIC ./lib$name.so
    mkdir $name.modules
    mv module_$name $name.modules/$name
done
# shellcheck disable=SC2086
build loader $CC $flags -DLOADER -o loader "$programs/pvfs_calls.c" -ldl
traced ./loader "$PWD/a.modules/a" "$PWD/b.modules/b" || fail "modules"
whole
same "spans" "$(spans ./*.log | wc -l)" $((2 * $(wc -l <found)))

echo "== two PnetCDFs whose files have the same ids"
for name in a b; do
    # shellcheck disable=SC2086
    build pnetcdf_stub.c $CC $flags -DLIBRARY -shared -fPIC -o libpnetcdf_$name.so -Wl,-soname,libpnetcdf_$name.so \
        "$programs/pnetcdf_stub.c"
    # shellcheck disable=SC2086
    build pnetcdf_stub.c $CC $flags -DMODULE -shared -fPIC -o pnetcdf_$name.so "$programs/pnetcdf_stub.c" \
        ./libpnetcdf_$name.so -Wl,-rpath,"$PWD"
done
# shellcheck disable=SC2086
build pnetcdf_stub.c $CC $flags -o pnetcdf_loader "$programs/pnetcdf_stub.c" -ldl
traced ./pnetcdf_loader "$PWD/pnetcdf_a.so" "$PWD/pnetcdf_b.so" || fail "modules of PnetCDF"
whole
for name in a b; do
    same "operations, bytes, collective calls of $name.nc" \
        "$(spans ./*.log | awk -F'\t' -v f=$name.nc '$8 == f { printf "%s %s %s, ", $2, $5, $7 }')" \
        "open -1 0, write 8 1, write 8 2, write -1 0, write 8 3, close -1 4, "
done

echo "== without libgptl_probe, and with it off: nothing but the program"
rm -f ./*.log
LD_PRELOAD=$layers ./loader "$PWD/a.modules/a" || fail "without libgptl_probe"
# The stub's own probes load the library, so that the server has spans without a parent.
traced env GPTL_IOSTACK=off ./pvfs || fail "with spans off"
same "logs" "$(files ./*.log | wc -l)" 0

echo "== regions, when libgptl measures"
rm -f timing.0
LD_PRELOAD=$layers "$gptl" run -- ./pvfs || fail "gptl run"
grep -q '^  PVFS_sys_io  *3 ' timing.0 || { cat timing.0; fail "PVFS_sys_io is no region with 3 calls"; }

echo "== HDF5 1.14: functions for event sets and for several datasets"
# shellcheck disable=SC2086
build hdf5_stub.c $CC $flags -shared -fPIC -o libnew.so -Wl,-soname,libnew.so "$programs/hdf5_stub.c"
# shellcheck disable=SC2086
build hdf5_stub.c $CC $flags -DPROGRAM -o new "$programs/hdf5_stub.c" ./libnew.so -Wl,-rpath,"$PWD"
traced ./new || fail "its arguments are not what was given"
whole
same "operations, bytes, collective calls" \
    "$(spans ./*.log | awk -F'\t' '$8 == "new.h5" { printf "%s %s %s, ", $2, $5, $7 }')" \
    "open -1 0, metadata -1 0, write 40 1, read 440 2, write 40 0, write 40 3, "
traced env NOBODY_ASKS=1 ./new 2>err && fail "the stub does not notice that it is asked"
traced env NOBODY_ASKS=1 GPTL_IOSTACK=off ./new || fail "HDF5 is asked something while spans are off"

if [ -n "$hdf5_mpi" ]; then
    echo "== HDF5: bytes of each call; errors are as without us"
    mpicc=$(eval "echo \$${hdf5_mpi}_MPICC")
    # shellcheck disable=SC2086
    build hdf5_calls.c "$mpicc" $flags -o hdf5_calls "$programs/hdf5_calls.c" $hdf5_FLAGS
    ./hdf5_calls >said 2>err.alone || fail "hdf5_calls alone"
    traced ./hdf5_calls >said 2>err.traced || fail "hdf5_calls"
    sed -i "s/time = .*, file/file/; s/time = .*//" err.alone err.traced
    diff err.alone err.traced || fail "its messages differ"
    whole
    spans ./*.log >found
    awk -F'\t' '$2 == "read" || $2 == "write" { print $2 "\t" $5 }' found | diff said - || fail "operations and bytes"
    awk -F'\t' '$1 != "hdf5" || $4 != "-"' found | grep . && fail "a call counted twice"
    same "calls by operation" "$(cut -f2 found | sort | uniq -c | awk '{ print $2 ":" $1 }' | tr '\n' ' ')" \
        "close:3 metadata:28 open:3 read:5 resize:1 write:13 "
    same "those without a file: H5close, and what is about no dataset" \
        "$(awk -F'\t' '$8 !~ /^(calls|is-not-there|again)\.h5$/' found | wc -l)" 2
    same "those after H5close, by ids that were another file's" "$(grep -c 'again\.h5$' found)" 5
else
    echo "HDF5 is not here: its part is left out"
fi

if [ -n "$pnetcdf_mpi" ]; then
    . "$srcdir/ctests/mpi_lib.sh"
    echo "== PnetCDF: bytes of each call, and the number of collective ones"
    # shellcheck disable=SC2086
    compile_mpi "$pnetcdf_mpi" pnetcdf_calls "$programs/pnetcdf_calls.c" $pnetcdf_FLAGS
    ./pnetcdf_calls >said || fail "pnetcdf_calls alone"
    traced ./pnetcdf_calls >said || fail "pnetcdf_calls"
    whole
    spans pnetcdf.*.log >found
    awk -F'\t' '$2 == "read" || $2 == "write" || $2 == "other" { print $2 "\t" $5 "\t" $7 }' found | diff said - ||
        fail "operations, bytes, collective calls"
    grep -v 'calls\.nc$' found && fail "a span without its file"

    echo "== PnetCDF: each function that the installed one has and that moves data"
    installed=$("$PKG_CONFIG" --variable=libdir pnetcdf)/libpnetcdf.so
    [ -f "$installed" ] || installed=$(ldd pnetcdf_calls | awk '/libpnetcdf/ { print $3 }')
    nm -D --defined-only "$installed" | awk '{ print $3 }' | sort >theirs
    nm -D --defined-only "$layers" | awk '{ print $3 }' | sort >ours
    grep -E '^ncmpi_([a-z]*(put|get)_|wait|cancel|create|open|close|abort|.*enddef|redef|sync|flush|.*indep)' theirs |
        grep -vxF -f ours | grep -v '^ncmpi_get_file_info$' && fail "these are not seen"

    fortran=$(of "$pnetcdf_mpi" MPIFORT)
    if [ -n "$fortran" ]; then
        echo "== PnetCDF from Fortran"
        # shellcheck disable=SC2086
        build pnetcdf_fortran.f90 "$fortran" -o pnetcdf_fortran "$programs/pnetcdf_fortran.f90" $pnetcdf_FLAGS
        traced ./pnetcdf_fortran || fail "pnetcdf_fortran"
        whole
        same "writes and reads" "$(spans pnetcdf.*.log | awk -F'\t' '$5 == 800 { print $2, $7 }' | tr '\n' ' ')" \
            "write 2 read 3 "
    fi
else
    echo "PnetCDF is not here: its part is left out"
fi
