! Options that select printed parts: the text report has the section or column only if selected.
program print_options
    use gptl
    use check
    use files
    implicit none
    integer, parameter :: none = -1 ! no option
    character(len=*), parameter :: all_columns = 'Called Recurse Wallclock max min selfOH parentOH'
    character(len=*), parameter :: parents = 'Multiple parent info (if any) for thread 0:'

    call as_it_is()
    call sections()
    call columns()
    call methods()
    call sizes()
    call said_while_running()

contains

    ! main calls p, which calls the shared one once, q, which does three times, and r, once.
    subroutine work()
        character(len=1), parameter :: names(3) = ['p', 'q', 'r']
        integer, parameter :: calls(3) = [1, 3, 1]
        integer :: i, k
        call check_ok(gptlstart('main'), 'start main')
        do i = 1, 3
            call check_ok(gptlstart(names(i)), 'start '//names(i))
            do k = 1, calls(i)
                call check_ok(gptlstart('shared'), 'start shared')
                call check_ok(gptlstop('shared'), 'stop shared')
            end do
            call check_ok(gptlstop(names(i)), 'stop '//names(i))
        end do
        call check_ok(gptlstop('main'), 'stop main')
    end subroutine

    ! A separate measurement, whose report goes to the file "report".
    subroutine report_with(option, value)
        integer, intent(in) :: option, value
        if (option /= none) call check_ok(gptlsetoption(option, value), 'option')
        call check_ok(gptlinitialize(), 'initialize')
        call work()
        call check_ok(gptlpr_file('report'), 'report')
        call check_ok(gptlfinalize(), 'finalize')
        call check_int(lines_with('report', 'Stats for thread 0:'), 1, 'tables')
        call check_int(lines_with('report', 'Memory used by the library'), 1, 'ends')
    end subroutine

    subroutine check_lines(text, n)
        character(len=*), intent(in) :: text
        integer, intent(in) :: n
        call check_int(lines_with('report', text), n, 'lines with '//text)
    end subroutine

    ! The headings of the table, with one blank between them.
    subroutine check_columns(expected)
        character(len=*), intent(in) :: expected
        character(len=line_length) :: line
        integer :: i
        line = adjustl(line_with('report', 'Called'))
        do
            i = index(trim(line), '  ')
            if (i == 0) exit
            line(i:) = line(i + 1:)
        end do
        call check_text(trim(line), expected, 'columns')
    end subroutine

    subroutine as_it_is()
        call report_with(none, 0)
        call check_lines('Clock ', 1)
        call check_lines('all at their defaults', 1)
        call check_lines('a start and stop costs', 1)
        call check_lines(parents, 1)
        call check_lines('Hash tables (', 1)
        call check_lines('Same stats sorted', 0) ! there is one thread
        call check_lines('*     shared ', 1)
        call check_columns(all_columns)
    end subroutine

    subroutine sections()
        call report_with(GPTLdopr_preamble, 0)
        call check_lines('Process ', 0)
        call check_lines('Clock ', 0)
        call check_lines('Options ', 0)
        call check_lines('a start and stop costs', 0)
        call check_columns(all_columns)
        call report_with(GPTLdopr_multparent, 0)
        call check_lines(parents, 0)
        call check_lines('*     shared ', 1)
        call check_lines('dopr_multparent=off', 1)
        call report_with(GPTLdopr_collision, 0)
        call check_lines('Hash tables (', 0)
        call report_with(GPTLdopr_threadsort, 0)
        call check_lines(parents, 1)
        call report_with(GPTLdepthlimit, 2)
        call check_lines(' shared', 0)
        call check_lines(parents, 0)
        call check_lines('5 calls lay deeper than the depth limit', 1)
    end subroutine

    ! Two of the options concern hardware counters only, and there are none here.
    subroutine columns()
        call report_with(GPTLpercent, 1)
        call check_columns('Called Recurse Wallclock max min %_of_first selfOH parentOH')
        call check_that(index(line_with('report', '  main '), ' 100.00 ') > 0, 'main is 100 %')
        call report_with(GPTLoverhead, 0)
        call check_columns('Called Recurse Wallclock max min')
        call check_lines('a start and stop costs', 0)
        call check_ok(gptlsetoption(GPTLpercent, 1), 'percent, of what is not printed')
        call report_with(GPTLwall, 0)
        call check_columns('Called Recurse selfOH parentOH')
        call report_with(GPTLcpu, 1)
        call check_columns('Called Recurse Wallclock max min usr sys usr+sys selfOH parentOH')
        call report_with(GPTLnarrowprint, 0)
        call check_columns(all_columns)
        call report_with(GPTLpersec, 0)
        call check_columns(all_columns)
    end subroutine

    subroutine methods()
        call report_with(GPTLprint_method, GPTLfirst_parent)
        call check_parents('p')
        call report_with(GPTLprint_method, GPTLlast_parent)
        call check_parents('r')
        call report_with(GPTLprint_method, GPTLmost_frequent)
        call check_parents('q')
        call report_with(GPTLprint_method, GPTLfull_tree)
        call check_parents('pqr')
        call check_lines(parents, 1)
    end subroutine

    ! The parents below which the shared one is printed: the row of each immediately precedes it.
    subroutine check_parents(expected)
        character(len=*), intent(in) :: expected
        character(len=line_length) :: line, before
        character(len=3) :: found
        found = ''
        before = ''
        call open_lines('report')
        do while (next_line(line))
            if (index(line, 'Total calls') == 1) exit
            if (index(line, '*     shared ') == 1) found = trim(found)//adjustl(before)
            before = line
        end do
        call close_lines()
        call check_text(trim(found), expected, 'parents')
    end subroutine

    subroutine sizes()
        call report_with(GPTLtablesize, 4096)
        call check_lines(' of 4096 slots used', 1)
        call report_with(GPTLmaxthreads, 4)
        call check_columns(all_columns)
    end subroutine

    ! Where the process grew: by the amount in the option, and only when it is on.
    subroutine said_while_running()
        call grow()
        call check_int(lines_with('said', 'resident memory grew'), 0, 'lines of growth when off')
        call check_ok(gptlsetoption(GPTLdopr_memusage, 1), 'dopr_memusage')
        call grow()
        call check_int(lines_with('said', 'MB at stop of "grow"'), 1, 'lines of growth')
        call check_ok(gptlsetoption(GPTLdopr_memusage, 1), 'dopr_memusage')
        call check_ok(gptlsetoption(GPTLmem_growth, 1000000), 'mem_growth')
        call grow()
        call check_int(lines_with('said', 'MB at stop of "grow"'), 0, 'lines of too little growth')
        call check_ok(gptlsetoption(GPTLverbose, 1), 'verbose')
        call grow()
        call check_that(lines_with('said', 'GPTL: ') > 0, 'it says something when verbose')
    end subroutine

    subroutine grow()
        integer, parameter :: megabyte = 2**20
        character, allocatable, volatile :: block(:) ! so that it is not optimized away
        call catch_stderr('said')
        call check_ok(gptlinitialize(), 'initialize')
        call check_ok(gptlstart('main'), 'start')
        call check_ok(gptlstart('grow'), 'start')
        allocate (block(24*megabyte))
        block = 'x'
        call check_ok(gptlstop('grow'), 'stop')
        call check_ok(gptlstop('main'), 'stop')
        call check_ok(gptlfinalize(), 'finalize')
        call release_stderr()
    end subroutine

end program
