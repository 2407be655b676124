! Names and numbers of events, and errors without counters: derived events have names in every
! library, values only in one with counters.
program events
    use, intrinsic :: iso_c_binding, only: c_int, c_double, c_null_char
    use gptl
    use check
    implicit none
    character(len=*), parameter :: names(10) = [character(len=12) :: &
        'GPTL_IPC', 'GPTL_CI', 'GPTL_FPC', 'GPTL_FPI', 'GPTL_LSTPI', 'GPTL_DCMRT', &
        'GPTL_LSTPDCM', 'GPTL_L2MRT', 'GPTL_LSTPL2M', 'GPTL_L3MRT']
    integer, parameter :: codes(10) = [GPTL_IPC, GPTL_CI, GPTL_FPC, GPTL_FPI, GPTL_LSTPI, &
                                       GPTL_DCMRT, GPTL_LSTPDCM, GPTL_L2MRT, GPTL_LSTPL2M, &
                                       GPTL_L3MRT]
    logical :: has_counters

    call find_counters()
    call both_directions()
    call strings_of_any_length()
    call unknown()
    call check_int(gptlis_initialized(), 0, 'whether any of these turned the library on')
    call check_ok(gptlinitialize(), 'initialize')
    call values()
    call check_ok(gptlfinalize(), 'finalize')

contains

    subroutine find_counters()
        integer(c_int) :: ret
        ret = gptl_papilibraryinit()
        has_counters = ret == 0
        if (has_counters) then
            call check_ok(ret, 'papilibraryinit')
        else
            call check_error(ret, 'papilibraryinit')
            call check_error(gptlsetoption(GPTL_IPC, 1), 'an event without counters')
            call check_error(gptlsetutr(GPTLpapitime), 'its clock')
        end if
    end subroutine

    subroutine both_directions()
        character(len=128) :: name
        integer(c_int) :: code
        integer :: i
        do i = 1, size(names)
            code = -7
            call check_ok(gptlevent_name_to_code(names(i), code), 'number of '//names(i))
            call check_int(code, codes(i), 'number of '//names(i))
            code = -7
            call check_ok(gptlevent_name_to_code(trim(names(i)), code), 'number of '//names(i))
            call check_int(code, codes(i), 'number of '//names(i)//' without blanks')
            code = -7
            call check_ok(gptlevent_name_to_code(trim(names(i))//c_null_char//'x', code), 'NUL')
            call check_int(code, codes(i), 'number of '//names(i)//' and NUL')
            name = repeat('~', len(name))
            call check_ok(gptlevent_code_to_name(codes(i), name), 'name of '//names(i))
            call check_text(name, names(i)//repeat(' ', len(name) - len(names)), 'name')
        end do
    end subroutine

    ! Cut, with an error, or padded with blanks, and nothing is written after it.
    subroutine strings_of_any_length()
        character(len=300) :: string, padded = 'GPTL_LSTPDCM'
        integer :: length
        string = repeat('~', len(string))
        call check_error(gptlevent_code_to_name(GPTL_LSTPDCM, string(1:4)), 'a short string')
        call check_text(string(1:5), 'GPTL~', 'a short string')
        call check_error(gptlevent_code_to_name(GPTL_LSTPDCM, string(1:0)), 'no string')
        do length = 12, len(string)
            string = repeat('~', len(string))
            call check_ok(gptlevent_code_to_name(GPTL_LSTPDCM, string(1:length)), 'name')
            call check_text(string(1:length), padded(1:length), 'name')
            call check_text(string(length + 1:), repeat('~', len(string) - length), &
                            'what lies behind')
        end do
    end subroutine

    ! Results stay unchanged.
    subroutine unknown()
        integer, parameter :: wrong(6) = [-1, 0, 16, 27, 53, 10000]
        character(len=12) :: name = 'is here'
        integer(c_int) :: code
        integer :: i
        code = 7
        call check_error(gptlevent_name_to_code('GPTL_NOTHING', code), 'an unknown name')
        call check_error(gptlevent_name_to_code('GPTL_IP', code), 'the beginning of a name')
        call check_error(gptlevent_name_to_code('GPTL_IPC2', code), 'more than a name')
        call check_error(gptlevent_name_to_code(' GPTL_IPC', code), 'a blank in front')
        call check_error(gptlevent_name_to_code('', code), 'an empty name')
        call check_int(code, 7, 'the number after errors')
        do i = 1, size(wrong)
            call check_error(gptlevent_code_to_name(wrong(i), name), 'an unknown number')
        end do
        call check_text(name, 'is here     ', 'the name after errors')
    end subroutine

    ! No value of an event that is off, of an invalid one, and of no region.
    subroutine values()
        real(c_double) :: value
        value = 7
        call check_ok(gptlstart('x'), 'start')
        call check_ok(gptlstop('x'), 'stop')
        call check_error(gptlget_eventvalue('x', 'GPTL_IPC', -1, value), 'an event that is off')
        call check_error(gptlget_eventvalue('x', 'GPTL_IPC  ', 0, value), 'the same with blanks')
        call check_error(gptlget_eventvalue('x', 'nothing', -1, value), 'an unknown event')
        call check_error(gptlget_eventvalue('y', 'GPTL_IPC', -1, value), 'an unknown region')
        call check_error(gptlget_eventvalue('x', 'GPTL_IPC', 99, value), 'an unknown thread')
        call check_real(value, 7d0, 'the value after errors')
    end subroutine

end program
