# shellcheck shell=sh
# What the test scripts share. Set by the makefile: srcdir, builddir (absolute),
# CC, CXX, FC, FC_MODINC, FCLIBS, CMAKE, PKG_CONFIG, OPENMP_CFLAGS, OPENMP_FCFLAGS,
# MAKE, libdir, bindir, enable_shared, enable_static, enable_fortran, sanitize. The
# working directory is empty and the script's own.

set -eu

fail() {
    echo "FAILED: $*"
    exit 1
}

skip() {
    echo "SKIPPED: $*"
    exit 77
}

# The commands that a test cannot do without.
need() {
    for command; do
        [ -n "$command" ] && command -v "${command%% *}" >/dev/null || skip "no $command"
    done
}

# A sanitizer adds symbols, and every program must be linked with it.
need_plain_build() {
    [ "$sanitize" = no ] || skip "built with -fsanitize=$sanitize"
}

# install_tree DIR: the built tree, installed below DIR.
install_tree() {
    # The outer make's job server is not ours.
    unset MAKEFLAGS MFLAGS MAKELEVEL
    # One at a time: libtool links libraries anew in the build directory.
    flock "$builddir/install.lock" \
        "$MAKE" -C "$builddir" install DESTDIR="$1" >install.log 2>&1 || {
        cat install.log
        fail "make install DESTDIR=$1"
    }
}

# pkg_config_sees DIR: pkg-config finds what install_tree put there, and that only.
pkg_config_sees() {
    PKG_CONFIG_LIBDIR=$1$libdir/pkgconfig
    PKG_CONFIG_SYSROOT_DIR=$1
    PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
    PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
    export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
    export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS PKG_CONFIG_ALLOW_SYSTEM_LIBS
    unset PKG_CONFIG_PATH
}
