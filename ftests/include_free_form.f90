! The include file in free form: no interfaces, so types have to be right without the compiler's
! help.
program include_free_form
    use check
    implicit none
    include 'gptl.inc'
    integer :: handle = 0, same = 0

    call check_ok(gptlsetoption(GPTLpercent, 1), 'an option by its name')
    call check_ok(gptlsetutr(GPTLclockgettime), 'a clock by its name')
    call check_ok(gptlsetoption(GPTLprint_method, GPTLfull_tree), 'a method by its name')
    call check_ok(gptlinit_handle('early', handle), 'a handle before anything is on')
    call check_int(gptlis_initialized(), 0, 'whether that turned the library on')
    call check_ok(gptlinitialize(), 'initialize')
    call pair('early', handle)
    call by_name_and_length()
    call handles()
    call given_and_queried()
    call strings()
    call check_ok(gptlpr_file('report'), 'report')
    call check_error(gptlstop('early'), 'a stop of what is not open')
    call check_ok(gptlfinalize(), 'finalize')

contains

    subroutine pair(name, h)
        character(len=*), intent(in) :: name
        integer, intent(inout) :: h
        call check_ok(gptlstart_handle(name, h), 'start '//name)
        call check_ok(gptlstop_handle(name, h), 'stop '//name)
    end subroutine

    subroutine by_name_and_length()
        character(len=20) :: name = 'loop'
        integer :: i
        do i = 1, 3
            call check_ok(gptlstart(name), 'start')
            call check_ok(gptlstop('loop'), 'stop')
            call check_ok(gptlstartf('looping', 4), 'start by length')
            call check_ok(gptlstopf(name, 20), 'stop by length')
        end do
        call check_int(count_of('loop', -1), 6, 'calls of loop')
    end subroutine

    subroutine handles()
        integer :: other
        other = 0
        call pair('early', same)
        call check_int(same, handle, 'the handle of the same name')
        call check_ok(gptlstart('early'), 'start without')
        call check_ok(gptlstop_handle('early  ', handle), 'stop with, and blanks behind the name')
        call check_ok(gptlstartf_handle('early', 5, handle), 'start by length')
        call check_ok(gptlstopf_handle('earlyX', 5, handle), 'stop by length')
        call pair('other', other)
        call check_that(other > 0 .and. other /= handle, 'another name has another handle')
        call check_error(gptlstart_handle('other', handle), 'the handle of another name')
        call check_int(count_of('early', -1), 4, 'calls of early')
        call check_int(count_of('other', -1), 1, 'calls of other')
    end subroutine

    subroutine given_and_queried()
        double precision :: wall, usr, sys
        integer(selected_int_kind(18)) :: counters(1)
        integer :: n, open
        call check_ok(gptlstartstop_val('given', 1.5d0), 'given time')
        call check_ok(gptlstartstop_vals('given', 2d0, 4), 'given times')
        call check_ok(gptlstartstop_valsf('given times', 5, 0.5d0, 1), 'given time by length')
        call check_ok(gptlquery('given', 0, n, open, wall, usr, sys, counters, 0), 'query')
        call check_int(n, 6, 'calls of given')
        call check_int(open, 0, 'whether given is open')
        call check_real(wall, 4d0, 'seconds of given')
        call check_ok(gptlstamp(wall, usr, sys), 'stamp')
        call check_that(wall > 0, 'there is a time')
    end subroutine

    subroutine strings()
        character(len=12) :: name
        real :: total, resident
        integer :: n
        call check_ok(gptlget_nregions(0, n), 'number of regions')
        call check_int(n, 4, 'number of regions')
        call check_ok(gptlget_regionname(0, 1, name), 'name of region')
        call check_text(name, 'loop        ', 'name of region')
        call check_ok(gptlevent_code_to_name(GPTL_IPC, name), 'name of event')
        call check_text(name, 'GPTL_IPC    ', 'name of event')
        call check_ok(gptlget_procsiz(total, resident), 'procsiz')
        call check_that(total >= resident .and. resident > 0, 'there is memory')
    end subroutine

end program
