# GPTL_TRY_CFLAGS(VARIABLE, FLAGS): append to VARIABLE each flag that the C
# compiler accepts, and make VARIABLE a substitution.
AC_DEFUN([GPTL_TRY_CFLAGS], [
  for gptl_flag in $2; do
    AS_VAR_PUSHDEF([gptl_cache], [gptl_cv_cflag_$gptl_flag])
    AC_CACHE_CHECK([whether $CC accepts $gptl_flag], [gptl_cache], [
      gptl_saved=$CFLAGS
      CFLAGS="$CFLAGS -Werror $gptl_flag"
      AC_LINK_IFELSE([AC_LANG_PROGRAM()],
        [AS_VAR_SET([gptl_cache], [yes])], [AS_VAR_SET([gptl_cache], [no])])
      CFLAGS=$gptl_saved])
    AS_VAR_IF([gptl_cache], [yes], [AS_VAR_APPEND([$1], [" $gptl_flag"])])
    AS_VAR_POPDEF([gptl_cache])
  done
  AC_SUBST([$1])
])

# GPTL_CHECK_TAIL_CALLS: define HAVE_TAIL_CALLS if a function that ends with a call of another one, with the same
# number of arguments and local data elsewhere, jumps there: gcc does not with -O1, -Og or sanitizers.
AC_DEFUN([GPTL_CHECK_TAIL_CALLS], [
  AC_CACHE_CHECK([whether $CC makes jumps of last calls], [gptl_cv_tail_calls], [
    gptl_saved=$CFLAGS
    CFLAGS="$CFLAGS $SANITIZE_CFLAGS"
    AC_RUN_IFELSE([AC_LANG_PROGRAM([[
      void *volatile frame;
      volatile int seen;
      __attribute__((noinline)) static int end(int *a) { seen = *a; return seen; }
      __attribute__((noinline)) static int last(int a) {
        int own = a;
        return frame != __builtin_dwarf_cfa() || end(&own) != 1;
      }
      __attribute__((noinline)) static int first(int a) {
        int own;
        frame = __builtin_dwarf_cfa();
        if (a == 1)
          return last(a);
        own = a + 1;
        return end(&own) + 1;
      }]], [[volatile int one = 1; return first(one);]])],
      [gptl_cv_tail_calls=yes], [gptl_cv_tail_calls=no], [gptl_cv_tail_calls=no])
    CFLAGS=$gptl_saved])
  AS_IF([test "$gptl_cv_tail_calls" = yes],
    [AC_DEFINE([HAVE_TAIL_CALLS], [1], [Define to 1 if the compiler makes jumps of last calls.])])
])

# GPTL_TRY_LDFLAGS(VARIABLE, FLAGS): the same for the linker.
AC_DEFUN([GPTL_TRY_LDFLAGS], [
  for gptl_flag in $2; do
    AS_VAR_PUSHDEF([gptl_cache], [gptl_cv_ldflag_$gptl_flag])
    AC_CACHE_CHECK([whether the linker accepts $gptl_flag], [gptl_cache], [
      gptl_saved=$LDFLAGS
      LDFLAGS="$LDFLAGS $gptl_flag"
      AC_LINK_IFELSE([AC_LANG_PROGRAM()],
        [AS_VAR_SET([gptl_cache], [yes])], [AS_VAR_SET([gptl_cache], [no])])
      LDFLAGS=$gptl_saved])
    AS_VAR_IF([gptl_cache], [yes], [AS_VAR_APPEND([$1], [" $gptl_flag"])])
    AS_VAR_POPDEF([gptl_cache])
  done
  AC_SUBST([$1])
])

# GPTL_CHECK_VERSION_SCRIPT: set gptl_cv_version_script to yes when the linker
# reads GNU symbol version scripts.
AC_DEFUN([GPTL_CHECK_VERSION_SCRIPT], [
  AC_CACHE_CHECK([whether the linker reads version scripts], [gptl_cv_version_script], [
    echo 'V_1 { global: f; local: *; };' >conftest.map
    gptl_saved=$LDFLAGS
    LDFLAGS="$LDFLAGS -shared -fPIC -Wl,--version-script=conftest.map"
    AC_LINK_IFELSE([AC_LANG_SOURCE([[int f(void); int f(void) { return 0; }]])],
      [gptl_cv_version_script=yes], [gptl_cv_version_script=no])
    LDFLAGS=$gptl_saved
    rm -f conftest.map])
])

# GPTL_CHECK_FORTRAN: set gptl_cv_fortran to yes when $FC compiles and links.
AC_DEFUN([GPTL_CHECK_FORTRAN], [
  AC_LANG_PUSH([Fortran])
  AC_CACHE_CHECK([whether the Fortran compiler works], [gptl_cv_fortran], [
    gptl_cv_fortran=no
    AS_IF([test -n "$FC" && test "$FC" != no],
      [AC_LINK_IFELSE([AC_LANG_PROGRAM([], [      print *, 'works'])], [gptl_cv_fortran=yes])])])
  AC_LANG_POP([Fortran])
])

# GPTL_FORTRAN_NAMES: the spelling of external names by $FC (FC_FUNC, FC_FUNC_), its libraries (FCLIBS), its handling
# of modules (FC_MODEXT, FC_MODINC, FC_MODOUT) and OpenMP (OPENMP_FCFLAGS). Without a compiler these checks would end
# configure, and autoconf expands their requirements before any enclosing AS_IF: so the call is inside a plain `if` of
# the shell.
AC_DEFUN([GPTL_FORTRAN_NAMES], [
  AC_REQUIRE([AC_FC_WRAPPERS])
  AC_LANG_PUSH([Fortran])
  AC_FC_SRCEXT([f90])
  AC_FC_MODULE_EXTENSION
  AC_FC_MODULE_FLAG
  AC_FC_MODULE_OUTPUT_FLAG
  AC_OPENMP
  AC_LANG_POP([Fortran])
])

# GPTL_MPI_SHELL: the shell functions that GPTL_CHECK_MPI calls.
AC_DEFUN([GPTL_MPI_SHELL], [
# gptl_mpi_look MPICC: set gptl_mpi_family, _version, _cppflags and _path; return false if it is not a compiler of an
# MPI.
gptl_mpi_look() {
  gptl_mpi_path=`command -v "$[]1" 2>/dev/null`
  if test -z "$gptl_mpi_path"; then
    gptl_mpi_why="there is no $[]1"
    return 1
  fi
  gptl_mpi_cppflags=
  for gptl_flag in `"$gptl_mpi_path" -show 2>/dev/null`; do
    case $gptl_flag in
      -I*) gptl_mpi_cppflags="$gptl_mpi_cppflags -isystem ${gptl_flag#-I}" ;;
      -D*) gptl_mpi_cppflags="$gptl_mpi_cppflags $gptl_flag" ;;
    esac
  done
  cat >conftest.c <<'END'
#include <mpi.h>
#if defined OMPI_MAJOR_VERSION
conftest openmpi OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION.OMPI_RELEASE_VERSION
#elif defined I_MPI_VERSION
conftest mpich I_MPI_VERSION
#elif defined MPICH_VERSION
conftest mpich MPICH_VERSION
#else
conftest unknown MPI_VERSION
#endif
END
  gptl_mpi_line=`$CPP -P $gptl_mpi_cppflags conftest.c 2>/dev/null | tr -d '\n"' |
    sed -n 's/.*conftest \(@<:@a-z@:>@*\) */conftest \1 /; s/ *\. */./g; /^conftest/p'`
  rm -f conftest.c
  gptl_mpi_family=`echo "$gptl_mpi_line" | cut -d' ' -f2`
  gptl_mpi_version=`echo "$gptl_mpi_line" | cut -d' ' -f3`
  case $gptl_mpi_family in
    mpich | openmpi) return 0 ;;
    unknown) gptl_mpi_why="it is neither MPICH, or a relative of it, nor Open MPI" ;;
    *) gptl_mpi_why="the mpi.h of $gptl_mpi_path cannot be used" ;;
  esac
  return 1
}
# gptl_mpi_fortran MPICC: set gptl_mpifort to the Fortran compiler next to it, if there is one that works.
gptl_mpi_fortran() {
  gptl_mpifort=
  test "$enable_fortran" != no || return 0
  echo end >conftest.f90
  for gptl_name in fort f90 ifort; do
    gptl_mpifort=`echo "$[]1" | sed "s,mpi@<:@a-z@:>@*cc\(@<:@^/@:>@*\)\$,mpi$gptl_name\1,"`
    "$gptl_mpifort" -o conftest$ac_exeext conftest.f90 >/dev/null 2>&1 && break
    gptl_mpifort=
  done
  rm -f conftest.f90 conftest$ac_exeext
}
# gptl_mpi_find FAMILY MPICC: select it if it belongs to the family, or to any for ''.
gptl_mpi_find() {
  gptl_mpi_look "$[]2" || return 1
  gptl_mpi_why="$gptl_mpi_path is of the family $gptl_mpi_family"
  test -z "$[]1" || test "$[]1" = "$gptl_mpi_family" || return 1
  if eval test "x\$gptl_mpi_$gptl_mpi_family" != xno; then
    gptl_mpi_why="there is another of the family $gptl_mpi_family, and one library serves both"
    return 1
  fi
  gptl_mpiexec=`echo "$gptl_mpi_path" | sed 's,mpi@<:@a-z@:>@*cc\(@<:@^/@:>@*\)$,mpiexec\1,'`
  gptl_mpi_fortran "$gptl_mpi_path"
  eval "gptl_mpi_$gptl_mpi_family=\$gptl_mpi_version"
  eval "${gptl_mpi_family}_MPICC=\$gptl_mpi_path"
  eval "${gptl_mpi_family}_MPIEXEC=\$gptl_mpiexec"
  eval "${gptl_mpi_family}_MPIFORT=\$gptl_mpifort"
  eval "${gptl_mpi_family}_CPPFLAGS=\$gptl_mpi_cppflags"
  return 0
}
])

# GPTL_CHECK_MPI: find each MPI requested by --with-mpi. Programs see two families of them; for FAMILY in mpich and
# openmpi: FAMILY_MPICC, FAMILY_MPIFORT, FAMILY_MPIEXEC, FAMILY_CPPFLAGS, and gptl_mpi_FAMILY, its version or "no".
# mpi_plain is the family that gets the plain names.
AC_DEFUN([GPTL_CHECK_MPI], [
  AC_REQUIRE([GPTL_MPI_SHELL])
  AC_ARG_WITH([mpi],
    [AS_HELP_STRING([--with-mpi=LIST], [of: mpich, openmpi, a folder that an MPI is installed in,
      its mpicc; default: what is found; --without-mpi: none])],
    [], [with_mpi=auto])
  gptl_mpi_mpich=no gptl_mpi_openmpi=no mpi_plain=
  case $with_mpi in
    no) gptl_mpi_words= ;;
    auto | yes) gptl_mpi_words="mpicc.mpich mpicc.openmpi mpicc" ;;
    *) gptl_mpi_words=`echo "$with_mpi" | tr , ' '` ;;
  esac
  if test "$enable_shared" != yes || test "$gptl_cv_version_script" != yes; then
    gptl_mpi_words=
  fi
  for gptl_word in $gptl_mpi_words; do
    case $gptl_word in
      mpich | openmpi)
        gptl_mpi_find "$gptl_word" "mpicc.$gptl_word" || gptl_mpi_find "$gptl_word" mpicc ;;
      *)
        if test -d "$gptl_word"; then
          gptl_mpi_find '' "$gptl_word/bin/mpicc"
        else
          gptl_mpi_find '' "$gptl_word"
        fi ;;
    esac || case $with_mpi in
      auto | yes) ;;
      *) AC_MSG_ERROR([--with-mpi: $gptl_word: $gptl_mpi_why]) ;;
    esac
  done
  if test "$with_mpi" = yes && test "$gptl_mpi_mpich$gptl_mpi_openmpi" = nono; then
    AC_MSG_ERROR([--with-mpi: there is no mpicc])
  fi
  # The plain names belong to the MPI of the plain compiler.
  if gptl_mpi_look mpicc && eval test "x\$gptl_mpi_$gptl_mpi_family" != xno; then
    mpi_plain=$gptl_mpi_family
  elif test "$gptl_mpi_mpich" != no; then
    mpi_plain=mpich
  elif test "$gptl_mpi_openmpi" != no; then
    mpi_plain=openmpi
  fi
  AC_SUBST([mpich_MPICC])
  AC_SUBST([mpich_MPIEXEC])
  AC_SUBST([mpich_MPIFORT])
  AC_SUBST([mpich_CPPFLAGS])
  AC_SUBST([openmpi_MPICC])
  AC_SUBST([openmpi_MPIEXEC])
  AC_SUBST([openmpi_MPIFORT])
  AC_SUBST([openmpi_CPPFLAGS])
  AC_SUBST([mpi_plain])
  AM_CONDITIONAL([MPICH], [test "$gptl_mpi_mpich" != no])
  AM_CONDITIONAL([MPICH_FORTRAN], [test -n "$mpich_MPIFORT"])
  AM_CONDITIONAL([MPI_FORTRAN], [eval test -n '"$'"$mpi_plain"'_MPIFORT"'])
  AM_CONDITIONAL([OPENMPI_FORTRAN], [test -n "$openmpi_MPIFORT"])
  AM_CONDITIONAL([OPENMPI], [test "$gptl_mpi_openmpi" != no])
  AM_CONDITIONAL([MPI], [test "$gptl_mpi_mpich$gptl_mpi_openmpi" != nono])
])

# GPTL_CHECK_IO_LIBRARY(NAME, PROGRAM): for tests, find the library NAME by a pkg-config package with this name,
# optionally followed by the family of an MPI: NAME_mpi is the family that it was built with, NAME_FLAGS the flags for
# its MPI's compiler, after the source.
AC_DEFUN([GPTL_CHECK_IO_LIBRARY], [
  $1_mpi= $1_FLAGS=
  AC_LANG_CONFTEST([AC_LANG_SOURCE([$2])])
  for gptl_family in mpich openmpi; do
    eval gptl_mpicc=\$${gptl_family}_MPICC
    for gptl_name in $1-$gptl_family $1; do
      test -z "$$1_mpi" && test -n "$gptl_mpicc" && test -n "$PKG_CONFIG" || continue
      $1_FLAGS=`"$PKG_CONFIG" --cflags --libs $gptl_name 2>/dev/null` || continue
      # Linkers accept a library that was built with another MPI, but then two MPIs are loaded.
      "$gptl_mpicc" -o conftest$ac_exeext conftest.c $$1_FLAGS >/dev/null 2>&1 &&
        test `ldd ./conftest$ac_exeext | sed -n 's,.*/\(libmpi@<:@a-z@:>@*\.so\.@<:@0-9@:>@*\).*,\1,p' | sort -u | wc -l` = 1 &&
        $1_mpi=$gptl_family
    done
  done
  rm -f conftest.c conftest$ac_exeext
  AC_SUBST([$1_mpi])
  AC_SUBST([$1_FLAGS])
])
