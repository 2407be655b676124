! fortran_pairs.f90 - the Fortran loops measured by the bench fortran.c.
module fortran_pairs
    use, intrinsic :: iso_c_binding, only: c_int, c_long, c_ptr
    use gptl
    implicit none
    integer(c_int), save :: handle = 0
    integer(c_int) :: ret

contains

    subroutine literal(arg, rounds) bind(c, name="bench_fortran_literal")
        type(c_ptr), value :: arg
        integer(c_long), value :: rounds
        integer(c_long) :: i
        associate (unused => arg)
        end associate
        do i = 1, rounds
            ret = gptlstart('Fortran pair')
            ret = gptlstop('Fortran pair')
        end do
    end subroutine

    subroutine by_handle(arg, rounds) bind(c, name="bench_fortran_handle")
        type(c_ptr), value :: arg
        integer(c_long), value :: rounds
        integer(c_long) :: i
        associate (unused => arg)
        end associate
        do i = 1, rounds
            ret = gptlstart_handle('by handle', handle)
            ret = gptlstop_handle('by handle', handle)
        end do
    end subroutine

    ! As in a wrapper module of a climate model: its dummy argument, without trailing blanks.
    subroutine padded(arg, rounds) bind(c, name="bench_fortran_padded")
        type(c_ptr), value :: arg
        integer(c_long), value :: rounds
        integer(c_long) :: i
        character(len=64) :: event
        associate (unused => arg)
        end associate
        event = 'a name with blanks behind it'
        do i = 1, rounds
            ret = gptlstart(event)
            ret = gptlstop(event)
        end do
    end subroutine

end module
