! files.f90 - reads the files that the library writes, and its messages on stderr, for the test
! programs. C functions read the files: the thread sanitizer finds a lock-order inversion where
! gfortran's run-time library opens and closes one.
module files
    use, intrinsic :: iso_c_binding, only: c_int, c_char, c_null_char, c_ptr, c_null_ptr, &
        c_associated
    use check
    implicit none
    private
    public :: line_length, open_lines, next_line, close_lines, lines_with, line_with, exists
    public :: catch_stderr, release_stderr

    integer, parameter :: line_length = 2000 ! what is longer is cut

    integer(c_int) :: saved = -1
    type(c_ptr) :: stream = c_null_ptr ! of the one file that is being read

    interface
        function fopen(path, mode) result(opened) bind(c)
            import
            character(kind=c_char), intent(in) :: path(*), mode(*)
            type(c_ptr) :: opened
        end function
        function get_character(opened) result(c) bind(c, name='fgetc')
            import
            type(c_ptr), value :: opened
            integer(c_int) :: c
        end function
        function fclose(opened) result(ret) bind(c)
            import
            type(c_ptr), value :: opened
            integer(c_int) :: ret
        end function
        function dup(fd) result(ret) bind(c)
            import
            integer(c_int), value :: fd
            integer(c_int) :: ret
        end function
        function dup2(from, to) result(ret) bind(c)
            import
            integer(c_int), value :: from, to
            integer(c_int) :: ret
        end function
        function creat(path, mode) result(ret) bind(c)
            import
            character(kind=c_char), intent(in) :: path(*)
            integer(c_int), value :: mode
            integer(c_int) :: ret
        end function
        function close_fd(fd) result(ret) bind(c, name='close')
            import
            integer(c_int), value :: fd
            integer(c_int) :: ret
        end function
    end interface

contains

    logical function exists(file)
        character(len=*), intent(in) :: file
        inquire (file=file, exist=exists)
    end function

    subroutine open_lines(file)
        character(len=*), intent(in) :: file
        stream = fopen(file//c_null_char, 'r'//c_null_char)
        call check_that(c_associated(stream), 'there is a file '//file)
    end subroutine

    ! Return whether there is one more line.
    logical function next_line(line)
        character(len=line_length), intent(out) :: line
        integer :: length
        integer(c_int) :: c
        length = 0
        line = ''
        do
            c = get_character(stream)
            next_line = c >= 0 .or. length > 0
            if (c < 0 .or. c == iachar(new_line('a'))) exit
            length = length + 1
            if (length <= line_length) line(length:length) = achar(c)
        end do
    end function

    subroutine close_lines()
        call check_int(fclose(stream), 0, 'fclose')
    end subroutine

    ! Search a file for lines that contain TEXT, whose trailing blanks count: their number, and the
    ! first of them.
    subroutine search(file, text, n, first)
        character(len=*), intent(in) :: file, text
        integer, intent(out) :: n
        character(len=line_length), intent(out) :: first
        character(len=line_length) :: line
        n = 0
        first = ''
        call open_lines(file)
        do while (next_line(line))
            if (index(line, text) == 0) cycle
            n = n + 1
            if (n == 1) first = line
        end do
        call close_lines()
    end subroutine

    integer function lines_with(file, text)
        character(len=*), intent(in) :: file, text
        character(len=line_length) :: first
        call search(file, text, lines_with, first)
    end function

    ! Return the first line that contains TEXT; there must be one.
    function line_with(file, text) result(line)
        character(len=*), intent(in) :: file, text
        character(len=line_length) :: line
        integer :: n
        call search(file, text, n, line)
        call check_that(n > 0, 'there is a line with "'//text//'" in '//file)
    end function

    ! Redirect stderr to FILE until release_stderr. The message of a failed check would go there as
    ! well, so call checks afterwards.
    subroutine catch_stderr(file)
        character(len=*), intent(in) :: file
        integer(c_int) :: fd
        saved = dup(2_c_int)
        fd = creat(file//c_null_char, int(o'644', c_int))
        call check_that(saved >= 0 .and. fd >= 0, 'stderr can be caught')
        call check_int(dup2(fd, 2_c_int), 2, 'dup2')
        call check_int(close_fd(fd), 0, 'close')
    end subroutine

    subroutine release_stderr()
        call check_int(dup2(saved, 2_c_int), 2, 'dup2')
        call check_int(close_fd(saved), 0, 'close')
    end subroutine

end module
