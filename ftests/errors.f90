! Each possible error of a Fortran program: the call returns -1, is counted, is reported while
! there are few, and leaves results unchanged.
program errors
    use, intrinsic :: iso_c_binding, only: c_int, c_double, c_long_long, c_int64_t
    use gptl
    use check
    use files
    implicit none
    integer, parameter :: most_printed = 10
    integer(c_int) :: nregions = 7

    call messages() ! first: only so many are printed
    call when_it_is_off()
    call check_ok(gptlinitialize(), 'initialize')
    call check_ok(gptlstartstop_val('a', 1d0), 'given time')
    call queries()
    call stops()
    call handles()
    call given_times()
    call lengths()
    call options_after_initialize()
    call resets()
    call check_ok(gptlfinalize(), 'finalize')
    call when_it_is_off()
    ! Names live as long as the process; regions do not.
    call check_ok(gptlinitialize(), 'initialize again')
    call check_error(gptlreset_timer('a'), 'reset of a region of an earlier measurement')
    call check_query_errors('a', 0)
    call check_query_errors('a', -1)
    call check_ok(gptlget_nregions(-1, nregions), 'number of regions')
    call check_int(nregions, 0, 'number of regions of the new measurement')
    call check_ok(gptlstart('b'), 'start')
    call check_query_errors('a', -1)
    call check_ok(gptlfinalize(), 'finalize again')

contains

    ! One line each, that names the function and the region; later ones are only counted.
    subroutine messages()
        integer :: i
        integer(c_int) :: n
        call catch_stderr('said')
        n = gptlreset_timer('no such region')
        call release_stderr()
        call check_error(n, 'reset when off')
        call check_int(lines_with('said', 'GPTL: GPTLreset_timer: '), 1, 'lines that name it')
        call check_int(lines_with('said', ''), 1, 'lines')
        call catch_stderr('said')
        n = gptlstop('stopped  ')
        call release_stderr()
        call check_error(n, 'stop when off')
        call check_int(lines_with('said', 'GPTL: GPTLstop'), 1, 'lines that name gptlstop')
        call check_int(lines_with('said', '"stopped"'), 1, 'lines that name the region')
        call catch_stderr('said')
        do i = 1, most_printed
            call check_error(gptlfinalize(), 'finalize when off')
        end do
        call release_stderr()
        call check_int(lines_with('said', 'GPTL: GPTLfinalize: '), most_printed - 2, 'lines')
        call check_int(lines_with('said', 'not printed'), 1, 'lines that say it is the last')
    end subroutine

    ! All queries for one region on thread T, with no such region or thread.
    subroutine check_query_errors(name, t)
        character(len=*), intent(in) :: name
        integer, intent(in) :: t
        integer(c_int) :: count, open
        integer(c_long_long) :: counters(2)
        real(c_double) :: wall, usr, sys
        count = 7
        open = 7
        counters = 7
        wall = 7
        usr = 7
        sys = 7
        call check_error(gptlquery(name, t, count, open, wall, usr, sys, counters, 2), 'query')
        call check_error(gptlquerycounters(name, t, counters), 'querycounters')
        call check_error(gptlget_wallclock(name, t, wall), 'wallclock')
        call check_error(gptlget_wallclock_latest(name, t, wall), 'latest wallclock')
        call check_error(gptlget_count(name, t, count), 'count')
        call check_error(gptlget_eventvalue(name, 'GPTL_IPC', t, wall), 'event')
        if (name /= 'a') call check_error(gptlget_threadwork(name, wall, usr), 'threadwork')
        call check_int(count, 7, 'count after errors')
        call check_int(open, 7, 'open after errors')
        call check_that(all(counters == 7), 'counters are what they were')
        call check_that(all([wall, usr, sys] == 7), 'times are what they were')
    end subroutine

    subroutine queries()
        integer, parameter :: threads(3) = [1, 1000000, huge(0)]
        character(len=8) :: name = 'is here'
        integer(c_int) :: n
        integer :: i
        call check_query_errors('b', 0)
        call check_query_errors('b', -1)
        call check_query_errors('A', 0)
        call check_query_errors(' a', 0)
        call check_query_errors('', 0)
        n = 7
        do i = 1, size(threads)
            call check_query_errors('a', threads(i))
            call check_error(gptlget_nregions(threads(i), n), 'number of regions')
            call check_error(gptlget_regionname(threads(i), 0, name), 'name of region')
        end do
        call check_error(gptlget_regionname(0, 1, name), 'a region too many')
        call check_error(gptlget_regionname(0, -1, name), 'a negative number of a region')
        call check_error(gptlget_regionname(0, -huge(0) - 1, name), 'the least number')
        call check_int(n, 7, 'number of regions after errors')
        call check_text(name, 'is here ', 'name after errors')
        call check_ok(gptlget_nregions(0, n), 'number of regions')
        call check_int(n, 1, 'number of regions: none is made by asking')
    end subroutine

    subroutine stops()
        integer(c_int) :: handle
        handle = 0
        call check_error(gptlstop('a'), 'stop of what has ended')
        call check_error(gptlstop('never'), 'stop of what was never started')
        call check_ok(gptlstart('a'), 'start')
        call check_error(gptlstop('never'), 'stop of another')
        call check_error(gptlstop('A'), 'stop in capitals')
        call check_error(gptlstop('a b'), 'stop of a longer name')
        call check_error(gptlstopf('a b', 3), 'stop with length')
        call check_error(gptlstop_handle('never', handle), 'stop by handle')
        call check_ok(gptlstop('a'), 'stop')
        call check_error(gptlstop('a'), 'one stop too many')
        call check_int(count_of('a', -1), 2, 'calls of a')
    end subroutine

    subroutine handles()
        integer(c_int) :: handle, wrong
        integer(c_int64_t) :: wide
        handle = 0
        call check_ok(gptlinit_handle('a', handle), 'init')
        wrong = handle
        wide = handle
        call check_error(gptlinit_handle('b', wrong), 'init of the handle of a')
        call check_error(gptlstart_handle('b', wrong), 'start by the handle of a')
        call check_error(gptlstartf_handle('b', 1, wrong), 'start by length and that handle')
        call check_error(gptlstart_handle('b', wide), 'start by that handle in 8 bytes')
        call check_int(wrong, handle, 'the handle')
        call check_that(wide == handle, 'the handle in 8 bytes')
        wide = 123456789
        call check_error(gptlstart_handle('a', wide), 'start by a handle never given')
        call check_that(wide == 123456789, 'that handle is what it was')
        call check_int(count_of('a', -1), 2, 'calls of a')
    end subroutine

    subroutine given_times()
        integer(c_int) :: n
        call check_error(gptlstartstop_val('v', -1d-9), 'a negative time')
        call check_error(gptlstartstop_vals('v', -1d0, 1), 'negative times')
        call check_error(gptlstartstop_vals('v', 1d0, 0), 'no calls')
        call check_error(gptlstartstop_vals('v', 1d0, -1), 'a negative number of calls')
        call check_error(gptlstartstop_valsf('v', 1, 1d0, 0), 'no calls, with length')
        call check_error(gptlstartstop_valsf('v', -1, 1d0, 1), 'a negative length')
        call check_ok(gptlget_nregions(-1, n), 'number of regions')
        call check_int(n, 1, 'number of regions')
    end subroutine

    subroutine lengths()
        integer(c_int) :: handle, n
        handle = 0
        call check_error(gptlstartf('never', -1), 'start')
        call check_error(gptlstopf('never', -1), 'stop')
        call check_error(gptlstartf_handle('never', -1, handle), 'start by handle')
        call check_error(gptlstopf_handle('never', -1, handle), 'stop by handle')
        call check_error(gptlprefix_setf('p', -1), 'prefix')
        call check_int(handle, 0, 'the handle')
        call check_ok(gptlget_nregions(-1, n), 'number of regions')
        call check_int(n, 1, 'number of regions')
    end subroutine

    subroutine options_after_initialize()
        call check_error(gptlsetoption(GPTLcpu, 1), 'an option')
        call check_error(gptlsetutr(GPTLclockgettime), 'a clock')
        call check_ok(gptlpr(0), 'report')
        call check_int(lines_with('timing.0', 'all at their defaults'), 1, 'lines of options')
        call check_int(lines_with('timing.0', 'Messages'), 1, 'lines that tell of errors')
    end subroutine

    subroutine resets()
        call check_error(gptlreset_timer('no such region'), 'reset of no region')
        call check_error(gptlreset_timer(''), 'reset of an empty name')
        call check_int(count_of('a', -1), 2, 'calls of a')
        call check_ok(gptlreset_timer('a'), 'reset')
        call check_int(count_of('a', -1), 0, 'calls of a after reset')
    end subroutine

    subroutine when_it_is_off()
        character(len=8) :: name = 'is here'
        integer(c_int) :: n
        real(c_double) :: wall, usr, sys
        call check_int(gptlis_initialized(), 0, 'whether it is on')
        n = 7
        call check_error(gptlfinalize(), 'finalize')
        call check_error(gptlreset(), 'reset')
        call check_error(gptlreset_timer('a'), 'reset of one')
        call check_error(gptlmark('a'), 'mark')
        call check_error(gptlpr(0), 'report')
        call check_error(gptlpr_file('file'), 'report in a file')
        call check_query_errors('b', 0)
        call check_query_errors('b', -1)
        call check_error(gptlget_nregions(0, n), 'number of regions')
        call check_error(gptlget_regionname(0, 0, name), 'name of region')
        call check_int(n, 7, 'number of regions after errors')
        call check_text(name, 'is here ', 'name after errors')
        call check_ok(gptlstamp(wall, usr, sys), 'a stamp works')
        call check_int(gptlis_initialized(), 0, 'whether that turned it on')
    end subroutine

end program
