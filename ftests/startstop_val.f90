! External times: exact, also under the region itself and in the report.
program startstop_val
    use, intrinsic :: iso_c_binding, only: c_int, c_double, c_float
    use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_quiet_nan, ieee_positive_inf, &
        ieee_negative_inf
    use gptl
    use check
    use files
    implicit none

    call check_ok(gptlinitialize(), 'initialize')
    call one_and_several()
    call in_report()
    call as_child()
    call open_region()
    call small_and_large()
    call counts_saturate()
    call bad_values()
    call check_ok(gptlfinalize(), 'finalize')
    call check_ok(gptlinitialize(), 'initialize again')
    call many_small_ones()
    call check_ok(gptlfinalize(), 'finalize again')

contains

    subroutine check_region(name, calls, seconds)
        character(len=*), intent(in) :: name
        integer, intent(in) :: calls
        real(c_double), intent(in) :: seconds
        call check_int(count_of(name, -1), calls, 'calls of '//name)
        call check_real(seconds_of(name, -1), seconds, 'seconds of '//name)
    end subroutine

    subroutine one_and_several()
        character(len=20) :: name = 'v'
        call check_ok(gptlstartstop_val('v', 2.5d0), 'one call')
        call check_region('v', 1, 2.5d0)
        call check_ok(gptlstartstop_vals(name, 1.5d0, 3), 'three calls')
        call check_region('v', 4, 4d0)
        call check_ok(gptlstartstop_valsf('value', 1, 0.25d0, 1), 'with a length')
        call check_ok(gptlstartstop_valsf(name, 20, 0.25d0, 1), 'with all of it')
        call check_region(name, 6, 4.5d0)
        call check_error(gptlstop('v'), 'a stop: it is not open')
    end subroutine

    ! Columns name, Called, Recurse, Wallclock, max, min.
    subroutine in_report()
        character(len=line_length) :: line
        character(len=10) :: name, recurse
        real(c_double) :: wall, most, least
        integer :: calls
        call check_ok(gptlpr_file('report'), 'report')
        line = line_with('report', '  v ')
        read (line, *) name, calls, recurse, wall, most, least
        call check_int(calls, 6, 'calls in the report')
        call check_text(trim(recurse), '-', 'recursive calls in the report')
        call check_between(wall, 4.499d0, 4.501d0, 'seconds in the report')
        call check_between(most, 2.499d0, 2.501d0, 'longest call in the report')
        call check_between(least, 0.249d0, 0.251d0, 'shortest call in the report')
    end subroutine

    ! It adds nothing to the time of the enclosing region.
    subroutine as_child()
        real(c_double) :: begin
        begin = now()
        call check_ok(gptlstart('parent'), 'start')
        call check_ok(gptlstartstop_val('child', 1000d0), 'one call')
        call check_ok(gptlstop('parent'), 'stop')
        call check_between(seconds_of('parent', -1), 0d0, 1.02d0*(now() - begin), 'parent')
        call check_region('child', 1, 1000d0)
        call check_ok(gptlpr_file('report'), 'report')
        call check_int(lines_with('report', '    child '), 1, 'rows of child below its parent')
    end subroutine

    ! One more call. Its time is already in the open call.
    subroutine open_region()
        real(c_double) :: begin
        begin = now()
        call check_ok(gptlstart('open'), 'start')
        call check_ok(gptlstartstop_val('open', 1000d0), 'one call')
        call check_ok(gptlstop('open'), 'stop')
        call check_int(count_of('open', -1), 2, 'calls')
        call check_between(seconds_of('open', -1), 0d0, 1.02d0*(now() - begin), 'seconds')
    end subroutine

    subroutine small_and_large()
        call check_ok(gptlstartstop_val('zero', 0d0), 'no time')
        call check_region('zero', 1, 0d0)
        call check_ok(gptlstartstop_val('year', 31556952d0), 'a year')
        call check_region('year', 1, 31556952d0)
        call check_ok(gptlstartstop_val('single', real(0.1_c_float, c_double)), 'single precision')
        call check_between(seconds_of('single', -1), 0.0999d0, 0.1001d0, 'seconds of single')
        call check_error(gptlstartstop_val('huge', 1d300), 'more than a clock can show')
    end subroutine

    subroutine counts_saturate()
        integer :: i
        do i = 1, 3
            call check_ok(gptlstartstop_vals('many', 1d0, huge(0)), 'as many as can be')
        end do
        call check_region('many', huge(0), 3d0)
    end subroutine

    ! They add nothing and create no region.
    subroutine bad_values()
        real(c_double) :: bad(5)
        integer(c_int) :: before, after
        integer :: i
        bad(1) = ieee_value(1d0, ieee_quiet_nan)
        bad(2) = ieee_value(1d0, ieee_positive_inf)
        bad(3) = ieee_value(1d0, ieee_negative_inf)
        bad(4) = -1
        bad(5) = -tiny(1d0)
        call check_ok(gptlget_nregions(-1, before), 'number of regions')
        do i = 1, size(bad)
            call check_error(gptlstartstop_val('bad', bad(i)), 'one call')
            call check_error(gptlstartstop_vals('bad', bad(i), 2), 'two calls')
            call check_error(gptlstartstop_valsf('v', 1, bad(i), 2), 'two calls with length')
        end do
        call check_error(gptlstartstop_vals('bad', 1d0, 0), 'no call')
        call check_error(gptlstartstop_vals('bad', 1d0, -1), 'less')
        call check_error(gptlstartstop_vals('v', 1d0, -huge(0) - 1), 'least')
        call check_error(gptlstartstop_valsf('v', 1, 1d0, 0), 'no call with length')
        call check_error(gptlstartstop_valsf('v', -1, 1d0, 1), 'a negative length')
        call check_ok(gptlget_nregions(-1, after), 'number of regions')
        call check_int(after, before, 'number of regions after errors')
        call check_region('v', 6, 4.5d0)
    end subroutine

    ! Their sum is right: each is rounded to the resolution of a clock.
    subroutine many_small_ones()
        integer, parameter :: n = 100000
        integer :: i
        do i = 1, n
            call check_ok(gptlstartstop_val('small', 1d-5), 'one call')
        end do
        call check_int(count_of('small', -1), n, 'calls')
        call check_between(seconds_of('small', -1), 0.999d0, 1.001d0, 'seconds')
    end subroutine

end program
