! gptlsetoption and gptlsetutr: every option with valid and invalid values, which the report shows
! as set; when they are allowed, and how long they last.
program options
    use, intrinsic :: iso_c_binding, only: c_int
    use gptl
    use check
    use files
    implicit none
    integer, parameter :: highest = huge(0), lowest = -huge(0) - 1
    character(len=*), parameter :: defaults = 'all at their defaults'

    call check_ok(gptlstart('x'), 'a start, after which options may still be set')
    call check_ok(gptlstop('x'), 'stop')
    call on_and_off()
    call with_bounds()
    call wrong_numbers()
    call clocks()
    call effect_at_once()
    call window()

contains

    ! The report has a line that ends with TEXT, an option in the form of the environment.
    subroutine check_shown(text)
        character(len=*), intent(in) :: text
        character(len=line_length) :: line
        call check_ok(gptlpr_file('report'), 'report')
        line = line_with('report', text)
        call check_that(index(line, ' '//text//' ') > 0, 'the report shows '//text)
    end subroutine

    subroutine check_not_shown(key)
        character(len=*), intent(in) :: key
        call check_ok(gptlpr_file('report'), 'report')
        call check_int(lines_with('report', ' '//key//'='), 0, 'lines with '//key)
    end subroutine

    subroutine on_and_off()
        call switch(GPTLsync_mpi, 'sync_mpi', 0)
        call switch(GPTLwall, 'wall', 1)
        call switch(GPTLcpu, 'cpu', 0)
        call switch(GPTLabort_on_error, 'abort_on_error', 0)
        call switch(GPTLoverhead, 'overhead', 1)
        call switch(GPTLnarrowprint, 'narrowprint', 1)
        call switch(GPTLpercent, 'percent', 0)
        call switch(GPTLpersec, 'persec', 1)
        call switch(GPTLmultiplex, 'multiplex', 0)
        call switch(GPTLdopr_threadsort, 'dopr_threadsort', 1)
        call switch(GPTLdopr_multparent, 'dopr_multparent', 1)
        call switch(GPTLdopr_collision, 'dopr_collision', 1)
        call switch(GPTLprofile_ovhd, 'overhead', 1)
        ! These print something, write no report, or one without the options.
        call check_ok(gptlsetoption(GPTLverbose, 0), 'verbose off')
        call check_ok(gptlsetoption(GPTLdopr_memusage, 0), 'dopr_memusage off')
        call check_ok(gptlsetoption(GPTLonlyprint_rank0, 0), 'onlyprint_rank0 off')
        call check_ok(gptlsetoption(GPTLdopr_preamble, 0), 'dopr_preamble off')
        call check_ok(gptlsetoption(GPTLdopr_preamble, 1), 'dopr_preamble on')
    end subroutine

    ! 0 is off, 1 is on, and any other number is an error that changes nothing.
    subroutine switch(option, key, initial)
        integer, intent(in) :: option, initial
        character(len=*), intent(in) :: key
        integer, parameter :: wrong(4) = [2, 64, -1, lowest]
        integer :: i
        call check_ok(gptlsetoption(option, 0), key//' off')
        if (initial == 1) call check_shown(key//'=off')
        call check_ok(gptlsetoption(option, 1), key//' on')
        if (initial == 0) call check_shown(key//'=on')
        if (option == GPTLabort_on_error) call check_ok(gptlsetoption(option, 0), key//' off')
        do i = 1, size(wrong)
            call check_error(gptlsetoption(option, wrong(i)), key//' neither')
        end do
        if (initial == 0 .and. option /= GPTLabort_on_error) call check_shown(key//'=on')
        call check_ok(gptlsetoption(option, initial), key//' as at first')
        call check_not_shown(key)
    end subroutine

    subroutine with_bounds()
        call numbers(GPTLdepthlimit, 'depthlimit', 1, highest, highest)
        call numbers(GPTLtablesize, 'tablesize', 1, 2**24, 128)
        call numbers(GPTLmaxthreads, 'maxthreads', 0, highest, 0)
        call numbers(GPTLmem_growth, 'mem_growth', 0, highest, 10)
        call numbers(GPTLprint_method, 'print_method', 1, 4, GPTLmost_frequent)
        call check_ok(gptlsetoption(GPTLprint_method, GPTLfirst_parent), 'first parent')
        call check_shown('print_method=first_parent')
        call check_ok(gptlsetoption(GPTLprint_method, GPTLlast_parent), 'last parent')
        call check_shown('print_method=last_parent')
        call check_ok(gptlsetoption(GPTLprint_method, GPTLfull_tree), 'full tree')
        call check_shown('print_method=full_tree')
        call check_ok(gptlsetoption(GPTLprint_method, GPTLmost_frequent), 'most frequent')
        call check_not_shown('print_method')
    end subroutine

    ! An out-of-range value changes nothing: the report is the same before and after.
    subroutine numbers(option, key, least, most, initial)
        integer, intent(in) :: option, least, most, initial
        character(len=*), intent(in) :: key
        character(len=line_length) :: before
        call check_ok(gptlsetoption(option, most), key//', the most')
        call check_ok(gptlsetoption(option, least), key//', the least')
        if (least /= initial) then
            call check_ok(gptlpr_file('report'), 'report')
            before = line_with('report', ' '//key//'=')
        end if
        call check_error(gptlsetoption(option, least - 1), key//', less than the least')
        call check_error(gptlsetoption(option, lowest), key//', the lowest number')
        if (most < highest) call check_error(gptlsetoption(option, most + 1), key//', too much')
        call check_ok(gptlpr_file('report'), 'report')
        if (least /= initial) &
            call check_text(line_with('report', ' '//key//'='), before, key//' after errors')
        call check_ok(gptlsetoption(option, initial), key//' as at first')
        call check_not_shown(key)
    end subroutine

    ! Neither an option nor an event. Other negative numbers are PAPI's, the lowest one its
    ! PAPI_L1_DCM, which it knows on some processors, also on virtual machines that cannot count it.
    subroutine wrong_numbers()
        integer, parameter :: wrong(7) = [8, 29, 49, 60, 100, 1000000, -1]
        integer :: i
        do i = 1, size(wrong)
            call check_error(gptlsetoption(wrong(i), 1), 'a number that is no option')
        end do
        call check_ok(gptlpr_file('report'), 'report')
        call check_int(lines_with('report', defaults), 1, 'lines that say nothing is set')
    end subroutine

    subroutine clocks()
        integer, parameter :: wrong(5) = [0, -1, 8, 99, highest]
        integer :: i
        call check_ok(gptlsetutr(GPTLgettimeofday), 'gettimeofday')
        call check_shown('utr=gettimeofday')
        call check_ok(gptlsetutr(GPTLclockgettime), 'clockgettime')
        call check_shown('utr=clockgettime')
        do i = 1, size(wrong)
            call check_error(gptlsetutr(wrong(i)), 'a number that is no clock')
        end do
        call check_error(gptlsetutr(GPTLread_real_time), 'a clock of another system')
        call check_error(gptlsetutr(GPTLmpiwtime), 'a clock of another library')
        call check_shown('utr=clockgettime')
    end subroutine

    ! Options that change starts apply to later ones, also while regions are open.
    subroutine effect_at_once()
        integer(c_int) :: n
        call check_ok(gptlstart('1'), 'start of level 1')
        call check_ok(gptlstart('2'), 'start of level 2')
        call check_ok(gptlsetoption(GPTLdepthlimit, 2), 'a limit')
        call check_ok(gptlstart('3'), 'start of level 3')
        call check_ok(gptlstart('4'), 'start of level 4')
        call check_ok(gptlstop('4'), 'stop')
        call check_ok(gptlstop('3'), 'stop')
        call check_error(gptlget_count('3', -1, n), 'calls below the limit')
        call check_ok(gptlsetoption(GPTLdepthlimit, 3), 'another limit')
        call check_ok(gptlstart('3'), 'start of level 3')
        call check_ok(gptlstart('4'), 'start of level 4')
        call check_ok(gptlstop('4'), 'stop')
        call check_ok(gptlstop('3'), 'stop')
        call check_ok(gptlstop('2'), 'stop')
        call check_ok(gptlstop('1'), 'stop')
        call check_int(count_of('3', -1), 1, 'calls of level 3')
        call check_error(gptlget_count('4', -1, n), 'calls below the other limit')
        call check_int(count_of('2', -1), 1, 'calls of level 2')
    end subroutine

    ! Options cannot be set after the first explicit initialize, and can be again after the last
    ! finalize, which restores the defaults.
    subroutine window()
        call check_ok(gptlsetoption(GPTLpercent, 1), 'percent')
        call check_ok(gptlinitialize(), 'initialize')
        call check_int(count_of('x', -1), 1, 'calls that were before')
        call check_error(gptlsetoption(GPTLpercent, 0), 'percent after initialize')
        call check_error(gptlsetutr(GPTLgettimeofday), 'clock after initialize')
        call check_ok(gptlinitialize(), 'initialize again')
        call check_ok(gptlfinalize(), 'finalize')
        call check_error(gptlsetoption(GPTLpercent, 0), 'percent after one of two finalize')
        call check_shown('percent=on')
        call check_shown('utr=clockgettime')
        call check_shown('depthlimit=3')
        call check_ok(gptlfinalize(), 'finalize again')
        call check_ok(gptlsetoption(GPTLcpu, 1), 'an option for the next')
        call check_ok(gptlinitialize(), 'initialize')
        call check_shown('cpu=on')
        call check_not_shown('percent')
        call check_not_shown('utr')
        call check_not_shown('depthlimit')
        call check_ok(gptlfinalize(), 'finalize')
    end subroutine

end program
