! Each clock measures seconds, a change of clock while regions are open loses none, and the default is
! the best one. If the time-stamp counter is missing or unfit for it, the next best replaces it.
program clocks
    use, intrinsic :: iso_c_binding, only: c_int, c_double
    use gptl
    use check
    use files
    implicit none
    logical :: has_counter

    call change_converts() ! first: after finalize nothing starts without initialize
    call default_is_best()
    call seconds(GPTLnanotime, trim(merge('nanotime    ', 'clockgettime', has_counter)))
    call seconds(GPTLclockgettime, 'clockgettime')
    call seconds(GPTLgettimeofday, 'gettimeofday')
    call placebo()
    call wrong_clocks()

contains

    ! An open region continues, and an ended one keeps its time.
    subroutine change_converts()
        real(c_double) :: begin, passed, before
        call check_ok(gptlsetutr(GPTLclockgettime), 'the first clock')
        begin = now()
        call check_ok(gptlstart('open'), 'start')
        call check_ok(gptlstartstop_val('given', 1.5d0), 'given time')
        call check_ok(gptlstart('closed'), 'start')
        passed = spin(2d-3)
        call check_ok(gptlstop('closed'), 'stop')
        before = seconds_of('closed', -1)
        call check_ok(gptlsetutr(GPTLgettimeofday), 'the second clock')
        call check_between(seconds_of('closed', -1), before - 2d-6, before + 2d-6, 'the same time')
        call check_ok(gptlstartstop_val('given', 1.5d0), 'given time')
        passed = passed + spin(2d-3)
        call check_ok(gptlsetutr(GPTLnanotime), 'the third clock')
        call check_ok(gptlstartstop_val('given', 1.5d0), 'given time')
        passed = passed + spin(1d-3)
        call check_ok(gptlstop('open'), 'stop')
        call check_between(seconds_of('given', -1), 4.5d0 - 6d-6, 4.5d0 + 6d-6, 'given times')
        call check_between(seconds_of('open', -1), 0.98d0*passed - 4d-6, &
                           1.02d0*(now() - begin) + 4d-6, 'time by several clocks')
        call check_int(count_of('open', -1), 1, 'calls')
        call check_ok(gptlinitialize(), 'initialize, which keeps what was measured')
        call check_int(count_of('closed', -1), 1, 'calls')
        call check_ok(gptlfinalize(), 'finalize')
    end subroutine

    ! A test that is interrupted may see more in the region than in the loop, never less. Clocks differ
    ! a little, and the coarsest shows microseconds.
    subroutine seconds(clock, name)
        integer, intent(in) :: clock
        character(len=*), intent(in) :: name
        real(c_double) :: begin, passed, latest
        call check_ok(gptlsetutr(clock), name)
        call check_ok(gptlinitialize(), 'initialize with '//name)
        begin = now()
        call check_ok(gptlstart('x'), 'start')
        passed = spin(4d-3)
        call check_ok(gptlstop('x'), 'stop')
        call check_between(seconds_of('x', -1), 0.98d0*passed - 2d-6, &
                           1.02d0*(now() - begin) + 2d-6, 'time with '//name)
        call check_ok(gptlget_wallclock_latest('x', -1, latest), 'latest')
        call check_between(latest, 0.98d0*passed - 2d-6, 1.02d0*(now() - begin) + 2d-6, &
                           'time of the latest call with '//name)
        call check_ok(gptlstartstop_val('given', 1.5d0), 'given time')
        call check_between(seconds_of('given', -1), 1.5d0 - 2d-6, 1.5d0 + 2d-6, 'given time')
        call check_clock(name)
        call check_ok(gptlfinalize(), 'finalize')
    end subroutine

    subroutine check_clock(name)
        character(len=*), intent(in) :: name
        call check_ok(gptlpr_file('report'), 'report')
        call check_int(index(line_with('report', 'Clock'), 'Clock     '//name//' ('), 1, &
                       'place of the clock '//name//' in the report')
    end subroutine

    ! It counts calls, and keeps external times.
    subroutine placebo()
        integer :: i
        call check_ok(gptlsetutr(GPTLplacebo), 'placebo')
        call check_ok(gptlinitialize(), 'initialize')
        do i = 1, 10
            call pair_of('x')
        end do
        call check_ok(gptlstartstop_val('given', 1.5d0), 'given time')
        call check_int(count_of('x', -1), 10, 'calls with placebo')
        call check_real(seconds_of('x', -1), 0d0, 'time with placebo')
        call check_real(seconds_of('given', -1), 1.5d0, 'given time with placebo')
        call check_clock('placebo')
        call check_ok(gptlfinalize(), 'finalize')
    end subroutine

    subroutine default_is_best()
        call check_ok(gptlinitialize(), 'initialize')
        call pair_of('x')
        call check_ok(gptlpr_file('report'), 'report')
        has_counter = index(line_with('report', 'Clock'), ' nanotime (') > 0
        if (.not. has_counter) call check_clock('clockgettime')
        call check_int(lines_with('report', 'passed over:'), merge(0, 1, has_counter), &
                       'lines that say why not the counter')
        call check_ok(gptlfinalize(), 'finalize')
    end subroutine

    ! The one that was right last stays.
    subroutine wrong_clocks()
        call check_ok(gptlsetutr(GPTLplacebo), 'placebo')
        call check_error(gptlsetutr(GPTLread_real_time), 'a clock of another system')
        call check_error(gptlsetutr(GPTLmpiwtime), 'a clock of another library')
        call check_error(gptlsetutr(0), 'no clock')
        call check_ok(gptlinitialize(), 'initialize')
        call check_error(gptlsetutr(GPTLclockgettime), 'another clock after initialize')
        call pair_of('x')
        call check_clock('placebo')
        call check_ok(gptlfinalize(), 'finalize')
    end subroutine

end program
