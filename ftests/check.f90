! check.f90 - assertions of the Fortran test programs. Each prints the found and the expected value,
! and ends the program. WHAT is a sentence that identifies the check.
module check
    use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_double
    use, intrinsic :: iso_fortran_env, only: error_unit
    use gptl
    implicit none
    private
    public :: check_that, check_int, check_real, check_between, check_text, check_ok, check_error
    public :: nerrors, pair_of, count_of, calls_in_all, seconds_of, now, spin

    integer :: nerrors = 0 ! of the library, that the test has seen

contains

    subroutine check_that(holds, what)
        logical, intent(in) :: holds
        character(len=*), intent(in) :: what
        if (holds) return
        write (error_unit, '(a)') 'not true: '//what
        error stop 1
    end subroutine

    subroutine check_int(actual, expected, what)
        integer, intent(in) :: actual, expected
        character(len=*), intent(in) :: what
        if (actual == expected) return
        write (error_unit, '(a,a,i0,a,i0)') what, ' is ', actual, ', expected ', expected
        error stop 1
    end subroutine

    subroutine check_real(actual, expected, what)
        real(c_double), intent(in) :: actual, expected
        character(len=*), intent(in) :: what
        call check_between(actual, expected - 1d-9*abs(expected) - 1d-12, &
                           expected + 1d-9*abs(expected) + 1d-12, what)
    end subroutine

    subroutine check_between(actual, least, most, what)
        real(c_double), intent(in) :: actual, least, most
        character(len=*), intent(in) :: what
        if (actual >= least .and. actual <= most) return
        write (error_unit, '(a,3(a,es16.9))') what, ' is ', actual, ', expected from ', least, &
            ' to ', most
        error stop 1
    end subroutine

    ! Trailing blanks count here: the whole text is compared.
    subroutine check_text(actual, expected, what)
        character(len=*), intent(in) :: actual, expected, what
        if (len(actual) == len(expected) .and. actual == expected) return
        write (error_unit, '(a)') what//' is "'//actual//'", expected "'//expected//'"'
        error stop 1
    end subroutine

    ! The call returned 0 and counted no error.
    subroutine check_ok(ret, what)
        integer(c_int), intent(in) :: ret
        character(len=*), intent(in) :: what
        call check_int(ret, 0, what)
        call check_int(gptlnum_errors(), nerrors, 'errors after '//what)
    end subroutine

    ! The call returned -1 and counted one error.
    subroutine check_error(ret, what)
        integer(c_int), intent(in) :: ret
        character(len=*), intent(in) :: what
        call check_int(ret, -1, what)
        nerrors = nerrors + 1
        call check_int(gptlnum_errors(), nerrors, 'errors after '//what)
    end subroutine

    ! One call of a region.
    subroutine pair_of(name)
        character(len=*), intent(in) :: name
        call check_ok(gptlstart(name), 'start '//name)
        call check_ok(gptlstop(name), 'stop '//name)
    end subroutine

    ! Return calls and seconds of a region on thread T; a region that is unknown there ends the
    ! test.
    integer function count_of(name, t)
        character(len=*), intent(in) :: name
        integer, intent(in) :: t
        call check_ok(gptlget_count(name, t, count_of), 'the count of '//trim(name))
    end function

    ! Return the calls of a region on threads 0 to NTHREADS - 1, which need not know it, nor exist.
    integer function calls_in_all(name, nthreads)
        character(len=*), intent(in) :: name
        integer, intent(in) :: nthreads
        integer(c_int) :: calls
        integer :: t
        calls_in_all = 0
        do t = 0, nthreads - 1
            if (gptlget_count(name, t, calls) == 0) then
                calls_in_all = calls_in_all + calls
            else
                nerrors = nerrors + 1
            end if
        end do
    end function

    real(c_double) function seconds_of(name, t)
        character(len=*), intent(in) :: name
        integer, intent(in) :: t
        call check_ok(gptlget_wallclock(name, t, seconds_of), 'the time of '//trim(name))
    end function

    ! Return seconds by a clock that is not the library's.
    real(c_double) function now()
        integer(c_int64_t) :: ticks, rate
        call system_clock(ticks, rate)
        now = real(ticks, c_double)/real(rate, c_double)
    end function

    ! Wait for SECONDS; return the actual time.
    real(c_double) function spin(seconds)
        real(c_double), intent(in) :: seconds
        real(c_double) :: begin
        begin = now()
        do
            spin = now() - begin
            if (spin >= seconds) exit
        end do
    end function

end module
