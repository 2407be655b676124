! tables.f90 - reads the tables of text reports. Columns are found by their headings: numbers end
! where those end.
module tables
    use check
    use files
    implicit none
    private
    public :: in_table, in_threads

contains

    ! Return the sum of COLUMN over the rows of REGION, or over all rows if it is empty; -1 if
    ! there is none. The rows are in the NTH table whose first line begins with HEAD; an empty line
    ! ends it.
    integer function in_table(file, head, nth, column, region)
        character(len=*), intent(in) :: file, head, column, region
        integer, intent(in) :: nth
        character(len=line_length) :: line
        integer :: n, last
        logical :: inside
        n = 0
        in_table = -1
        last = 0
        inside = .false.
        call open_lines(file)
        do while (next_line(line))
            if (line == ' ') inside = .false.
            if (index(line, head) == 1) then
                n = n + 1
                inside = n == nth
                last = 0
            end if
            if (.not. inside) cycle
            if (last == 0) then
                last = end_of(line, column)
            else if (is_row_of(line, region)) then
                in_table = max(in_table, 0) + number_before(line, last)
            end if
        end do
        call close_lines()
        call check_that(n >= nth, 'there is a table "'//head//'" in '//file)
    end function

    ! The last position of a column's heading, 0 if the line lacks it.
    integer function end_of(line, column)
        character(len=*), intent(in) :: line, column
        end_of = index(line, ' '//column//' ')
        if (end_of > 0) end_of = end_of + len(column)
    end function

    ! Marks precede a name, at least two blanks follow it.
    logical function is_row_of(line, region)
        character(len=*), intent(in) :: line, region
        integer :: first, last
        first = verify(line, ' *>')
        last = first + len(region) - 1
        is_row_of = region == ' ' .or. line(first:last + 2) == region
    end function

    ! A dash is 0.
    integer function number_before(line, last)
        character(len=*), intent(in) :: line
        integer, intent(in) :: last
        character(len=32) :: word
        word = line(index(line(:last), ' ', back=.true.) + 1:last)
        number_before = 0
        if (word /= '-') read (word, *) number_before
    end function

    ! The rows of REGION in the section sorted by regions: the numbers of COLUMN of all threads, or
    ! in the row of their sum. 0 if there is no such row.
    integer function in_threads(file, column, region, sum_row)
        character(len=*), intent(in) :: file, column, region
        logical, intent(in) :: sum_row
        character(len=line_length) :: line
        integer :: last
        in_threads = 0
        last = 0
        call open_lines(file)
        do while (next_line(line))
            if (index(line, 'Thd ') == 1) last = end_of(line, column)
            if (line(1:3) == 'Mem') last = 0
            if (last == 0 .or. .not. is_row_of(line(4:), region)) cycle
            if ((line(1:3) == 'SUM') .eqv. sum_row) &
                in_threads = in_threads + number_before(line, last)
        end do
        call close_lines()
    end function

end module
