! gptldisable and gptlenable: counted calls and times.
program disable
    use, intrinsic :: iso_c_binding, only: c_int, c_double
    use gptl
    use check
    implicit none

    call before_initialize()
    call check_ok(gptlinitialize(), 'initialize')
    call nothing_counts()
    call stopped_while_disabled()
    call open_through_disable()
    call started_while_disabled()
    call several_started_while_disabled()
    call open_region_started_again()
    call reset_while_disabled()
    call many_times()
    call check_ok(gptlfinalize(), 'finalize')
    call check_int(gptldisable(), -1, 'disable after finalize')
    call check_int(gptlenable(), -1, 'enable after finalize')
    call check_int(gptlis_initialized(), 0, 'whether they turned it on')

contains

    subroutine check_unknown(name)
        character(len=*), intent(in) :: name
        integer(c_int) :: n
        call check_error(gptlget_count(name, -1, n), 'calls of '//name)
    end subroutine

    ! They turn the library on, so that a program can begin with measurement disabled.
    subroutine before_initialize()
        call check_ok(gptldisable(), 'disable before initialize')
        call check_int(gptlis_initialized(), 1, 'whether that turned it on')
        call pair_of('early')
        call check_ok(gptlenable(), 'enable before initialize')
        call check_unknown('early')
        call pair_of('early')
        call check_int(count_of('early', -1), 1, 'calls of early')
    end subroutine

    subroutine nothing_counts()
        call pair_of('x')
        call check_ok(gptldisable(), 'disable')
        call check_int(gptlis_initialized(), 1, 'whether it is on while disabled')
        call pair_of('x')
        call pair_of('y')
        call check_ok(gptlstartstop_val('x', 1d0), 'given time')
        call check_ok(gptldisable(), 'disable again, which does not nest')
        call check_ok(gptlenable(), 'enable')
        call pair_of('x')
        call check_ok(gptlenable(), 'enable again')
        call pair_of('x')
        call check_int(count_of('x', -1), 3, 'calls of x')
        call check_between(seconds_of('x', -1), 0d0, 0.9d0, 'seconds of x without the given one')
        call check_unknown('y')
    end subroutine

    ! Bounds of a time are the least and the largest possible one; clocks differ a little.
    subroutine stopped_while_disabled()
        real(c_double) :: begin, passed, pause, all
        begin = now()
        call check_ok(gptlstart('A'), 'start A')
        call check_ok(gptlstart('B'), 'start B')
        passed = spin(1d-3)
        call check_ok(gptldisable(), 'disable')
        pause = spin(3d-3)
        call check_ok(gptlstop('B'), 'stop B')
        call check_ok(gptlstop('A'), 'stop A')
        call check_ok(gptlenable(), 'enable')
        all = now() - begin
        call check_int(count_of('A', -1), 1, 'calls of A')
        call check_int(count_of('B', -1), 1, 'calls of B')
        call check_between(seconds_of('B', -1), 0.98d0*passed, 1.02d0*(all - pause), 'time of B')
        call check_between(seconds_of('A', -1), 0.98d0*passed, 1.02d0*(all - pause), 'time of A')
    end subroutine

    subroutine open_through_disable()
        real(c_double) :: begin, passed, pause
        passed = 0
        pause = 0
        begin = now()
        call check_ok(gptlstart('through'), 'start')
        passed = passed + spin(1d-3)
        call check_ok(gptldisable(), 'disable')
        pause = pause + spin(2d-3)
        call check_ok(gptldisable(), 'disable again')
        pause = pause + spin(2d-3)
        call check_ok(gptlenable(), 'enable')
        passed = passed + spin(1d-3)
        call check_ok(gptlstop('through'), 'stop')
        call check_between(seconds_of('through', -1), 0.98d0*passed, &
                           1.02d0*(now() - begin - pause), 'time of what stays open')
        call check_int(count_of('through', -1), 1, 'calls of what stays open')
    end subroutine

    subroutine started_while_disabled()
        integer(c_int) :: handle
        handle = 0
        call check_ok(gptlstart('outer'), 'start outer')
        call check_ok(gptldisable(), 'disable')
        call check_ok(gptlstart('off'), 'start off')
        call check_ok(gptlstart_handle('off_handle', handle), 'start by handle')
        call check_ok(gptlstartf('off_length', 10), 'start by length')
        call check_ok(gptlenable(), 'enable')
        call check_ok(gptlstopf('off_length', 10), 'stop by length')
        call check_ok(gptlstop_handle('off_handle', handle), 'stop by handle')
        call check_ok(gptlstop('off'), 'stop off')
        call check_ok(gptlstop('outer'), 'stop outer')
        call check_error(gptlstop('off'), 'a second stop')
        call check_int(count_of('outer', -1), 1, 'calls of outer')
        call check_unknown('off')
        call check_unknown('off_handle')
        call check_unknown('off_length')
    end subroutine

    ! Recursion, and names in one variable.
    subroutine several_started_while_disabled()
        character(len=16) :: name
        integer :: i
        call check_ok(gptlstart('several'), 'start')
        call check_ok(gptldisable(), 'disable')
        do i = 1, 3
            call check_ok(gptlstart('r'), 'start r')
        end do
        do i = 1, 4
            write (name, '(a,i0)') 'name', i
            call check_ok(gptlstart(name), 'start '//name)
        end do
        call check_ok(gptlenable(), 'enable')
        do i = 4, 1, -1
            write (name, '(a,i0)') 'name', i
            call check_ok(gptlstop(name), 'stop '//name)
        end do
        do i = 1, 3
            call check_ok(gptlstop('r'), 'stop r')
        end do
        call check_ok(gptlstop('several'), 'stop')
        call check_unknown('r')
        call check_int(count_of('several', -1), 1, 'calls')
    end subroutine

    ! The open one continues; the stop belongs to the one that was started while disabled.
    subroutine open_region_started_again()
        integer(c_int) :: open
        real(c_double) :: usr, sys, wall
        integer(c_int) :: n
        integer(selected_int_kind(18)) :: counters(1)
        call check_ok(gptlstart('again'), 'start')
        call check_ok(gptldisable(), 'disable')
        call pair_of('again')
        call check_ok(gptlstart('again'), 'start while disabled')
        call check_ok(gptlenable(), 'enable')
        call check_ok(gptlstop('again'), 'stop of that')
        call check_ok(gptlquery('again', -1, n, open, wall, usr, sys, counters, 0), 'query')
        call check_int(n, 0, 'calls that have ended')
        call check_int(open, 1, 'whether the first is open')
        call check_ok(gptlstop('again'), 'stop of the first')
        call check_int(count_of('again', -1), 1, 'calls')
        call check_error(gptlstop('again'), 'one stop too many')
    end subroutine

    subroutine reset_while_disabled()
        real(c_double) :: passed, begin
        call check_ok(gptlstart('reset'), 'start')
        passed = spin(2d-3)
        call check_ok(gptldisable(), 'disable')
        call check_ok(gptlreset(), 'reset')
        passed = spin(2d-3)
        begin = now()
        call check_ok(gptlenable(), 'enable')
        passed = spin(5d-4)
        call check_ok(gptlstop('reset'), 'stop')
        call check_between(seconds_of('reset', -1), 0.98d0*passed, 1.02d0*(now() - begin), &
                           'time since the reset')
    end subroutine

    subroutine many_times()
        integer, parameter :: rounds = 2000
        integer :: i
        call check_ok(gptlstart('around'), 'start')
        do i = 1, rounds
            call check_ok(gptldisable(), 'disable')
            call pair_of('often')
            call check_ok(gptlstart('around'), 'start inside')
            call check_ok(gptlenable(), 'enable')
            call check_ok(gptlstop('around'), 'stop inside')
            call pair_of('often')
        end do
        call check_ok(gptlstop('around'), 'stop')
        call check_int(count_of('often', -1), rounds, 'calls inside')
        call check_int(count_of('around', -1), 1, 'calls around')
    end subroutine

end program
