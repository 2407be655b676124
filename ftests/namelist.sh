#!/bin/sh
# gptlprocess_namelist: it reads the same values from valid files as the compiler's own READ; invalid ones cause one
# clear message for each mistake and a negative ret, and change nothing, and the program continues. A unit that the
# program has open is untouched.
. "$srcdir/ctests/lib.sh"
. "$srcdir/ctests/programs.sh"

cat >takes.f90 <<'END'
! takes FILE...: what the library takes from each; the last one's options stand in the report.
program takes
    use gptl
    implicit none
    integer :: ret, i
    character(len=256) :: file, line
    open (unit=1, file='mine', status='replace')
    write (1, '(a)') 'my line'
    rewind (1)
    do i = 1, command_argument_count()
        call get_command_argument(i, file)
        ret = 99
        call gptlprocess_namelist(file, 1, ret)
        print '(a,1x,i0)', trim(file), ret
    end do
    read (1, '(a)') line
    if (line /= 'my line') stop 1
    if (gptlinitialize() /= 0) stop 2
    if (gptlstart('goes on') /= 0 .or. gptlstop('goes on') /= 0) stop 3
    if (gptlpr_file('report') /= 0) stop 4
end program
END

cat >reads.f90 <<'END'
! reads FILE: what the run-time library reads, as the report writes what is not the default.
program reads
    implicit none
    logical :: wall = .true., cpu = .false., overhead = .true., verbose = .false.
    logical :: percent = .false., persec = .true., multiplex = .false.
    logical :: dopr_preamble = .true., dopr_threadsort = .true., dopr_collision = .true.
    integer :: depthlimit = huge(0), maxthreads = 0, tablesize = 128, mem_growth = 10
    character(len=40) :: print_method = 'most_frequent', utr = 'best', eventlist(5) = ' '
    character(len=256) :: file
    namelist /gptlnl/ wall, cpu, overhead, verbose, percent, persec, multiplex, dopr_preamble, &
        dopr_threadsort, dopr_collision, depthlimit, maxthreads, tablesize, mem_growth, &
        print_method, utr, eventlist
    call get_command_argument(1, file)
    open (unit=1, file=file, status='old')
    read (1, nml=gptlnl)
    call switch('wall', wall, .true.)
    call switch('cpu', cpu, .false.)
    call switch('overhead', overhead, .true.)
    call number('depthlimit', depthlimit, huge(0))
    call switch('verbose', verbose, .false.)
    call switch('percent', percent, .false.)
    call switch('persec', persec, .true.)
    call switch('multiplex', multiplex, .false.)
    call switch('dopr_preamble', dopr_preamble, .true.)
    call switch('dopr_threadsort', dopr_threadsort, .true.)
    call switch('dopr_collision', dopr_collision, .true.)
    if (print_method /= 'most_frequent') print '(a)', 'print_method='//trim(print_method)
    call number('tablesize', tablesize, 128)
    call number('maxthreads', maxthreads, 0)
    call number('mem_growth', mem_growth, 10)
    if (utr /= 'best') print '(a)', 'utr='//trim(utr)
contains
    subroutine switch(name, value, initial)
        character(len=*), intent(in) :: name
        logical, intent(in) :: value, initial
        if (value .neqv. initial) print '(a)', name//'='//trim(merge('on ', 'off', value))
    end subroutine
    subroutine number(name, value, initial)
        character(len=*), intent(in) :: name
        integer, intent(in) :: value, initial
        if (value /= initial) print '(a,i0)', name//'=', value
    end subroutine
end program
END
compile_fortran takes takes.f90
compile_fortran reads reads.f90

# good FILE: both read the same from it.
good() {
    rm -f report
    ends 0 ./takes "$1" >out 2>err
    same "ret of $1" "$(cat out)" "$1 0"
    # The option verbose may be on.
    ! grep -v '^GPTL: measuring ' err || { cat "$1"; fail "messages about $1"; }
    ./reads "$1" >wanted || { cat "$1"; fail "$1 cannot be read"; }
    if grep -q '^dopr_preamble' wanted; then # and with it goes the list of options
        ! grep -q '^Options' report || fail "a preamble in spite of $1"
        return
    fi
    awk '/^Options / { inside = 1; if ($2 ~ /=/) print $2; next } inside && /^          / { print $1; next }
        { inside = 0 }' report >got
    diff -u wanted got || { cat "$1"; fail "$1 is taken for something else"; }
}

cat >plain <<'END'
 &gptlnl
  wall = .true.
  percent = .true.
  overhead=.false.
  depthlimit = 5, print_method = 'full_tree', utr = 'clockgettime'
/
END
good plain
[ "$(wc -l <wanted)" -eq 5 ] || fail "the comparison does not see options"

cat >strange <<'END'
A line of something else, which isn't a group.
&other x = 'a & / b', gptlnl = 3 /
! &gptlnl wall = .false. /
    &GPTLNL	WALL = T,	cpu=f ! a comment, isn't it?
 Percent= .TRUTH.,
 eventlist = 2*' ', eventlist(3) = ' ' , , '  '
 depthlimit = 1*7 tablesize=,maxthreads
   = +12
 print_method= "last_
parent" persec = .f. ! the last / one
 mem_growth = 3 /  wall = .false.
END
good strange

printf '&gptlnl\r\n wall=.false.\r\n percent=.true.\r\n/\r\n' >from_windows
good from_windows
printf '&gptlnl\n wall=.false. /' >no_newline # which not every run-time library can read
same "a file without a newline" "$(./takes no_newline)" "no_newline 0"
grep -q '^Options *wall=off$' report || fail "nothing taken from a file without a newline"
printf '&gptlnl /\n' >nothing
good nothing

# Random groups: order, case, spelling, separators, comments.
random() {
    awk -v seed="$1" '
    function any(list,    n, part) { n = split(list, part, "|"); return part[int(rand() * n) + 1] }
    function noise() { return any(" | |  |\n|\t|\n ! a comment = '"'"'3 /\n") }
    BEGIN {
        srand(seed)
        n = split("wall cpu overhead verbose percent persec multiplex dopr_threadsort " \
            "dopr_collision depthlimit maxthreads tablesize mem_growth print_method utr", name, " ")
        printf "%s%s", any("! head\n|\n|&first a=1 /\n"), any("&gptlnl|&GptlNL| &GPTLNL") " "
        for (k = int(rand() * 12); k >= 0; k--) {
            i = int(rand() * n) + 1
            if (i <= 9) value = any("T|F|.true.|.false.|.t.|.f.|t|f|.TRUE.|False")
            else if (i <= 13) value = any("7|+7|007|1*12|20000|3")
            else if (i == 14) value = any("\"full_tree\"|'"'first_parent '"'|\"most_frequent\"")
            else value = any("'"'clockgettime'"'|\"gettimeofday  \"|'"'placebo'"'")
            printf "%s%s%s=%s%s%s", noise(), rand() < 0.3 ? toupper(name[i]) : name[i], noise(), \
                noise(), value, any(" |,| , |\n|,\n| ! comment\n")
        }
        print noise() any("/|/ rest| / ! end")
    }' >"random$1"
    good "random$1"
}
i=0
while [ $i -lt 100 ]; do
    random $i
    i=$((i + 1))
done

# The environment takes precedence.
GPTL_OPTIONS='depthlimit=9' ./takes plain >out
grep -q '^ *depthlimit=9$' report || grep -q '^Options *depthlimit=9$' report ||
    { cat report; fail "the namelist has won over the environment"; }

# bad NAME MESSAGE...: ret is -1, exactly these messages appear in this order, and the program continues; other
# settings in the file are not applied.
bad() {
    name=$1
    shift
    cat >"$name"
    ends 0 ./takes "$name" >out 2>err
    same "ret of $name" "$(cat out)" "$name -1"
    for message; do
        echo "GPTL: gptlprocess_namelist: $message"
    done >wanted
    diff -u wanted err || fail "messages about $name"
    [ "$name" = values ] || ! grep -q 'percent=on' report || fail "$name: options are changed"
}

bad unknown 'unknown line 2: there is no option "depthlimt"; did you mean "depthlimit"?' \
    'unknown line 3: there is no option "wal"; did you mean "wall"?' <<'END'
&gptlnl percent = .true.
 depthlimt = 5
 wal = .true.
/
END
bad no_group 'there is no group &gptlnl in no_group' <<'END'
&gptlnlx percent=.true. /
END
bad empty 'there is no group &gptlnl in empty' </dev/null
bad no_end 'no_end line 2: the group &gptlnl that begins here does not end with /' <<'END'

&gptlnl
 percent = .true.
END
bad quote 'quote line 3: a quote that begins here is not closed' <<'END'
&gptlnl
 percent = .true.
 utr = 'nanotime
/
END
bad two 'two line 1: overhead has more than one value' <<'END'
&gptlnl percent=.true., overhead = .true., .false. /
END
bad no_equals 'no_equals line 2: depthlimit has more than one value' <<'END'
&gptlnl percent=.true.
 depthlimit = 4 5 /
END
bad no_name 'no_name line 1: "5" is a value without a name' <<'END'
&gptlnl 5 /
END
bad subscript 'subscript line 1: a subscript must be a number and end with )' <<'END'
&gptlnl percent=.true. eventlist(x) = 'a' /
END
bad values 'values line 1: depthlimit=-4: the value must be a number from 1 to 2147483647' \
    'values line 1: wall=maybe: the value must be on or off' \
    'values line 2: print_method=none: the value must be first_parent, last_parent, most_frequent or full_tree' <<'END'
&gptlnl depthlimit = -4, percent=T, wall=maybe
 print_method = 'none' /
END
bad text 'text line 1: output is a text, which only GPTL_OPTIONS can set' <<'END'
&gptlnl output = 'json' /
END
bad binary 'binary line 1: there is a ) where a name or a value should be' <<'END'
&gptlnl percent=.true. )( /
END

mkdir folder
ends 0 ./takes nosuch folder >out 2>err
cat >wanted <<'END'
GPTL: gptlprocess_namelist: cannot open nosuch: No such file or directory
GPTL: gptlprocess_namelist: cannot read folder: Is a directory
END
diff -u wanted err || fail "messages about files"
same ret "$(tr '\n' ' ' <out)" "nosuch -1 folder -1 "

# Events by name; unknown ones are refused, with and without counters.
printf "&gptlnl eventlist = 'PAPI_NONE_SUCH', eventlist(3) = 'GPTL_NONE_SUCH' /\n" >events
ends 0 ./takes events >out 2>err
same "ret of events" "$(cat out)" "events -1"
grep -q 'the event "PAPI_NONE_SUCH" is not known: ' err ||
    { cat err; fail "the event is not named"; }
[ "$(wc -l <err)" -eq 2 ] || { cat err; fail "not one message for each event"; }

# Random bytes do no harm.
i=0
while [ $i -lt 50 ]; do
    { printf '&gptlnl '; head -c 300 /dev/urandom; } >"bytes$i"
    set -- "$@" "bytes$i"
    i=$((i + 1))
done
ends 0 ./takes "$@" >out 2>err
