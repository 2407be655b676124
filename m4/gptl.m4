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

# GPTL_FORTRAN_NAMES: how $FC spells external names (FC_FUNC, FC_FUNC_), what it links with (FCLIBS)
# what it does with modules (FC_MODEXT, FC_MODINC, FC_MODOUT) and OpenMP (OPENMP_FCFLAGS). Without a compiler these checks
# would end configure, and what they require comes before any AS_IF around them: so this stands in a
# plain `if` of the shell.
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
