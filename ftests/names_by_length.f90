! Names given with a length: the smaller of the length and the size of the string counts.
! Trailing blanks do not count, a NUL ends them, and they are the same regions as those of
! gptlstart.
program names_by_length
    use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_null_char
    use gptl
    use check
    implicit none

    call check_ok(gptlinitialize(), 'initialize')
    call shorter_than_the_string()
    call longer_than_the_string()
    call nothing_left()
    call handles()
    call check_ok(gptlfinalize(), 'finalize')

contains

    subroutine pair(name, length)
        character(len=*), intent(in) :: name
        integer, intent(in) :: length
        call check_ok(gptlstartf(name, length), 'start '//name)
        call check_ok(gptlstopf(name, length), 'stop '//name)
    end subroutine

    subroutine shorter_than_the_string()
        integer :: i
        do i = 1, 3
            call pair('solve', 5)
            call pair('solver', 5)
            call pair('solve     ', 10)
            call pair('solve     ', 7)
            call pair('solve'//c_null_char//'rest', 10)
            call pair('solve  '//c_null_char//'  ', 10)
            call check_ok(gptlstart('solve'), 'start without a length')
            call check_ok(gptlstopf('solve on', 5), 'stop with a length')
            call check_ok(gptlstartf('solve on', 5), 'start with a length')
            call check_ok(gptlstop('solve'), 'stop without a length')
            call check_ok(gptlstartstop_valsf('solver', 5, 0d0, 1), 'a given time')
        end do
        call check_int(count_of('solve', -1), 27, 'calls of solve')
        call pair('  solve ', 8) ! blanks in front do
        call pair('sol ve', 6)
        call check_int(count_of('solve', -1), 27, 'calls of solve still')
        call check_int(count_of('  solve', -1), 1, 'calls of solve behind blanks')
        call check_int(count_of('sol ve', -1), 1, 'calls of sol ve')
    end subroutine

    ! Bytes after the string are not read.
    subroutine longer_than_the_string()
        character(len=5) :: parts(2) = ['field', 'other']
        integer :: i, n
        integer, parameter :: lengths(4) = [6, 10, 1000000, huge(0)]
        do i = 1, size(lengths)
            n = lengths(i)
            call pair(parts(1), n)
            call pair('field   ', n)
            call check_ok(gptlstartstop_valsf(parts(1), n, 0d0, 1), 'a given time')
        end do
        call check_int(count_of('field', -1), 12, 'calls of field')
        call check_ok(gptlprefix_setf(parts(1), 10), 'prefix')
        call pair('x', 1)
        call check_ok(gptlprefix_unset(), 'no prefix')
        call check_int(count_of('fieldx', -1), 1, 'calls of fieldx')
    end subroutine

    subroutine nothing_left()
        integer :: i
        do i = 1, 3
            call pair('', 0)
            call pair('', 5)
            call pair('x', 0)
            call pair('     ', 5)
            call pair(c_null_char//'xyz', 4)
            call check_ok(gptlstartf('   ', 3), 'start of blanks')
            call check_ok(gptlstop('(empty)'), 'stop of (empty)')
            call check_ok(gptlstart(''), 'start of nothing')
            call check_ok(gptlstopf(' x', 1), 'stop of a blank')
        end do
        call check_int(count_of('(empty)', -1), 21, 'calls of (empty)')
    end subroutine

    subroutine handles()
        integer(c_int) :: handle, same
        integer(c_int64_t) :: wide
        integer :: i
        handle = 0
        same = 0
        wide = 0
        call check_ok(gptlstartf_handle('grid  ', 6, handle), 'start by length and handle')
        call check_ok(gptlstopf_handle('grid', 6, handle), 'stop by length and handle')
        call check_that(handle > 0, 'there is a handle')
        call check_ok(gptlinit_handle('grid', same), 'init of a handle')
        call check_int(same, handle, 'the same handle')
        do i = 1, 3
            call check_ok(gptlstartf_handle('grid ', 5, handle), 'start with')
            call check_ok(gptlstop_handle('grid', handle), 'stop without a length')
            call check_ok(gptlstart_handle('grid', handle), 'start without a length')
            call check_ok(gptlstopf('grids', 4), 'stop with a length only')
            call check_ok(gptlstartf_handle('grids', 4, wide), 'start by 8 bytes')
            call check_ok(gptlstopf_handle('grid', 40, wide), 'stop by 8 bytes')
        end do
        call check_that(wide == same, 'the same handle in 8 bytes')
        call check_int(count_of('grid', -1), 10, 'calls of grid')
        call check_error(gptlstartf_handle('grids', 5, handle), 'the handle of another name')
        call check_int(handle, same, 'the handle still')
    end subroutine

end program
