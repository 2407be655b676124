! The report files of a program: their names, appending or overwriting, and the behavior if one
! cannot be written.
program report_output
    use, intrinsic :: iso_c_binding, only: c_null_char
    use gptl
    use check
    use files
    implicit none
    character(len=*), parameter :: stats = 'Stats for thread 0:'

    call check_error(gptlpr(0), 'a report before anything is on')
    call check_error(gptlpr_file('early'), 'a file before anything is on')
    call check_that(.not. (exists('timing.0') .or. exists('early')), 'they leave no files')
    call check_ok(gptlinitialize(), 'initialize')
    call check_ok(gptlstart('main'), 'start of main')
    call check_ok(gptlstart('part'), 'start of part')
    call check_ok(gptlstop('part'), 'stop of part')
    call check_ok(gptlstop('main'), 'stop of main')
    call by_number()
    call by_name()
    call on_stderr()
    call modes()
    call cannot_be_written()
    call check_ok(gptlfinalize(), 'finalize')
    call check_error(gptlpr(8), 'a report after finalize')
    call check_that(.not. exists('timing.8'), 'it leaves no file')

contains

    ! FILE contains N whole reports.
    subroutine check_reports(file, n)
        character(len=*), intent(in) :: file
        integer, intent(in) :: n
        call check_that(exists(file), 'there is a file '//file)
        call check_int(lines_with(file, 'GPTL '), n, 'preambles in '//file)
        call check_int(lines_with(file, stats), n, 'tables in '//file)
        call check_int(lines_with(file, '    part '), n, 'rows of part in '//file)
        call check_int(lines_with(file, 'Memory used by the library'), n, 'ends in '//file)
    end subroutine

    subroutine by_number()
        call check_ok(gptlpr(7), 'report 7')
        call check_reports('timing.7', 1)
        call check_ok(gptlpr(7), 'report 7 again')
        call check_reports('timing.7', 1)
        call check_ok(gptlpr(huge(0)), 'the highest number')
        call check_reports('timing.2147483647', 1)
    end subroutine

    ! A NUL ends the name of a file, trailing blanks do not count, others do.
    subroutine by_name()
        character(len=40) :: file = 'padded'
        call check_ok(gptlpr_file('constant'), 'a constant')
        call check_reports('constant', 1)
        call check_ok(gptlpr_file(file), 'a name and blanks')
        call check_that(.not. exists('padded  '//c_null_char), 'no blank is part of the name')
        call check_reports('padded', 1)
        call check_ok(gptlpr_file('ended'//c_null_char//'rest'), 'a name that ends with NUL')
        call check_reports('ended', 1)
        call check_ok(gptlpr_file('a name of three.words'), 'a name with blanks in it')
        call check_reports('a name of three.words', 1)
        call check_ok(gptlpr_file(' in front'), 'a blank in front')
        call check_reports('./ in front', 1)
        call check_ok(gptlpr_file(repeat('long', 60)), 'a long name')
        call check_reports(repeat('long', 60), 1)
    end subroutine

    subroutine on_stderr()
        integer :: ret
        call catch_stderr('said')
        ret = gptlpr(-1)
        call release_stderr()
        call check_ok(ret, 'a report on stderr')
        call check_reports('said', 1)
        call check_that(.not. exists('timing.-1'), 'no file of a negative number')
    end subroutine

    ! May be changed at any time.
    subroutine modes()
        call check_int(gptlpr_query_append(), 0, 'append at first')
        call check_int(gptlpr_query_write(), 1, 'write at first')
        call check_ok(gptlpr_set_append(), 'set append')
        call check_int(gptlpr_query_append(), 1, 'append when set')
        call check_int(gptlpr_query_write(), 0, 'write when append is set')
        call check_ok(gptlpr(3), 'the first of three')
        call check_ok(gptlpr_file('timing.3   '), 'the second')
        call check_ok(gptlpr(3), 'the third')
        call check_reports('timing.3', 3)
        call check_ok(gptlpr_set_write(), 'set write')
        call check_int(gptlpr_query_append(), 0, 'append when write is set')
        call check_int(gptlpr_query_write(), 1, 'write when set')
        call check_ok(gptlpr(3), 'one instead of three')
        call check_reports('timing.3', 1)
    end subroutine

    ! One sentence, and the program continues.
    subroutine cannot_be_written()
        integer :: ret
        call catch_stderr('said')
        ret = gptlpr_file('missing/report  ')
        call release_stderr()
        call check_error(ret, 'a folder that is not there')
        call check_int(lines_with('said', ''), 1, 'lines that were said')
        call check_int(lines_with('said', 'missing/report: No such file'), 1, 'lines that say why')
        call check_error(gptlpr_file('.'), 'a folder as file')
        call check_error(gptlpr_file(''), 'no name')
        call check_error(gptlpr_file('    '), 'a name of blanks')
        call check_error(gptlpr_file(c_null_char//'x'), 'a name that ends at once')
        call check_ok(gptlpr_file('afterwards'), 'one that can be written')
        call check_reports('afterwards', 1)
    end subroutine

end program
