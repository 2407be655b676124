! Stops in the wrong order, and missing stops: the times are right, and the report lists the
! stops.
program crossed
    use, intrinsic :: iso_c_binding, only: c_int, c_long_long, c_double
    use gptl
    use check
    use files
    implicit none
    real(c_double), parameter :: moment = 1d-3

    call check_ok(gptlinitialize(), 'initialize')
    call two()
    call three_by_all_means()
    call recursive_region()
    call started_again()
    call around_is_stopped()
    call stop_that_is_late()
    call stop_without_start()
    call told_in_report()
    call check_ok(gptlfinalize(), 'finalize')

contains

    subroutine start(name)
        character(len=*), intent(in) :: name
        call check_ok(gptlstart(name), 'start '//name)
    end subroutine

    subroutine stop(name)
        character(len=*), intent(in) :: name
        call check_ok(gptlstop(name), 'stop '//name)
    end subroutine

    ! At least PASSED, at most MOST; clocks differ a little.
    subroutine check_time(name, passed, most)
        character(len=*), intent(in) :: name
        real(c_double), intent(in) :: passed, most
        call check_between(seconds_of(name, -1), 0.98d0*passed, 1.02d0*most, 'time of '//name)
    end subroutine

    subroutine check_open(name, expected)
        character(len=*), intent(in) :: name
        integer, intent(in) :: expected
        integer(c_int) :: n, open
        integer(c_long_long) :: counters(1)
        real(c_double) :: wall, usr, sys
        call check_ok(gptlquery(name, -1, n, open, wall, usr, sys, counters, 0), 'query')
        call check_int(open, expected, 'whether '//name//' is open')
    end subroutine

    subroutine two()
        real(c_double) :: at(4), passed(3)
        at(1) = now()
        call start('A')
        passed(1) = spin(moment)
        at(2) = now()
        call start('B')
        passed(2) = spin(moment)
        call stop('A')
        at(3) = now()
        passed(3) = spin(3*moment)
        call stop('B')
        at(4) = now()
        call check_time('A', passed(1) + passed(2), at(3) - at(1))
        call check_time('B', passed(2) + passed(3), at(4) - at(2))
        call check_int(count_of('A', -1), 1, 'calls of A')
        call check_int(count_of('B', -1), 1, 'calls of B')
        call check_open('A', 0)
        call check_open('B', 0)
    end subroutine

    ! By handle and by length too. A later start inside B is a child of it.
    subroutine three_by_all_means()
        integer(c_int) :: handle
        integer :: i
        handle = 0
        do i = 1, 3
            call check_ok(gptlstart_handle('H', handle), 'start H')
            call check_ok(gptlstartf('L  ', 3), 'start L')
            call start('C')
            call check_ok(gptlstop_handle('H', handle), 'stop H')
            call check_ok(gptlstopf('L', 1), 'stop L')
            call start('child')
            call stop('child')
            call stop('C')
            call check_int(count_of('H', -1), i, 'calls of H')
            call check_int(count_of('L', -1), i, 'calls of L')
            call check_int(count_of('C', -1), i, 'calls of C')
            call check_int(count_of('child', -1), i, 'calls of child')
        end do
    end subroutine

    ! Timed once, from its outermost start to its last stop.
    subroutine recursive_region()
        real(c_double) :: at(2), passed(2)
        at(1) = now()
        call start('R')
        call start('R')
        passed(1) = spin(moment)
        call start('S')
        call stop('R')
        passed(2) = spin(moment)
        call check_open('R', 1)
        call stop('R')
        at(2) = now()
        passed(1) = passed(1) + passed(2)
        passed(2) = spin(2*moment)
        call stop('S')
        call check_time('R', passed(1), at(2) - at(1))
        call check_int(count_of('R', -1), 2, 'calls of R')
        call check_int(count_of('S', -1), 1, 'calls of S')
    end subroutine

    ! The call whose stop was missed ends at the moment when the region around it was stopped.
    subroutine started_again()
        real(c_double) :: begin, passed, most
        call start('D')
        begin = now()
        call start('missed')
        passed = spin(moment)
        call stop('D')
        most = now() - begin
        call check_open('missed', 1)
        call check_int(count_of('missed', -1), 0, 'calls that have ended')
        call check_that(spin(2*moment) > moment, 'some time passes')
        call start('missed')
        call check_int(count_of('missed', -1), 1, 'calls when it was started again')
        call check_time('missed', passed, most)
        call stop('missed')
        call check_open('missed', 0)
        call check_int(count_of('missed', -1), 2, 'calls of missed')
    end subroutine

    subroutine around_is_stopped()
        real(c_double) :: begin, passed, most
        call start('P')
        call start('E')
        begin = now()
        call start('F')
        passed = spin(moment)
        call stop('E')
        most = now() - begin
        call check_that(spin(2*moment) > moment, 'some time passes')
        call check_open('F', 1)
        call stop('P')
        call check_open('F', 0)
        call check_open('P', 0)
        call check_int(count_of('F', -1), 1, 'calls of F')
        call check_time('F', passed, most)
    end subroutine

    ! It is not an error, and gives its call the rest of its time.
    subroutine stop_that_is_late()
        real(c_double) :: begin, passed
        call start('Q')
        call start('G')
        begin = now()
        call start('late')
        call stop('G')
        call stop('Q')
        call check_int(count_of('late', -1), 1, 'calls of late')
        passed = spin(moment)
        call stop('late')
        call check_time('late', passed, now() - begin)
        call check_int(count_of('late', -1), 1, 'calls of late still')
        call check_error(gptlstop('late'), 'a second stop')
    end subroutine

    subroutine stop_without_start()
        call check_error(gptlstop('never'), 'stop of a name never seen')
        call start('one')
        call check_error(gptlstop('never'), 'stop of another name')
        call check_open('one', 1)
        call stop('one')
        call check_int(count_of('one', -1), 1, 'calls of one')
    end subroutine

    subroutine told_in_report()
        call check_ok(gptlpr_file('report'), 'report')
        call check_pair('A', 'B', '1 time')
        call check_pair('H', 'C', '3 times')
        call check_pair('L', 'C', '3 times')
        call check_pair('R', 'S', '2 times')
        call check_pair('D', 'missed', '1 time')
        call check_int(lines_with('report', '3 stops named regions that were not open'), 1, &
                       'lines about stops that did nothing')
        call check_int(lines_with('report', '2 calls were never stopped'), 1, &
                       'lines about missed stops')
    end subroutine

    subroutine check_pair(stopped, inside, times)
        character(len=*), intent(in) :: stopped, inside, times
        call check_int(lines_with('report', stopped//' was stopped while '//inside// &
                                  ', started inside it, was open: '//times), 1, &
                       'lines about '//stopped//' and '//inside)
    end subroutine

end program
