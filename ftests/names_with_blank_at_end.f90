! Trailing blanks of a name do not count, regardless of their number: a name in a longer variable,
! in one that fits and as a constant is the same. A NUL ends a name.
program names_with_blank_at_end
    use, intrinsic :: iso_c_binding, only: c_int, c_null_char, c_double
    use gptl
    use check
    implicit none

    call check_ok(gptlinitialize(), 'initialize')
    call blanks()
    call nul_in_name()
    call nothing_but_blanks()
    call wide_variable()
    call long_name()
    call in_other_functions()
    call check_ok(gptlfinalize(), 'finalize')

contains

    subroutine pair(start, stop)
        character(len=*), intent(in) :: start, stop
        call check_ok(gptlstart(start), 'start '//start)
        call check_ok(gptlstop(stop), 'stop '//stop)
    end subroutine

    ! The same, whichever is known, and at the same address with one length or another.
    subroutine blanks()
        character(len=16) :: name = 'solve'
        integer(c_int) :: handle
        integer :: n
        call pair('solve ', 'solve')
        call pair('solve', 'solve ')
        do n = 5, 16
            call pair(name(1:n), name(1:5))
            call pair(name(1:5), name(1:n))
        end do
        handle = 0
        call check_ok(gptlstart_handle('solve  ', handle), 'start by handle')
        call check_ok(gptlstop_handle(name, handle), 'stop by handle')
        call pair('sol ve  ', 'sol ve')
        call pair(' solve', ' solve ')
        call check_int(count_of('solve', -1), 27, 'calls of solve')
        call check_int(count_of(name, -1), 27, 'calls of solve and blanks')
        call check_int(count_of(' solve', -1), 1, 'calls with a blank in front')
        call check_error(gptlstop('  solve'), 'stop with two blanks in front')
    end subroutine

    ! As in programs written for the C interface.
    subroutine nul_in_name()
        character(len=16) :: name = 'nul'
        integer :: i
        do i = 1, 3
            call pair(trim(name)//c_null_char, name)
            call pair(name, trim(name)//c_null_char)
            call pair('nul'//c_null_char//'rest', 'nul'//c_null_char//'other')
            call pair('nul  '//c_null_char//'  ', 'nul')
        end do
        call check_int(count_of('nul', -1), 12, 'calls of nul')
        call check_int(count_of('nul'//c_null_char, -1), 12, 'calls of nul and NUL')
        call check_int(count_of('nul  '//c_null_char//' x', -1), 12, 'calls of nul, blanks and NUL')
    end subroutine

    subroutine nothing_but_blanks()
        character(len=8) :: name = ''
        call pair('', ' ')
        call pair(name, '')
        call pair(name(1:0), name)
        call pair(c_null_char, '(empty)')
        call pair('(empty)', c_null_char//'x')
        call pair('  '//c_null_char//'x', name)
        call check_int(count_of('(empty)', -1), 6, 'calls of (empty)')
        call check_int(count_of('', -1), 6, 'calls of an empty name')
        call check_int(count_of(name, -1), 6, 'calls of blanks')
    end subroutine

    ! A short name in very many blanks, and one that fills the variable.
    subroutine wide_variable()
        character(len=40000) :: name
        integer :: i
        name = 'w'
        do i = 1, 3
            call pair(name, 'w')
            call pair('w', name)
        end do
        call check_int(count_of(name, -1), 6, 'calls of w')
        name(40000:) = 'w'
        call pair(name, name)
        call check_int(count_of(name, -1), 1, 'calls of w, blanks and w')
        call check_int(count_of('w', -1), 6, 'calls of w still')
    end subroutine

    subroutine long_name()
        character(len=:), allocatable :: name, got
        integer :: n
        name = repeat('0123456789', 10000)
        call pair(name, name//'   ')
        call pair(name//' ', name)
        call pair(name(1:99999), name(1:99999))
        call check_error(gptlstop(name(2:)), 'stop of another long name')
        call check_int(count_of(name, -1), 2, 'calls of the long name')
        call check_int(count_of(name(1:99999), -1), 1, 'calls of all but its last character')
        call check_ok(gptlget_nregions(-1, n), 'number of regions')
        got = repeat('.', 100010)
        call check_ok(gptlget_regionname(-1, n - 2, got), 'name of the region')
        call check_text(got, name//repeat(' ', 10), 'name of the region')
    end subroutine

    ! Query functions take region names in the same way.
    subroutine in_other_functions()
        real(c_double) :: a, b
        integer(c_int) :: n, open
        call check_ok(gptlstartstop_val('given  ', 2d0), 'given time')
        call check_ok(gptlstartstop_vals('given'//c_null_char, 2d0, 2), 'given times')
        call check_int(count_of('given', -1), 3, 'calls of given')
        call check_ok(gptlget_wallclock('given ', -1, a), 'wallclock')
        call check_ok(gptlget_wallclock_latest('given'//c_null_char//'x', -1, b), 'latest')
        call check_real(a, 4d0, 'seconds of given')
        call check_real(b, 1d0, 'seconds of its latest call')
        call check_ok(gptlget_threadwork('given   ', a, b), 'threadwork')
        call check_real(a, 4d0, 'most work')
        call check_ok(gptlreset_timer('given   '), 'reset of one')
        call check_int(count_of('given', -1), 0, 'calls after reset')
        call check_ok(gptlprefix_set('p:  '), 'prefix')
        call pair('x', 'x')
        call check_ok(gptlprefix_unset(), 'no prefix')
        call check_int(count_of('p:x', -1), 1, 'calls with prefix')
        call check_error(gptlreset_timer(' given'), 'reset with a blank in front')
        n = 7
        open = 7
        call check_error(gptlget_count(' given', -1, n), 'count with a blank in front')
        call check_int(n, 7, 'the count after an error')
    end subroutine

end program
