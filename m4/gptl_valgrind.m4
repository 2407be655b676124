# GPTL_CHECK_VALGRIND: check whether a tool can be linked with Valgrind's core. That is for Linux on x86-64
# only, because the tool knows this processor's registers. Set have_valgrind, VALGRIND_CFLAGS,
# VALGRIND_LDFLAGS, VALGRIND_LIBS, VALGRIND_PROGRAM and VALGRIND_FOLDER, which contains the files that
# Valgrind loads into programs.
AC_DEFUN([GPTL_CHECK_VALGRIND], [
AC_ARG_WITH([valgrind],
  [AS_HELP_STRING([--with-valgrind=DIR], [Valgrind installed below DIR; --without-valgrind: no gptl memsig])],
  [], [with_valgrind=yes])
have_valgrind=no gptl_valgrind_version=
AS_CASE([$with_valgrind], [no|yes], [], [
  PKG_CONFIG_PATH="$with_valgrind/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
  export PKG_CONFIG_PATH])
AS_IF([test "$with_valgrind" != no && $PKG_CONFIG --exists valgrind 2>/dev/null], [
  gptl_valgrind_prefix=`$PKG_CONFIG --variable=prefix valgrind`
  gptl_valgrind_libdir=`$PKG_CONFIG --variable=libdir valgrind`
  gptl_valgrind_address=`$PKG_CONFIG --variable=valt_load_address valgrind`
  VALGRIND_CFLAGS="-isystem `$PKG_CONFIG --variable=includedir valgrind` -DVGA_amd64=1 -DVGO_linux=1 \
    -DVGP_amd64_linux=1 -DVGPV_amd64_linux_vanilla=1 -fno-pic -fno-pie -fno-builtin \
    -fno-stack-protector -fno-strict-aliasing -fno-math-errno"
  VALGRIND_LDFLAGS="-static -nodefaultlibs -nostartfiles -u _start \
    -Wl,-Ttext-segment=$gptl_valgrind_address"
  VALGRIND_LIBS="-L$gptl_valgrind_libdir/valgrind -lcoregrind-amd64-linux -lvex-amd64-linux \
    -lgcc -lgcc-sup-amd64-linux"
  gptl_saved_CFLAGS=$CFLAGS gptl_saved_LDFLAGS=$LDFLAGS gptl_saved_LIBS=$LIBS
  CFLAGS="$CFLAGS $VALGRIND_CFLAGS" LDFLAGS=$VALGRIND_LDFLAGS LIBS=$VALGRIND_LIBS
  AC_CACHE_CHECK([whether a tool of Valgrind can be linked], [gptl_cv_valgrind],
    [gptl_cv_valgrind=no
    AC_LANG_CONFTEST([AC_LANG_SOURCE([[
#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
static void begin(void) {}
VG_DETERMINE_INTERFACE_VERSION(begin)
]])])
    # Calls between files at each access take a twentieth of the time, unless these are linked as one.
    for gptl_lto in -flto ""; do
      CFLAGS="$gptl_saved_CFLAGS $VALGRIND_CFLAGS $gptl_lto"
      AC_LINK_IFELSE([], [gptl_cv_valgrind="yes $gptl_lto"; break])
    done])
  VALGRIND_CFLAGS="$VALGRIND_CFLAGS ${gptl_cv_valgrind#* }"
  CFLAGS=$gptl_saved_CFLAGS LDFLAGS=$gptl_saved_LDFLAGS LIBS=$gptl_saved_LIBS
  VALGRIND_FOLDER=
  for gptl_folder in "$gptl_valgrind_prefix/libexec/valgrind" "$gptl_valgrind_libdir/valgrind" \
      "$gptl_valgrind_prefix/lib/valgrind"; do
    AS_IF([test -z "$VALGRIND_FOLDER" && test -f "$gptl_folder/vgpreload_core-amd64-linux.so"],
      [VALGRIND_FOLDER=$gptl_folder])
  done
  AS_IF([test "$gptl_cv_valgrind" != no && test -n "$VALGRIND_FOLDER"], [have_valgrind=yes])
  VALGRIND_PROGRAM=$gptl_valgrind_prefix/bin/valgrind
  gptl_valgrind_version=`$PKG_CONFIG --modversion valgrind`])
AS_IF([test "$with_valgrind" != yes && test "$with_valgrind" != no && test "$have_valgrind" = no],
  [AC_MSG_ERROR([there is no Valgrind that a tool can be linked with in $with_valgrind])])
AM_CONDITIONAL([VALGRIND], [test "$have_valgrind" = yes])
AC_SUBST([have_valgrind])
AC_SUBST([VALGRIND_CFLAGS])
AC_SUBST([VALGRIND_LDFLAGS])
AC_SUBST([VALGRIND_LIBS])
AC_SUBST([VALGRIND_PROGRAM])
AC_SUBST([VALGRIND_FOLDER])
])
