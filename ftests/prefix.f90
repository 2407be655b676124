! Prefixes: set, replaced and unset while regions are open. Trailing blanks do not count.
program prefix
    use, intrinsic :: iso_c_binding, only: c_int, c_null_char
    use gptl
    use check
    implicit none

    call check_ok(gptlprefix_set('early:'), 'a prefix before initialize')
    call pair_of('x')
    call check_ok(gptlinitialize(), 'initialize')
    call pair_of('x')
    call check_int(count_of('early:x', -1), 2, 'calls with the early prefix')
    call set_and_unset()
    call changes_while_open()
    call same_name_twice()
    call crossed_stops()
    call by_length()
    call blanks_at_end()
    call other_kinds_of_start()
    call long_ones()
    call disabled()
    call check_ok(gptlprefix_set('last:'), 'a prefix before finalize')
    call check_ok(gptlfinalize(), 'finalize')
    call check_ok(gptlinitialize(), 'initialize')
    call pair_of('x')
    call check_int(count_of('x', -1), 1, 'calls after finalize, which forgot the prefix')
    call check_ok(gptlfinalize(), 'finalize')

contains

    subroutine check_calls(name, calls)
        character(len=*), intent(in) :: name
        integer, intent(in) :: calls
        call check_int(count_of(name, -1), calls, 'calls of '//name)
    end subroutine

    subroutine set_and_unset()
        integer(c_int) :: n
        call check_ok(gptlprefix_unset(), 'unset')
        call pair_of('y')
        call check_ok(gptlprefix_set('ocn:'), 'set')
        call pair_of('y')
        call pair_of('y')
        call check_ok(gptlprefix_set('atm:'), 'replace')
        call pair_of('y')
        call check_calls('y', 1) ! queries name regions as they are called
        call check_ok(gptlprefix_unset(), 'unset')
        call check_ok(gptlprefix_unset(), 'unset what is not set')
        call pair_of('y')
        call check_calls('y', 2)
        call check_calls('ocn:y', 2)
        call check_calls('atm:y', 1)
        call check_error(gptlget_count('ocn:atm:y', -1, n), 'both')
    end subroutine

    ! A stop names the region as its start did, regardless of the current prefix.
    subroutine changes_while_open()
        call check_ok(gptlstart('plain'), 'start')
        call check_ok(gptlprefix_set('1:'), 'set')
        call check_ok(gptlstart('one'), 'start')
        call check_ok(gptlprefix_set('second:'), 'replace')
        call check_ok(gptlstart('two'), 'start')
        call check_ok(gptlprefix_unset(), 'unset')
        call check_ok(gptlstart('none'), 'start')
        call check_ok(gptlstop('none'), 'stop')
        call check_ok(gptlstop('two'), 'stop')
        call check_ok(gptlprefix_set('3:'), 'set')
        call check_ok(gptlstop('one'), 'stop')
        call check_ok(gptlstop('plain'), 'stop')
        call check_calls('plain', 1)
        call check_calls('1:one', 1)
        call check_calls('second:two', 1)
        call check_calls('none', 1)
        call check_error(gptlstop('1:one'), 'stop of what has ended')
        call check_ok(gptlprefix_unset(), 'unset')
    end subroutine

    ! With and without: each stop ends the innermost.
    subroutine same_name_twice()
        call check_ok(gptlstart('twice'), 'start')
        call check_ok(gptlprefix_set('p:'), 'set')
        call check_ok(gptlstart('twice'), 'start with')
        call check_ok(gptlprefix_unset(), 'unset')
        call check_ok(gptlstop('twice'), 'stop')
        call check_calls('p:twice', 1)
        call check_calls('twice', 0)
        call check_ok(gptlstop('twice'), 'stop')
        call check_calls('twice', 1)
        call check_calls('p:twice', 1)
    end subroutine

    subroutine crossed_stops()
        call check_ok(gptlprefix_set('a:'), 'set')
        call check_ok(gptlstart('A'), 'start')
        call check_ok(gptlprefix_set('longer:'), 'replace')
        call check_ok(gptlstart('B'), 'start')
        call check_ok(gptlstop('A'), 'stop')
        call check_ok(gptlstop('B'), 'stop')
        call check_calls('a:A', 1)
        call check_calls('longer:B', 1)
        call check_ok(gptlprefix_unset(), 'unset')
    end subroutine

    subroutine by_length()
        call check_ok(gptlprefix_setf('exact', 2), 'shorter than the string')
        call pair_of('z')
        call check_ok(gptlprefix_setf('f:   ', 5), 'blanks')
        call pair_of('z')
        call check_ok(gptlprefix_setf('g:', 100), 'longer than the string')
        call pair_of('z')
        call check_ok(gptlprefix_setf('cut'//c_null_char//'off', 7), 'NUL')
        call pair_of('z')
        call check_ok(gptlprefix_setf('nothing', 0), 'nothing')
        call pair_of('z')
        call check_calls('exz', 1)
        call check_calls('f:z', 1)
        call check_calls('g:z', 1)
        call check_calls('cutz', 1)
        call check_calls('z', 1)
    end subroutine

    subroutine blanks_at_end()
        character(len=20) :: variable = 'variable:'
        call check_ok(gptlprefix_set(variable), 'a variable')
        call pair_of('z')
        call check_ok(gptlprefix_set('  in front: '), 'blanks in front')
        call pair_of('z')
        call check_ok(gptlprefix_set('     '), 'blanks only')
        call pair_of('z')
        call check_ok(gptlprefix_set(''), 'an empty one')
        call pair_of('z')
        call check_calls('variable:z', 1)
        call check_calls('  in front:z', 1)
        call check_calls('z', 3)
    end subroutine

    subroutine other_kinds_of_start()
        integer(c_int) :: handle
        handle = 0
        call check_ok(gptlstart_handle('h', handle), 'start')
        call check_ok(gptlstop_handle('h', handle), 'stop')
        call check_ok(gptlprefix_set('p:'), 'set')
        call check_ok(gptlstart_handle('h', handle), 'start')
        call check_ok(gptlstop_handle('h', handle), 'stop')
        call check_ok(gptlstartf('h  ', 3), 'start')
        call check_ok(gptlstop('h'), 'stop')
        call check_ok(gptlstartstop_val('h', 5d0), 'given time')
        call check_ok(gptlstartstop_vals('h', 5d0, 2), 'given times')
        call check_ok(gptlstartstop_valsf('h ', 2, 5d0, 2), 'given times by length')
        call pair_of('')
        call check_calls('h', 1)
        call check_calls('p:h', 7)
        call check_calls('p:(empty)', 1)
        call check_ok(gptlprefix_unset(), 'unset')
    end subroutine

    subroutine long_ones()
        character(len=:), allocatable :: long, name
        long = repeat('p', 10000)
        name = repeat('n', 5000)
        call check_ok(gptlprefix_set(long), 'a long one')
        call pair_of('short')
        call pair_of(name)
        call check_ok(gptlprefix_set(long(1:3)), 'the beginning of it')
        call pair_of(name)
        call check_calls(long//'short', 1)
        call check_calls(long//name, 1)
        call check_calls('ppp'//name, 1)
        call check_ok(gptlprefix_unset(), 'unset')
    end subroutine

    ! May be set while nothing is measured.
    subroutine disabled()
        call check_ok(gptldisable(), 'disable')
        call check_ok(gptlprefix_set('d:'), 'set')
        call pair_of('x')
        call check_ok(gptlenable(), 'enable')
        call pair_of('x')
        call check_calls('d:x', 1)
    end subroutine

end program
