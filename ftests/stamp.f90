! Times and memory of the process, which can be queried at any time, and lines about them.
program stamp
    use, intrinsic :: iso_c_binding, only: c_int, c_float, c_double, c_null_char
    use gptl
    use check
    use files
    implicit none

    call wall_clock()
    call cpu_time_passes()
    call memory()
    call memory_grows()
    call lines_on_stderr()
    call check_int(gptlis_initialized(), 0, 'whether any of these turned the library on')
    call check_ok(gptlinitialize(), 'initialize')
    call wall_clock()
    call check_ok(gptlfinalize(), 'finalize')
    call wall_clock()
    call memory()
    call check_int(gptlis_initialized(), 0, 'whether any of these turned it on again')

contains

    ! Never decreases, and counts seconds.
    subroutine wall_clock()
        real(c_double) :: first, last, before, usr, sys, passed, begin
        integer :: i
        begin = now()
        call check_ok(gptlstamp(first, usr, sys), 'stamp')
        passed = spin(2d-3)
        call check_ok(gptlstamp(last, usr, sys), 'stamp')
        call check_that(first > 0, 'there is a time')
        call check_between(last - first, 0.98d0*passed, 1.02d0*(now() - begin), 'time between')
        before = last
        do i = 1, 1000
            call check_ok(gptlstamp(last, usr, sys), 'stamp')
            call check_that(last >= before, 'time does not go back')
            before = last
        end do
    end subroutine

    ! Each of the two grows with activity of its kind, which a busy machine may account late. A
    ! process of one thread uses no more of both than elapsed time.
    subroutine cpu_time_passes()
        real(c_double) :: wall(2), usr(2), sys(2), passed
        real(c_float) :: total, resident
        call check_ok(gptlstamp(wall(1), usr(1), sys(1)), 'stamp')
        call check_that(usr(1) >= 0 .and. sys(1) >= 0, 'CPU times are not negative')
        do
            passed = spin(1d-4)
            call check_ok(gptlget_procsiz(total, resident), 'something that the system does')
            call check_ok(gptlstamp(wall(2), usr(2), sys(2)), 'stamp')
            call check_that(usr(2) >= usr(1) .and. sys(2) >= sys(1), 'CPU times do not go back')
            if (usr(2) > usr(1) .and. sys(2) > sys(1)) exit
            call check_between(wall(2) - wall(1), 0d0, 20d0, 'seconds without CPU time')
        end do
        call check_between(usr(2) + sys(2) - usr(1) - sys(1), 0d0, wall(2) - wall(1) + 0.02d0, &
                           'CPU time used')
    end subroutine

    subroutine memory()
        real(c_float) :: used, total, resident
        used = -1
        total = -1
        resident = -1
        call check_ok(gptlget_memusage(used), 'memusage')
        call check_ok(gptlget_procsiz(total, resident), 'procsiz')
        call check_between(real(used, c_double), 0.5d0, 1d4, 'MB')
        call check_between(real(resident, c_double), 0.5d0*used, 2d0*used, 'MB resident')
        call check_that(total >= resident, 'the total is more than what is resident')
    end subroutine

    ! A sanitizer itself takes several times as much.
    subroutine memory_grows()
        integer, parameter :: megabytes = 16, mega = 2**20
        real(c_float) :: before, after, total(2), resident
        character, allocatable, volatile :: block(:) ! so that it is not optimized away
        call check_ok(gptlget_memusage(before), 'memusage before')
        call check_ok(gptlget_procsiz(total(1), resident), 'procsiz before')
        allocate (block(megabytes*mega))
        block = 'x'
        call check_ok(gptlget_memusage(after), 'memusage after')
        call check_ok(gptlget_procsiz(total(2), resident), 'procsiz after')
        call check_between(real(after - before, c_double), 0.8d0*megabytes, 10d0*megabytes, &
                           'growth of what is resident')
        call check_between(real(total(2) - total(1), c_double), 0.8d0*megabytes, 1d6, &
                           'growth of the total')
    end subroutine

    ! One line each, which begins with the label, also an empty one.
    subroutine lines_on_stderr()
        character(len=20) :: label = 'in a variable'
        integer(c_int) :: ret(5)
        call catch_stderr('said')
        ret(1) = gptlprint_memusage('here')
        ret(2) = gptlprint_rusage('there')
        ret(3) = gptlprint_memusage(label)
        ret(4) = gptlprint_rusage('ended'//c_null_char//'rest')
        ret(5) = gptlprint_rusage('')
        call release_stderr()
        call check_that(all(ret == 0), 'all lines were printed')
        call check_int(lines_with('said', ''), 5, 'lines')
        call check_line('here: memory of the process: total ')
        call check_line('there: user ')
        call check_line('in a variable: memory of the process: total ')
        call check_line('ended: user ')
    end subroutine

    subroutine check_line(beginning)
        character(len=*), intent(in) :: beginning
        call check_int(index(line_with('said', beginning), beginning), 1, 'place of '//beginning)
    end subroutine

end program
