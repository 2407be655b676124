#!/bin/sh
# Numbers of options in Fortran: those of the module and of gptl.inc keep their meaning in each order of options
# and calls, also with small values. A relinked object, with the numbers of the climate models' header and without
# our interface, is known by its calls.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"
[ "$enable_fortran" = yes ] || skip "built without Fortran"
need "$FC"

# program NAME USE DECLARATIONS STATEMENT...: compile it; R is the sum of all results.
program() {
    name=$1
    {
        printf 'program main\n%s\n    implicit none\n%s\n    integer :: r = 0\n' "$2" "$3"
        shift 3
        printf '    r = r + %s\n' "$@" 'gptlinitialize()' "gptlstart('x')" "gptlstop('x')" "gptlpr_file('report')"
        printf "    if (r /= 0) error stop 'a call failed'\nend program\n"
    } >"$name.f90"
    compile_fortran "$name" "$name.f90"
}

# holds PROGRAM OPTIONS: after its run, without a message, the report shows these options.
holds() {
    rm -f report
    GPTL_OPTIONS=layout=gptl "./$1" 2>all || { cat all; fail "$1 failed"; }
    sed '/resident memory grew/d' all >stderr # dopr_memusage
    [ ! -s stderr ] || fail "$1 says: $(cat stderr)"
    same "$1: options" "$(sed -n '/^Options /,/^[A-Z]/p' report | grep -o '[a-z_0-9.]*=[^ ]*' | grep -v '^utr=' |
        tr '\n' ' ')" "$2"
}

for how in "    use gptl;" ";    include 'gptl.inc'"; do
    rest=${how#*;}
    for order in first last; do
        before="gptlpr_query_append()"
        after="gptlsetoption(GPTLverbose, 0)"
        [ "$order" = first ] || { after=$before; before="gptlsetoption(GPTLverbose, 0)"; }
        program "ours_$order" "${how%%;*}" "$rest" "$before" 'gptlsetoption(GPTLdopr_memusage, 1)' \
            'gptlsetoption(GPTLtablesize, 2)' 'gptlsetoption(GPTLmaxthreads, 3)' \
            'gptlsetoption(GPTLonlyprint_rank0, 1)' "$after"
        holds "ours_$order" "dopr_memusage=on tablesize=2 maxthreads=3 onlyprint_rank0=on layout=gptl "
    done
done

calls="    integer, external :: gptlsetoption, gptlinitialize, gptlstart, gptlstop, gptlpr_file, gptlpr_query_append"
program relinked "" "$calls" "gptlpr_query_append()" "gptlsetoption(27, 0)" "gptlsetoption(28, 1)" \
    "gptlsetoption(50, 2)" "gptlsetoption(51, 512)" "gptlsetoption(52, 64)"
holds relinked "overhead=off tablesize=512 maxthreads=64 dopr_quotes=on append=on layout=gptl "
program gptl8 "" "$calls" "gptlsetoption(27, 1)" "gptlsetoption(50, 2)" "gptlsetoption(51, 3)" "gptlsetoption(52, 1)"
holds gptl8 "dopr_memusage=on tablesize=2 maxthreads=3 onlyprint_rank0=on layout=gptl "
