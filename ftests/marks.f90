! gptlmark: the report has calls, sum, maximum and minimum of each region in each interval.
program marks
    use, intrinsic :: iso_c_binding, only: c_double, c_null_char
    use gptl
    use check
    use files
    implicit none
    character(len=*), parameter :: section = 'Intervals (GPTLmark)'

    call check_ok(gptlinitialize(), 'initialize')
    call intervals()
    call reset_drops_intervals()
    call real_regions()
    call labels()
    call finalize_drops_intervals()
    call joined(64)
    call joined(65)
    call joined(1000)
    call empty_label()
    call check_ok(gptlfinalize(), 'finalize')

contains

    subroutine timed(name, seconds)
        character(len=*), intent(in) :: name
        integer, intent(in) :: seconds
        call check_ok(gptlstartstop_val(name, real(seconds, c_double)), 'given time of '//name)
    end subroutine

    subroutine mark(label)
        character(len=*), intent(in) :: label
        call check_ok(gptlmark(label), 'mark '//label)
    end subroutine

    subroutine report()
        call check_ok(gptlpr_file('report'), 'report')
    end subroutine

    ! Return the row of NAME in the interval that HEADING begins: calls, sum, maximum, minimum.
    subroutine check_row(heading, name, expected)
        character(len=*), intent(in) :: heading, name
        integer, intent(in) :: expected(4)
        character(len=line_length) :: line
        logical :: found, more
        found = .false.
        call open_lines('report')
        do
            more = next_line(line)
            if (line == heading) found = .true.
            if (found .and. line == '') more = .false.
            call check_that(more, 'there is a row of '//name//' in '//heading)
            if (found .and. index(line, '000 '//name//' ') == 1) exit
        end do
        call close_lines()
        call check_numbers(line(5 + len(name):), real(expected, c_double), name//' in '//heading)
    end subroutine

    subroutine check_numbers(text, expected, what)
        character(len=*), intent(in) :: text, what
        real(c_double), intent(in) :: expected(4)
        real(c_double) :: found(4)
        integer :: status, i
        read (text, *, iostat=status) found
        call check_int(status, 0, 'the reading of '//what)
        call check_real(found(1), expected(1), 'calls of '//what)
        do i = 2, 4 ! seconds, which were ticks of a clock
            call check_between(found(i), (1 - 1d-5)*expected(i), (1 + 1d-5)*expected(i), what)
        end do
    end subroutine

    subroutine intervals()
        call timed('x', 5)
        call timed('x', 3)
        call timed('x', 9)
        call mark('first')
        call timed('x', 7)
        call timed('y', 1)
        call mark('second   ')
        call mark('third')
        call timed('x', 2)
        call report()
        call check_int(lines_with('report', section), 1, 'sections of intervals')
        call check_int(lines_with('report', 'Interval '), 3, 'intervals in which something ended')
        call check_row('Interval 1, ended by mark "first"', 'x', [3, 17, 9, 3])
        call check_row('Interval 2, ended by mark "second"', 'x', [1, 7, 7, 7])
        call check_row('Interval 2, ended by mark "second"', 'y', [1, 1, 1, 1])
        call check_row('Interval 4, after the last mark', 'x', [1, 2, 2, 2])
        call check_int(lines_with('report', '000 y '), 1, 'intervals with y')
        ! The whole run is as without marks.
        call check_int(count_of('x', -1), 5, 'calls of x')
        call check_real(seconds_of('x', -1), 26d0, 'seconds of x')
    end subroutine

    subroutine reset_drops_intervals()
        call check_ok(gptlreset(), 'reset')
        call report()
        call check_int(lines_with('report', section), 0, 'sections after reset')
        call timed('x', 4)
        call mark('after')
        call report()
        call check_row('Interval 1, ended by mark "after"', 'x', [1, 4, 4, 4])
        call check_int(lines_with('report', 'Interval '), 1, 'intervals after reset')
    end subroutine

    ! A call counts where it ends, and once, also when it was open at a mark.
    subroutine real_regions()
        integer :: i
        call check_ok(gptlreset(), 'reset')
        call check_ok(gptlstart('open'), 'start')
        do i = 1, 3
            call check_ok(gptlstart('inner'), 'start')
            call check_ok(gptlstop('inner'), 'stop')
            call mark('step')
        end do
        call check_ok(gptlstop('open'), 'stop')
        call report()
        call check_int(lines_with('report', '000 open '), 1, 'intervals with what was open')
        call check_int(lines_with('report', '000 inner '), 3, 'intervals with what was not')
        call check_int(count_of('inner', -1), 3, 'calls of inner')
        call check_int(count_of('open', -1), 1, 'calls of open')
    end subroutine

    subroutine labels()
        character(len=*), parameter :: heading(6) = [character(len=60) :: &
            'Interval 1, ended by mark "constant"', 'Interval 2, ended by mark "in a variable"', &
            'Interval 3, ended by mark " in front"', 'Interval 4, ended by mark "ended"', &
            'Interval 5, ended by mark "10 %d;"', 'Interval 6, after the last mark']
        character(len=40) :: label = 'in a variable'
        integer :: i
        call check_ok(gptlreset(), 'reset')
        call timed('x', 1)
        call mark('constant')
        call timed('x', 2)
        call mark(label)
        call timed('x', 3)
        call mark(' in front ')
        call timed('x', 4)
        call mark('ended'//c_null_char//'rest')
        call timed('x', 5)
        call mark('10 %d;')
        call timed('x', 6)
        call report()
        do i = 1, size(heading)
            call check_row(trim(heading(i)), 'x', [1, i, i, i])
        end do
        call mark(repeat('long', 1000)) ! may be cut
        call report()
        call check_int(lines_with('report', 'Interval 6, ended by mark "longlong'), 1, 'long label')
    end subroutine

    subroutine finalize_drops_intervals()
        call check_ok(gptlfinalize(), 'finalize')
        call check_ok(gptlinitialize(), 'initialize')
        call timed('x', 1)
        call report()
        call check_int(lines_with('report', section), 0, 'sections after finalize')
    end subroutine

    ! Each call takes its mark's number of seconds, so that joined intervals show their members.
    ! There are at most 64, and they cover the whole run.
    subroutine joined(n)
        integer, intent(in) :: n
        character(len=10) :: label
        character(len=60) :: heading
        integer :: i, first, last, found
        call check_ok(gptlreset(), 'reset')
        do i = 1, n
            call timed('x', i)
            write (label, '(i0)') i
            call mark(label)
        end do
        call report()
        found = lines_with('report', 'ended by mark')
        call check_between(real(found, c_double), 33d0, 64d0, 'number of intervals')
        first = 1
        do i = 1, found
            call next_heading(first, last, heading)
            call check_row(heading, 'x', [last - first + 1, (first + last)*(last - first + 1)/2, &
                                          last, first])
            first = last + 1
        end do
        call check_int(last, n, 'the last mark of all intervals')
        call check_int(count_of('x', -1), n, 'calls of x')
    end subroutine

    ! The heading of the interval that begins at mark FIRST, and its last mark.
    subroutine next_heading(first, last, heading)
        integer, intent(in) :: first
        integer, intent(out) :: last
        character(len=*), intent(out) :: heading
        character(len=20) :: beginning
        integer :: i
        write (beginning, '(a,i0,a)') 'Interval ', first, ','
        if (lines_with('report', trim(beginning)) == 0) &
            write (beginning, '(a,i0,a)') 'Intervals ', first, ' to'
        heading = line_with('report', trim(beginning))
        i = index(heading, '"')
        read (heading(i + 1:index(heading, '"', back=.true.) - 1), *) last
    end subroutine

    ! A mark has ended this interval like the others.
    subroutine empty_label()
        call check_ok(gptlreset(), 'reset')
        call timed('x', 1)
        call mark('')
        call timed('x', 2)
        call mark('   ')
        call timed('x', 3)
        call report()
        call check_int(lines_with('report', 'Interval '), 3, 'intervals')
        call check_int(lines_with('report', 'after the last mark'), 1, 'intervals after the last')
        call check_row('Interval 3, after the last mark', 'x', [1, 3, 3, 3])
    end subroutine

end program
