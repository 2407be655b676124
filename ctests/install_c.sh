#!/bin/sh
# An installed tree suffices to compile, link and run a program: with
# pkg-config, shared and static; and the shared library has its soname, its
# symbol versions and its flags.
. "$srcdir/ctests/lib.sh"
need "$CC" "$PKG_CONFIG" readelf
need_plain_build

root=$PWD/root
install_tree "$root"
[ -f "$root$libdir/pkgconfig/gptl.pc" ] || fail "no gptl.pc"
pkg_config_sees "$root"

# Dependents request the version of GPTL that has this interface.
"$PKG_CONFIG" --atleast-version=8 gptl || fail "pkg-config gives no GPTL 8 or later"
"$PKG_CONFIG" --exact-version=9.0.0 gptl || fail "the version is $("$PKG_CONFIG" --modversion gptl)"
# Scripts preload companion libraries by these names.
find "$root$libdir" -name 'libgptl_*.so.*.*.*' -exec readelf -d {} + | grep SONAME |
    grep -v '\.so\.0\]' && fail "a companion library has another soname"

cat >user.c <<'END'
#include <gptl.h>
int main(void)
{
    int count = 0;
    if (GPTLstart("region") || GPTLstop("region") || GPTLget_count("region", -1, &count))
        return 1;
    return count != 1 || GPTLpr_file("report");
}
END

# build NAME PKG_CONFIG_OPTIONS LINK_FLAGS
# shellcheck disable=SC2046,SC2086 # lists of words
build() {
    echo "$1: $($PKG_CONFIG $2 --cflags --libs gptl)"
    $CC -o "$1" user.c $($PKG_CONFIG --cflags gptl) $3 $($PKG_CONFIG $2 --libs gptl) ||
        fail "cannot link: $1"
}

# run NAME: the program measures, and its report names the region.
run() {
    rm -f report
    LD_LIBRARY_PATH=$root$libdir "./$1" || fail "$1 ended with $?"
    grep -q region report || fail "$1 wrote no report of its region"
}

if [ "$enable_shared" = yes ]; then
    build shared "" ""
    readelf -d shared | grep -q 'NEEDED.*libgptl\.so\.9' || fail "not linked by soname"
    run shared

    library=$root$libdir/libgptl.so
    readelf -d "$library" | grep -q 'SONAME.*\[libgptl\.so\.9\]' || fail "soname is not libgptl.so.9"
    readelf -d "$library" | grep -q NODELETE || fail "not linked with -z nodelete"
    readelf -d "$library" | grep NEEDED | grep -vE 'lib(c|pthread|m)\.so|ld-linux' &&
        fail "needs more than libc and threads"
    readelf -V "$library" | grep -q 'Name: GPTL_1\.0' || fail "no version GPTL_1.0"
    readelf -V shared | grep -q 'Name: GPTL_1\.0' || fail "the program asks for no version"
fi

if [ "$enable_static" = yes ]; then
    # Without the shared library the linker takes the archive.
    mkdir kept
    find "$root$libdir" -name 'libgptl.so*' -exec mv {} kept/ \;
    build static --static ""
    readelf -d static | grep -q 'NEEDED.*libgptl' && fail "static program needs libgptl.so"
    run static
    if echo 'int main(void) { return 0; }' | $CC -x c -static -o probe - 2>/dev/null; then
        build all_static --static -static
        run all_static
    fi
fi

case $(ls "$root$bindir" 2>/dev/null) in
    *gptl*)
        "$root$bindir/gptl" --help >/dev/null || fail "gptl --help ended with $?"
        "$root$bindir/gptl_avail" --help | grep -q '^usage: gptl avail' || fail "no gptl_avail"
        "$root$bindir/hex2name" --help | grep -q '^usage: gptl hex2name' || fail "no hex2name"
        ;;
esac

# libtool would fail half way.
if "$srcdir/configure" --prefix="$root/a b" >configure.log 2>&1; then
    fail "configure takes a prefix that make install cannot use"
fi
grep -q 'directory with a blank in its name' configure.log || { cat configure.log; fail "no reason"; }
