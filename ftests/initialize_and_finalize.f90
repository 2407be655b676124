! gptlinitialize and gptlfinalize nest; after the last gptlfinalize starts are refused with one
! warning in all; a thousand measurements need no more memory than a few.
program initialize_and_finalize
    use, intrinsic :: iso_c_binding, only: c_int, c_float, c_double
    use gptl
    use check
    implicit none
    integer, parameter :: regions = 200
    character(len=16) :: names(regions)
    integer :: i

    do i = 1, regions
        write (names(i), '(a,i0)') 'region ', i
    end do
    call nesting()
    call after_the_end()
    call a_thousand()

contains

    subroutine nesting()
        integer :: i
        call check_int(gptlis_initialized(), 0, 'whether it is on at first')
        do i = 1, 3
            call check_ok(gptlinitialize(), 'initialize')
        end do
        call check_ok(gptlstart('x'), 'start')
        call check_ok(gptlstop('x'), 'stop')
        do i = 1, 2
            call check_ok(gptlfinalize(), 'one finalize of three')
            call check_int(gptlis_initialized(), 1, 'whether it is still on')
            call check_int(count_of('x', -1), 1, 'calls of x')
        end do
        call check_ok(gptlfinalize(), 'the last finalize')
        call check_int(gptlis_initialized(), 0, 'whether it is on after the last finalize')
        call check_error(gptlfinalize(), 'one finalize too many')
    end subroutine

    subroutine after_the_end()
        integer(c_int) :: warnings, handle, n
        integer :: i
        warnings = gptlnum_warn()
        handle = 0
        do i = 1, 100
            call check_int(gptlstart('x'), -1, 'start after finalize')
            call check_int(gptlstop('x'), -1, 'stop after finalize')
            call check_int(gptlstart_handle('x', handle), -1, 'start by handle after finalize')
            call check_int(gptlstop_handle('x', handle), -1, 'stop by handle after finalize')
            call check_int(gptlstartf('x', 1), -1, 'start by length after finalize')
            call check_int(gptlstopf('x', 1), -1, 'stop by length after finalize')
            call check_int(gptlstartstop_val('x', 1d0), -1, 'a given time after finalize')
            call check_int(gptlis_initialized(), 0, 'whether they turned it on')
        end do
        call check_int(gptlnum_warn(), warnings + 1, 'warnings after finalize')
        call check_ok(gptlinitialize(), 'initialize again')
        call check_error(gptlstop('x'), 'a stop of what was refused')
        call check_ok(gptlget_nregions(-1, n), 'number of regions')
        call check_int(n, 0, 'regions after initialize')
        call check_ok(gptlfinalize(), 'finalize again')
    end subroutine

    subroutine measurement()
        integer :: i
        call check_ok(gptlsetoption(GPTLtablesize, 4096), 'set option')
        call check_ok(gptlinitialize(), 'initialize')
        do i = 1, regions
            call check_ok(gptlstart(names(i)), 'start of one that stays open')
        end do
        call check_ok(gptlprefix_set('p:'), 'set prefix')
        call check_ok(gptlstart('x'), 'start with prefix')
        call check_ok(gptlmark('m'), 'mark')
        call check_ok(gptldisable(), 'disable')
        call check_ok(gptlfinalize(), 'finalize')
    end subroutine

    subroutine a_thousand()
        real(c_float) :: before, after, resident
        integer :: i
        before = 0
        do i = 1, 1000
            call measurement()
            if (i == 20) call check_ok(gptlget_procsiz(before, resident), 'memory before')
        end do
        call check_ok(gptlget_procsiz(after, resident), 'memory after')
        call check_between(real(after, c_double), 0d0, before + 0.1d0, 'MB after all')
        ! Neither the prefix nor the disabling remains.
        call check_ok(gptlinitialize(), 'the last initialize')
        call check_ok(gptlstart('y'), 'start')
        call check_ok(gptlstop('y'), 'stop')
        call check_int(count_of('y', -1), 1, 'calls of y')
        call check_ok(gptlfinalize(), 'the last finalize')
    end subroutine

end program
