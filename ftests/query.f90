! Queries of regions by name, thread and number.
program query
    use, intrinsic :: iso_c_binding, only: c_int, c_long_long, c_double
    use gptl
    use check
    implicit none

    call check_ok(gptlinitialize(), 'initialize')
    call everything_of_a_region()
    call open_region()
    call recursion()
    call several_paths()
    call latest()
    call threads()
    call numbers_and_names()
    call name_in_strings_of_any_length()
    call check_ok(gptlfinalize(), 'finalize')

contains

    ! All results at once: the same as one by one. CPU times are 0, because they are off; no more
    ! counters are written than exist.
    subroutine everything_of_a_region()
        integer(c_int) :: count, open
        integer(c_long_long) :: counters(3)
        real(c_double) :: wall, usr, sys
        call check_ok(gptlstartstop_vals('given', 6d0, 3), 'given times')
        count = -7
        open = -7
        counters = -7
        wall = -7
        usr = -7
        sys = -7
        call check_ok(gptlquery('given   ', 0, count, open, wall, usr, sys, counters, 3), 'query')
        call check_int(count, 3, 'calls')
        call check_int(open, 0, 'whether it is open')
        call check_real(wall, 6d0, 'seconds')
        call check_real(usr, 0d0, 'user time')
        call check_real(sys, 0d0, 'system time')
        call check_that(all(counters == -7), 'no counters are written')
        call check_ok(gptlquerycounters('given   ', -1, counters), 'querycounters')
        call check_that(all(counters == -7), 'no counters are written by querycounters')
        call check_int(count_of('given', 0), 3, 'calls alone')
        call check_real(seconds_of('given', -1), 6d0, 'seconds alone')
    end subroutine

    subroutine check_state(name, count, open)
        character(len=*), intent(in) :: name
        integer, intent(in) :: count, open
        integer(c_int) :: n, is_open
        integer(c_long_long) :: counters(1)
        real(c_double) :: wall, usr, sys
        call check_ok(gptlquery(name, -1, n, is_open, wall, usr, sys, counters, 0), 'query')
        call check_int(n, count, 'calls of '//name)
        call check_int(is_open, open, 'whether '//name//' is open')
    end subroutine

    ! Calls count, with their time, when they end.
    subroutine open_region()
        real(c_double) :: wall
        call check_ok(gptlstart('open'), 'start')
        call check_state('open', 0, 1)
        call check_real(seconds_of('open', -1), 0d0, 'seconds of the first call while it is open')
        call check_that(spin(1d-3) > 0, 'some time passes')
        call check_ok(gptlstop('open'), 'stop')
        call check_state('open', 1, 0)
        wall = seconds_of('open', -1)
        call check_between(wall, 0.98d-3, 60d0, 'seconds')
        call check_ok(gptlstart('open'), 'start again')
        call check_state('open', 1, 1)
        call check_that(spin(1d-3) > 0, 'some time passes')
        call check_between(seconds_of('open', -1), 0.99d0*wall, 1.01d0*wall, 'seconds of one call')
        call check_ok(gptlstop('open'), 'stop again')
        call check_between(seconds_of('open', -1), 0.99d0*wall + 0.98d-3, 60d0, 'seconds of both')
    end subroutine

    subroutine recursion()
        call check_ok(gptlstart('r'), 'start')
        call check_ok(gptlstart('r'), 'start inside')
        call check_ok(gptlstop('r'), 'stop inside')
        call check_state('r', 1, 1)
        call check_ok(gptlstop('r'), 'stop')
        call check_state('r', 2, 0)
    end subroutine

    ! Their sum.
    subroutine several_paths()
        character(len=1), parameter :: parents(3) = ['p', 'q', 's']
        integer :: i
        do i = 1, 3
            call check_ok(gptlstart(parents(i)), 'start')
            call check_ok(gptlstartstop_vals('below', real(i, c_double), i), 'given times')
            call check_ok(gptlstop(parents(i)), 'stop')
        end do
        call check_state('below', 6, 0)
        call check_real(seconds_of('below', -1), 6d0, 'seconds by all paths')
    end subroutine

    subroutine latest()
        real(c_double) :: seconds
        integer :: i
        do i = 5, 1, -2
            call check_ok(gptlstartstop_val('latest', real(i, c_double)), 'given time')
            call check_ok(gptlget_wallclock_latest('latest', 0, seconds), 'latest')
            call check_between(seconds, i - 1d-5, i + 1d-5, 'seconds of the latest call')
        end do
        call check_real(seconds_of('latest', 0), 9d0, 'seconds of all calls')
    end subroutine

    ! There is one thread, so no thread has less than the others.
    subroutine threads()
        real(c_double) :: most, imbalance
        most = -7
        imbalance = -7
        call check_ok(gptlget_threadwork('given', most, imbalance), 'threadwork')
        call check_real(most, 6d0, 'most work')
        call check_real(imbalance, 0d0, 'imbalance')
        call check_int(count_of('given', 0), count_of('given', -1), 'calls of this thread, 0')
    end subroutine

    ! In the order of their first start, each once.
    subroutine numbers_and_names()
        character(len=*), parameter :: expected(9) = [character(len=8) :: &
            'given', 'open', 'r', 'p', 'below', 'q', 's', 'latest', 'last']
        character(len=8) :: name
        integer(c_int) :: n
        integer :: i, t
        call pair_of('last')
        call pair_of('open')
        do t = -1, 0
            call check_ok(gptlget_nregions(t, n), 'number of regions')
            call check_int(n, size(expected), 'number of regions')
            do i = 1, n
                call check_ok(gptlget_regionname(t, i - 1, name), 'name of region')
                call check_text(name, expected(i), 'name of region')
            end do
        end do
        call check_error(gptlget_regionname(0, n, name), 'one region too many')
        call check_text(name, expected(n), 'name after the error')
    end subroutine

    ! Padded with blanks; cut, which is an error, if it is too short.
    subroutine name_in_strings_of_any_length()
        character(len=10), parameter :: name = '0123456789'
        character(len=200) :: string, padded = name
        integer(c_int) :: n
        integer :: length
        call pair_of(name)
        call check_ok(gptlget_nregions(0, n), 'number of regions')
        do length = 0, len(string)
            string = repeat('~', 200)
            if (length < len(name)) then
                call check_error(gptlget_regionname(0, n - 1, string(1:length)), 'a short string')
            else
                call check_ok(gptlget_regionname(0, n - 1, string(1:length)), 'a long string')
            end if
            call check_text(string(1:length), padded(1:length), 'name')
            call check_text(string(length + 1:), repeat('~', 200 - length), 'what lies behind')
        end do
    end subroutine

end program
