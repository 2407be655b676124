# shellcheck shell=sh
# Shared functions of the test scripts. The makefile sets srcdir, builddir (absolute),
# CC, CXX, FC, FC_MODINC, FCLIBS, CMAKE, PKG_CONFIG, OPENMP_CFLAGS, OPENMP_FCFLAGS, MAKE,
# libdir, bindir, enable_shared, enable_static, enable_fortran, sanitize. The working
# directory is empty and belongs to the script.

set -eu

fail() {
    echo "FAILED: $*"
    exit 1
}

skip() {
    echo "SKIPPED: $*"
    exit 77
}

# The commands that a test requires.
need() {
    for command; do
        [ -n "$command" ] && command -v "${command%% *}" >/dev/null || skip "no $command"
    done
}

# A sanitizer adds symbols, and every program must be linked with it.
need_plain_build() {
    [ "$sanitize" = no ] || skip "built with -fsanitize=$sanitize"
}

# install_tree DIR: install the built tree below DIR.
install_tree() {
    # The job server of the outer make does not serve this one.
    unset MAKEFLAGS MFLAGS MAKELEVEL
    # One at a time: libtool relinks libraries in the build directory.
    flock "$builddir/install.lock" \
        "$MAKE" -C "$builddir" install DESTDIR="$1" >install.log 2>&1 || {
        cat install.log
        fail "make install DESTDIR=$1"
    }
}

# pkg_config_sees DIR: pkg-config finds only the files that install_tree put there.
pkg_config_sees() {
    PKG_CONFIG_LIBDIR=$1$libdir/pkgconfig
    PKG_CONFIG_SYSROOT_DIR=$1
    PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1
    PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
    export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
    export PKG_CONFIG_ALLOW_SYSTEM_CFLAGS PKG_CONFIG_ALLOW_SYSTEM_LIBS
    unset PKG_CONFIG_PATH
}
