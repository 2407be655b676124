! A negative length is an error, also for a known or open name.
program names_of_negative_length
    use, intrinsic :: iso_c_binding, only: c_int
    use gptl
    use check
    implicit none

    call check_ok(gptlinitialize(), 'initialize')
    call negative_length('neg')
    call negative_length('negative')
    call negative_length('negative_with_many_characters')
    call check_error(gptlprefix_setf('p:', -1), 'prefix')
    call negative_length('after_prefix')
    call check_int(count_of('after_prefix', -1), 2, 'calls without a prefix')
    call check_ok(gptlfinalize(), 'finalize')

contains

    subroutine negative_length(name)
        character(len=*), intent(in) :: name
        integer(c_int) :: handle
        integer :: n
        handle = 0
        n = len(name)
        call check_ok(gptlstartf(name, n), 'start')
        call check_ok(gptlstopf(name, n), 'stop')
        call check_ok(gptlinit_handle(name, handle), 'handle')
        call check_error(gptlstartf(name, -1), 'start, -1')
        call check_error(gptlstartf(name, -huge(0) - 1), 'start, the least number')
        call check_error(gptlstartf_handle(name, -1, handle), 'start by handle, -1')
        call check_error(gptlstartf_handle(name, -n, handle), 'start by handle')
        call check_error(gptlstartstop_valsf(name, -1, 1d0, 1), 'given time')
        call check_ok(gptlstartf(name, n), 'start again')
        call check_error(gptlstopf(name, -1), 'stop, -1')
        call check_error(gptlstopf(name, -n), 'stop')
        call check_error(gptlstopf_handle(name, -1, handle), 'stop by handle')
        call check_ok(gptlstopf(name, n), 'stop again')
        call check_int(count_of(name, -1), 2, 'calls of '//name)
    end subroutine

end program
