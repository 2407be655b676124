#!/bin/sh
# The Fortran interface matches gptl.h: gptl.inc and the module have the same constants with the same numbers and
# every exported function, libgptl has these for Fortran and nothing else, and no library needs a Fortran library at
# run time. None of this uses the generator of the interface.
. "$srcdir/ctests/lib.sh"
[ "$enable_fortran" = yes ] || skip "built without Fortran"
need "$CC" "$FC" nm readelf
need_plain_build

module_flag=$FC_MODINC$builddir/fortran
library=$builddir/.libs/libgptl
libgptlf=$builddir/.libs/libgptlf

# The additional names of Fortran.
subroutines="gptlprocess_namelist"

lower() { tr '[:upper:]' '[:lower:]'; }

# ---- Names ------------------------------------------------------------------

# The enumerators, without comments and preprocessing, one per line.
echo '#include <gptl.h>' | $CC -E -P -I"$srcdir/include" - >header.i ||
    fail "cannot preprocess gptl.h"
tr '\n' ' ' <header.i | grep -o 'enum [A-Za-z]* *{[^}]*}' | sed 's/.*{//; s/}//' |
    tr ',' '\n' | sed 's/=.*//; s/ //g; /^$/d' >constants
[ "$(wc -l <constants)" -ge 38 ] || { cat constants; fail "these are not all constants of gptl.h"; }
grep -qx GPTL_L3MRT constants && grep -qx GPTLfull_tree constants || fail "no names of constants"

sed -n 's/^\(GPTL[^@]*\)@.*/\1/p' "$srcdir/ctests/exports.list" | lower >all_functions
grep -v '_v9$' all_functions >functions
[ "$(wc -l <functions)" -ge 48 ] || { cat functions; fail "these are not all functions of gptl.h"; }

# Fortran is not case-sensitive.
lower <constants | cat - functions | sort | uniq -d >twice
[ ! -s twice ] || fail "the same name in Fortran: $(cat twice)"

# ---- Numbers ----------------------------------------------------------------

{
    printf '#include <gptl.h>\n#include <stdio.h>\nint main(void)\n{\n'
    sed 's/.*/    printf("%s %d\\n", "&", (int)&);/' constants
    printf '    return 0;\n}\n'
} >numbers.c
$CC -I"$srcdir/include" -o numbers_c numbers.c || fail "cannot compile numbers.c"
./numbers_c >numbers

# gptl.inc refers to symbols that objects compiled for another GPTL call as well, so options with another
# number there have separate symbols.
sed 's/^\(GPTLdopr_memusage\) 27$/\1 56/; s/^\(GPTLtablesize\) 50$/\1 57/; s/^\(GPTLmaxthreads\) 51$/\1 58/
    s/^\(GPTLonlyprint_rank0\) 52$/\1 59/' numbers >numbers_of_include
[ "$(diff numbers numbers_of_include | grep -c '^>')" = 4 ] || fail "numbers of gptl.h: $(cat numbers)"

# print_numbers HOW: a program that gets the names by "use gptl" or "include".
print_numbers() {
    echo "program numbers"
    [ "$1" = include ] || echo "    $1"
    echo "    implicit none"
    [ "$1" != include ] || echo "    include 'gptl.inc'"
    sed "s/.*/    print '(a,1x,i0)', '&', &/" constants
    echo "end program"
}
print_numbers include >numbers_include.f90
print_numbers "use gptl" >numbers_module.f90

# ---- gptl.inc ---------------------------------------------------------------

# Each name is passed as its kind: that needs its type, and the attribute external.
take_functions() {
    echo "program taken"
    echo "    implicit none"
    echo "    include 'gptl.inc'"
    sed 's/.*/    call take_function(&)/' functions
    for name in $subroutines; do
        echo "    call take_subroutine($name)"
    done
    cat <<'EOF'
contains
    subroutine take_function(f)
        integer(selected_int_kind(9)), external :: f
        if (.false.) print *, f()
    end subroutine
    subroutine take_subroutine(s)
        external :: s
        if (.false.) call s()
    end subroutine
end program
EOF
}
take_functions >functions_include.f90

# Lines that every compiler accepts, in fixed and in free form.
narrow() {
    awk '/^!/ { next }
        !/^      [^ ]/ || length($0) > 72 || /[^ -~]/ {
            print "not from column 7 to 72: " $0
            bad = 1
        }
        END { exit bad }' "$1"
}

# names_in FILE: its constants.
names_in() {
    lower <"$1" | sed -n 's/^ *parameter *( *\([a-z0-9_]*\) *=.*/\1/p' | sort
}

# functions_in FILE
functions_in() {
    lower <"$1" | sed -n 's/^ *external *//p' | sort
}

# check_include DIR: check gptl.inc in DIR; print the errors and return 1.
check_include() {
    narrow "$1/gptl.inc" || return 1

    names_in "$1/gptl.inc" >names.got
    lower <constants | sort | diff - names.got || { echo "constants of gptl.inc"; return 1; }
    $FC -I"$1" -o numbers_include numbers_include.f90 || return 1
    ./numbers_include | diff numbers_of_include - || { echo "numbers of gptl.inc"; return 1; }

    functions_in "$1/gptl.inc" >names.got
    { cat functions; for name in $subroutines; do echo "$name"; done; } | sort |
        diff - names.got || { echo "functions of gptl.inc"; return 1; }
    $FC -I"$1" -c functions_include.f90 || return 1

    # Fixed form, where text after column 72 is lost.
    { echo "      program fixed"
      echo "      implicit none"
      echo "      include 'gptl.inc'"
      echo "      print *, gptlwall"
      echo "      end"; } >fixed.f
    $FC -I"$1" -c fixed.f
}
check_include "$builddir/fortran" || fail "gptl.inc is not the interface of gptl.h"

# ---- The test can fail ------------------------------------------------------

# planted WHAT SED_SCRIPT: a copy of gptl.inc with this change is found wrong.
planted() {
    rm -rf changed && mkdir changed
    sed "$2" "$builddir/fortran/gptl.inc" >changed/gptl.inc
    ! cmp -s changed/gptl.inc "$builddir/fortran/gptl.inc" || fail "nothing was planted: $1"
    ! check_include "$PWD/changed" >planted.out 2>&1 || fail "not found: $1"
}
planted "another number" 's/\(parameter (GPTL_FPC =\).*/\1 91)/'
planted "another name" 's/GPTLpersec/GPTLpersecond/'
planted "a constant less" '/GPTLcpu/d'
planted "a constant more" \
    's/^ *external gptlmark$/&\n      integer GPTLmore\n      parameter (GPTLmore = 1)/'
planted "a function less" '/ gptlstop$/d'
planted "a function more" \
    's/^ *external gptlmark$/&\n      integer gptlmore\n      external gptlmore/'
planted "a type" 's/integer.* gptlstart$/real gptlstart/'
planted "no type" '/integer.* gptlget_count$/d'
planted "no external" '/external gptlget_count$/d'
planted "no subroutine" '/gptlprocess_namelist$/d'
planted "a subroutine with a type" \
    's/^ *external gptlprocess_namelist$/      integer gptlprocess_namelist\n&/'
planted "a line too far left" 's/^ *\(integer.* gptlmark\)$/     \1/'
planted "a line too long" "s/^ *integer.* gptlmark\$/&$(printf '%60s' '')! too long/"

# ---- The module -------------------------------------------------------------

# Names used by the module itself are not exported.
{
    echo "program names"
    sed 's/.*/    use gptl, only: &/' constants functions
    for name in $subroutines; do
        echo "    use gptl, only: $name"
    done
    echo "    implicit none"
    echo "    print *, GPTLwall"
    echo "end program"
} >names_module.f90
cat >strangers.f90 <<'EOF'
program strangers
    use gptl
    implicit none
    integer :: c_int, c_int64_t, c_long_long, c_float, c_double, iso_c_binding, name, ret
    c_int = GPTLwall
    c_int64_t = c_int
    c_long_long = c_int
    c_float = c_int
    c_double = c_int
    iso_c_binding = c_int
    name = c_int
    ret = c_int
    print *, c_int64_t, c_long_long, c_float, c_double, iso_c_binding, name, ret
end program
EOF
# shellcheck disable=SC2086 # a flag that may be two words
for program in numbers_module names_module strangers; do
    $FC $module_flag -o $program $program.f90 || fail "cannot compile $program.f90"
done
./numbers_module | diff numbers - || fail "numbers of the module"
lower <"$builddir/fortran/gptl.f90" | sed -n 's/.*parameter *:: *\([a-z0-9_]*\) *=.*/\1/p' |
    sort >names.got
lower <constants | sort | diff - names.got || fail "constants of the module"

# The same from the source that is installed for other compilers.
mkdir compiled
(cd compiled && $FC -c "$builddir/fortran/gptl.f90") || fail "cannot compile gptl.f90"
$FC "${FC_MODINC}compiled" -o numbers_module numbers_module.f90 || fail "cannot use the new module"
./numbers_module | diff numbers - || fail "numbers of the new module"

# ---- Symbols ----------------------------------------------------------------

# The compiler's spelling of names without and with an underscore, and of names in a module.
cat >spelled.f90 <<'EOF'
module probemodule
    integer :: probevariable = 1
end module
subroutine probe
end subroutine
subroutine probe_too
end subroutine
EOF
$FC -c spelled.f90 || fail "cannot compile spelled.f90"
nm -g --defined-only spelled.o | awk 'NF == 3 { print $3 }' >spelled
# spelling NAME: a sed replacement that converts a name to a symbol. Letters after NAME belong to another of the
# names.
spelling() {
    grep "$1" spelled | grep -v "$1[a-z_]*[a-z]" | sed "s/$1/\&/" | head -n 1
}
plain=$(spelling probe)
joined=$(spelling probe_too)
in_module=$(grep probevariable spelled | sed 's/probemodule/gptl/; s/probevariable/[A-Za-z0-9_]*/')
[ -n "$plain" ] && [ -n "$joined" ] && [ -n "$in_module" ] ||
    { cat spelled; fail "cannot find out how names are spelled"; }
echo "names are spelled $plain, $joined, in the module $in_module"

# symbols_of NAME...
symbols_of() {
    for name; do
        case $name in
            *_*) echo "$name" | sed "s/.*/$joined/" ;;
            *) echo "$name" | sed "s/.*/$plain/" ;;
        esac
    done
}
# Functions with a handle have a variant with 8 bytes, those with counters one for each other rank, which the module's
# generic names select.
# shellcheck disable=SC2046 # lists of words
{
    symbols_of $(cat all_functions) $subroutines
    symbols_of $(grep handle functions | sed 's/$/8/')
    for rank in 0 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
        symbols_of gptlquery_rank$rank gptlquerycounters_rank$rank
    done
} | sort >wanted

# for_fortran FILE: these symbols, in addition to those for C and internal ones, are in FILE.
for_fortran() {
    grep -vE '^(GPTL|__cyg_profile_|clone$|dlclose$|prctl$|gptl_(core|ranks|report|string)_[a-z0-9_]*[a-z0-9]$)' symbols |
        sort >got
    comm -23 wanted got >missing
    [ ! -s missing ] || fail "$1 does not have: $(cat missing)"
    comm -13 wanted got >strangers
    [ ! -s strangers ] || fail "$1 should not show: $(cat strangers)"
}

# of_module FILE: only symbols of the module are in FILE.
of_module() {
    grep -v "^$in_module\$" symbols >strangers || true
    [ ! -s strangers ] || fail "$1 should not show: $(cat strangers)"
}

if [ "$enable_shared" = yes ]; then
    shared_symbols() {
        nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' >symbols
    }
    shared_symbols "$library.so"
    for_fortran libgptl.so
    shared_symbols "$libgptlf.so"
    of_module libgptlf.so
    readelf -d "$libgptlf.so" | grep -q 'SONAME.*\[libgptlf\.so\.9\]' ||
        fail "the soname of libgptlf"
fi
if [ "$enable_static" = yes ]; then
    static_symbols() { nm -g --defined-only "$1" | awk 'NF == 3 { print $3 }' >symbols; }
    static_symbols "$libgptlf.a"
    of_module libgptlf.a
    # Here all of our own names are visible as well: those that no other language could have.
    static_symbols "$library.a"
    grep -vE '^gptl_[a-z0-9_]*[a-z0-9]$' symbols >outer || true
    mv outer symbols
    for_fortran libgptl.a
fi

# ---- Programs ---------------------------------------------------------------

# needs_c_only FILE
needs_c_only() {
    readelf -d "$1" | grep NEEDED | grep -vE '\[lib(c|m|pthread|gptl)\.so|\[ld-' >strangers || true
    [ ! -s strangers ] || fail "$1 needs more than C has: $(cat strangers)"
}

# Everything links, with libgptl alone and with libgptlf as well; a C program without Fortran.
echo '#include <gptl.h>
int main(void) { return GPTLstart("region") || GPTLstop("region"); }' >user.c
for kind in so:"$enable_shared" a:"$enable_static"; do
    [ "${kind#*:}" = yes ] || continue
    kind=${kind%:*}
    $FC -o linked functions_include.o "$library.$kind" -pthread ||
        fail "cannot link with libgptl.$kind"
    $FC -o linked functions_include.o "$libgptlf.$kind" "$library.$kind" -pthread ||
        fail "cannot link with libgptlf.$kind"
    $CC -I"$srcdir/include" -o user user.c "$library.$kind" -pthread ||
        fail "a C program does not link without Fortran"
    needs_c_only user
done
if [ "$enable_shared" = yes ]; then
    needs_c_only "$library.so"
    needs_c_only "$libgptlf.so"
fi
