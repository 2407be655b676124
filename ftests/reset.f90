! gptlreset and gptlreset_timer: everything begins at zero, the tree stays.
program reset
    use, intrinsic :: iso_c_binding, only: c_int, c_long_long, c_double
    use gptl
    use check
    use files
    implicit none

    call check_ok(gptlinitialize(), 'initialize')
    call all_regions()
    call open_regions()
    call one_region()
    call report_begins_anew()
    call check_ok(gptlfinalize(), 'finalize')

contains

    subroutine check_zero(name)
        character(len=*), intent(in) :: name
        real(c_double) :: latest
        call check_int(count_of(name, -1), 0, 'calls of '//name)
        call check_real(seconds_of(name, -1), 0d0, 'seconds of '//name)
        call check_ok(gptlget_wallclock_latest(name, -1, latest), 'latest of '//name)
        call check_real(latest, 0d0, 'seconds of the latest call of '//name)
    end subroutine

    subroutine all_regions()
        integer(c_int) :: before, after
        call check_ok(gptlstart('P'), 'start')
        call check_ok(gptlstart('P'), 'start again')
        call pair_of('x')
        call check_ok(gptlstop('P'), 'stop')
        call check_ok(gptlstop('P'), 'stop again')
        call check_ok(gptlstartstop_val('given', 2d0), 'given time')
        call check_ok(gptlget_nregions(-1, before), 'number of regions')
        call check_ok(gptlreset(), 'reset')
        call check_zero('P')
        call check_zero('x')
        call check_zero('given')
        call check_ok(gptlget_nregions(-1, after), 'number of regions')
        call check_int(after, before, 'number of regions after reset')
        call check_ok(gptlstartstop_val('given', 3d0), 'given time')
        call check_int(count_of('given', -1), 1, 'calls after reset')
        call check_real(seconds_of('given', -1), 3d0, 'seconds after reset')
        call check_zero('x')
    end subroutine

    ! They continue from the moment of the reset, and count when they end.
    subroutine open_regions()
        real(c_double) :: begin, passed, latest, all
        call check_ok(gptlstart('A'), 'start A')
        call check_ok(gptlstart('B'), 'start B')
        call check_ok(gptlstart('A'), 'start A in it')
        call check_that(spin(5d-3) > 1d-3, 'some time passes')
        begin = now()
        call check_ok(gptlreset(), 'reset')
        passed = spin(1d-3)
        call check_open('A')
        call check_open('B')
        call check_ok(gptlstop('A'), 'stop A')
        call check_ok(gptlstop('B'), 'stop B')
        call check_ok(gptlstop('A'), 'stop A again')
        call check_int(count_of('A', -1), 2, 'calls of A')
        call check_int(count_of('B', -1), 1, 'calls of B')
        call check_between(seconds_of('A', -1), 0.98d0*passed, 1.02d0*(now() - begin), 'time of A')
        call check_between(seconds_of('B', -1), 0.98d0*passed, 1.02d0*(now() - begin), 'time of B')
        call check_ok(gptlget_wallclock_latest('A', -1, latest), 'latest of A')
        all = seconds_of('A', -1)
        call check_between(latest, 0.99d0*all, 1.01d0*all, 'time of its latest call')
    end subroutine

    subroutine check_open(name)
        character(len=*), intent(in) :: name
        integer(c_int) :: n, open
        integer(c_long_long) :: counters(1)
        real(c_double) :: wall, usr, sys
        call check_ok(gptlquery(name, -1, n, open, wall, usr, sys, counters, 0), 'query')
        call check_int(open, 1, 'whether '//name//' is open')
        call check_int(n, 0, 'calls of '//name//' that have ended')
    end subroutine

    ! By all its paths, and no other region.
    subroutine one_region()
        integer :: i
        call check_ok(gptlreset(), 'reset')
        call check_ok(gptlstart('Q'), 'start')
        do i = 1, 3
            call pair_of('x')
            call pair_of('y')
        end do
        call check_ok(gptlstop('Q'), 'stop')
        call pair_of('x')
        call check_ok(gptlreset_timer('x   '), 'reset of x')
        call check_zero('x')
        call check_int(count_of('y', -1), 3, 'calls of y')
        call check_int(count_of('Q', -1), 1, 'calls of Q')
        call check_that(seconds_of('y', -1) > 0, 'y has its time')
        call pair_of('x')
        call check_int(count_of('x', -1), 1, 'calls of x after reset')
        call check_error(gptlreset_timer('z'), 'reset of what is not known')
        call check_int(count_of('x', -1), 1, 'calls of x after the error')
    end subroutine

    ! The report's other data of the past is gone as well.
    subroutine report_begins_anew()
        call check_ok(gptlstart('C'), 'start C')
        call check_ok(gptlstart('D'), 'start D')
        call check_ok(gptlstop('C'), 'stop C, crossed')
        call check_ok(gptlstop('D'), 'stop D')
        call check_error(gptlstop('D'), 'one stop too many')
        call check_ok(gptlpr_file('before'), 'report')
        call check_int(lines_with('before', 'C was stopped while D'), 1, 'crossed stops')
        call check_int(lines_with('before', 'that was not open'), 1, 'stops that did nothing')
        call check_ok(gptlreset(), 'reset')
        call pair_of('C')
        call check_ok(gptlpr_file('after'), 'report')
        call check_int(lines_with('after', 'C was stopped while D'), 0, 'crossed stops after reset')
        call check_int(lines_with('after', 'that was not open'), 0, 'such stops after reset')
        call check_text(trim(line_with('after', 'Total calls')), 'Total calls           = 1', &
                        'the line of all calls')
    end subroutine

end program
