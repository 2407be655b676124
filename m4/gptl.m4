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
