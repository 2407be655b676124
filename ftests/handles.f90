! Handles: created from the name at first use, then replacing the name, kept in 4 bytes or in
! 8.
program handles
    use, intrinsic :: iso_c_binding, only: c_int, c_int64_t
    use gptl
    use check
    implicit none
    integer(c_int) :: early = 0, again = 0, before

    call check_ok(gptlinit_handle('early', early), 'a handle before anything is on')
    call check_int(gptlis_initialized(), 0, 'whether that turned the library on')
    call check_ok(gptlinitialize(), 'initialize')
    call pair('early', early)
    call check_ok(gptlinit_handle('early', early), 'init of its own handle')
    call wrong_handles()
    call changed_name()
    call wide_handle()

    call check_ok(gptlstart('early'), 'start without')
    call check_ok(gptlstop_handle('early  ', early), 'stop with, and blanks behind the name')
    call check_ok(gptlstart_handle('early', early), 'start with')
    call check_ok(gptlstop('early'), 'stop without')
    call check_int(count_of('early', -1), 3, 'calls of early')

    call check_ok(gptlfinalize(), 'finalize')
    call check_ok(gptlinitialize(), 'initialize again')
    before = early
    call pair('early', early)
    call check_int(early, before, 'the handle after finalize')
    call check_int(count_of('early', -1), 1, 'calls of early after finalize')
    call check_error(gptlstart_handle('later', early), 'the handle of another name')
    call check_int(again, 0, 'a handle never given')
    call check_ok(gptlfinalize(), 'finalize again')

contains

    subroutine pair(name, handle)
        character(len=*), intent(in) :: name
        integer(c_int), intent(inout) :: handle
        call check_ok(gptlstart_handle(name, handle), 'start '//name)
        call check_ok(gptlstop_handle(name, handle), 'stop '//name)
    end subroutine

    subroutine wrong_handles()
        integer(c_int) :: a, b, handle, zero
        integer(c_int) :: wrong(5)
        integer :: i
        a = 0
        b = 0
        call pair('a', a)
        call pair('b', b)
        call check_that(a > 0 .and. b > 0 .and. a /= b, 'two handles')
        wrong = [b, -1, huge(0), -huge(0) - 1, 1000000]
        do i = 1, size(wrong)
            handle = wrong(i)
            call check_error(gptlstart_handle('a', handle), 'start by a wrong handle')
            call check_error(gptlinit_handle('a', handle), 'init of a wrong handle')
            call check_ok(gptlstart_handle('a', a), 'start a')
            call check_error(gptlstop_handle('a', handle), 'stop by a wrong handle')
            call check_ok(gptlstop_handle('a', a), 'stop a')
            call check_int(handle, wrong(i), 'the wrong handle')
        end do
        zero = 0
        call check_ok(gptlstart('a'), 'start a')
        call check_ok(gptlstop_handle('a', zero), 'a stop needs no handle')
        zero = 0
        call check_error(gptlstop_handle('a', zero), 'a stop of what is not open')
        call check_int(count_of('a', -1), 7, 'calls of a')
        call check_int(count_of('b', -1), 1, 'calls of b')
    end subroutine

    ! A changed name in a variable no longer matches the handle.
    subroutine changed_name()
        character(len=16) :: name
        integer(c_int) :: handle
        integer :: i
        handle = 0
        name = 'first'
        do i = 1, 3
            call pair(name, handle)
        end do
        name = 'second'
        call check_error(gptlstart_handle(name, handle), 'a changed name')
        name = 'first'
        call pair(name, handle)
        call check_int(count_of('first', -1), 4, 'calls of first')
    end subroutine

    subroutine wide_handle()
        integer(c_int64_t) :: wide
        integer(c_int) :: narrow
        integer :: i
        wide = 0
        narrow = 0
        do i = 1, 3
            call check_ok(gptlstart_handle('wide', wide), 'start by 8 bytes')
            call check_ok(gptlstop_handle('wide', wide), 'stop by 8 bytes')
        end do
        call check_ok(gptlinit_handle('wide', narrow), 'the same in 4 bytes')
        call check_that(wide == narrow, 'both are the same number')
        call check_int(count_of('wide', -1), 3, 'calls of wide')
    end subroutine

end program
