! Calls of the module as in programs written for GPTL 8: its keywords, counters of each rank, the
! regions of threads, the mode of report files, and warnings.
program module_calls
    use, intrinsic :: iso_c_binding, only: c_int, c_long_long, c_double
    use gptl
    use check
    implicit none

    call keywords()
    call ranks()
    call thread_regions()
    call print_mode()
    call warnings()

contains

    subroutine keywords()
        real(c_double) :: value, wall, usr, sys, maxwork, imbal
        integer(c_int) :: n, onflg
        integer(c_long_long) :: counter
        character(len=16) :: name
        call check_ok(gptlsetoption(option=GPTLoverhead, val=0), 'option, val')
        call check_ok(gptlinitialize(), 'initialize')
        call check_ok(gptlstartstop_val(name='given', value=1.5d0), 'name, value')
        call check_ok(gptlget_wallclock(name='given', t=0, value=value), 'name, t, value')
        call check_real(value, 1.5d0, 'value')
        value = 0
        call check_ok(gptlget_wallclock_latest(name='given', t=0, value=value), 'latest')
        call check_real(value, 1.5d0, 'latest value')
        call check_ok(gptlquery(name='given', t=0, count=n, onflg=onflg, wall=wall, usr=usr, sys=sys, &
                                papicounters_out=counter, maxcounters=0), 'query')
        call check_int(n, 1, 'count')
        call check_real(wall, 1.5d0, 'wall')
        call check_ok(gptlget_count(name='given', t=0, count=n), 'count alone')
        call check_ok(gptlget_threadwork(name='given', maxwork=maxwork, imbal=imbal), 'threadwork')
        call check_real(maxwork, 1.5d0, 'maxwork')
        call check_ok(gptlget_nregions(t=0, nregions=n), 'nregions')
        call check_int(n, 1, 'nregions')
        call check_ok(gptlget_regionname(t=0, region=0, name=name), 't, region, name')
        call check_text(trim(name), 'given', 'name')
        call check_ok(gptlpr(procid=0), 'procid')
    end subroutine

    ! A scalar, arrays of some ranks, an element, a section: all can receive no counter.
    subroutine ranks()
        integer(c_long_long) :: one, list(4), table(2, 3), cube(2, 2, 2)
        integer(c_long_long), dimension(1, 1, 1, 1, 1, 1, 1, 2) :: deep
        integer(c_long_long), allocatable :: given(:, :)
        integer(c_int) :: n, o
        real(c_double) :: w, u, s
        one = 7
        list = 7
        deep = 7
        allocate (given(3, 3), source=7_c_long_long)
        call check_ok(gptlquery('given', 0, n, o, w, u, s, one, 1), 'scalar')
        call check_ok(gptlquery('given', 0, n, o, w, u, s, list, 4), 'rank 1')
        call check_ok(gptlquery('given', 0, n, o, w, u, s, table, 6), 'rank 2')
        call check_ok(gptlquery('given', 0, n, o, w, u, s, cube, 8), 'rank 3')
        call check_ok(gptlquery('given', 0, n, o, w, u, s, deep, 2), 'rank 8')
        call check_ok(gptlquery('given', 0, n, o, w, u, s, given, 9), 'allocatable')
        call check_ok(gptlquery('given', 0, n, o, w, u, s, list(2), 1), 'an element')
        call check_ok(gptlquery('given', 0, n, o, w, u, s, list(::2), 2), 'a section')
        call check_ok(gptlquerycounters('given', 0, one), 'querycounters, scalar')
        call check_ok(gptlquerycounters('given', 0, list), 'querycounters, rank 1')
        call check_ok(gptlquerycounters('given', 0, table), 'querycounters, rank 2')
        call check_that(one == 7 .and. all(list == 7) .and. all(deep == 7) .and. all(given == 7), &
                        'no counters are written')
    end subroutine

    subroutine thread_regions()
        call check_ok(gptlstart_threadohd_outer(), 'start outer')
        call check_ok(gptlstart_threadohd_inner(), 'start inner')
        call check_ok(gptlstop_threadohd_inner(), 'stop inner')
        call check_ok(gptlstop_threadohd_outer(), 'stop outer')
        call check_int(count_of('threadohd_outer', 0), 1, 'calls of outer')
        call check_int(count_of('threadohd_inner', 0), 1, 'calls of inner')
    end subroutine

    subroutine print_mode()
        call check_int(gptlprint_mode_query(), GPTLprint_write, 'mode at first')
        call check_ok(gptlprint_mode_set(GPTLprint_append), 'append')
        call check_int(gptlprint_mode_query(), GPTLprint_append, 'mode')
        call check_int(gptlpr_query_append(), 1, 'append by its other name')
        call check_ok(gptlpr_set_write(), 'write')
        call check_int(gptlprint_mode_query(), GPTLprint_write, 'mode by its other name')
        call check_error(gptlprint_mode_set(0), 'no mode')
        call check_error(gptlprint_mode_set(mode=3), 'no mode either')
        call check_int(gptlprint_mode_query(), 1, 'mode after errors')
        call check_ok(gptlfinalize(), 'finalize')
        call check_ok(gptlsetoption(GPTLprint_mode, GPTLprint_append), 'option print_mode')
        call check_int(gptlprint_mode_query(), GPTLprint_append, 'mode by option')
        call check_error(gptlsetoption(GPTLprint_mode, 0), 'a value that it cannot have')
        call check_ok(gptlinitialize(), 'initialize')
        call check_error(gptlsetoption(GPTLprint_mode, GPTLprint_write), 'after initialize')
    end subroutine

    ! Each stop that crosses others counts once.
    subroutine warnings()
        integer :: before
        before = gptlnum_warn()
        call pair_of('x')
        call check_int(gptlnum_warn() - before, 0, 'warnings of stops in order')
        call start_three()
        call check_ok(gptlstop('a'), 'stop a')
        call check_ok(gptlstop('b'), 'stop b')
        call check_ok(gptlstop('c'), 'stop c')
        call check_int(gptlnum_warn() - before, 2, 'warnings of a, b, c stopped in this order')
        call start_three()
        call check_ok(gptlstop('a'), 'stop a')
        call check_ok(gptlstop('c'), 'stop c')
        call check_ok(gptlstop('b'), 'stop b')
        call check_int(gptlnum_warn() - before, 3, 'warnings of a, c, b')
        call check_ok(gptlfinalize(), 'finalize')
    end subroutine

    subroutine start_three()
        call check_ok(gptlstart('a'), 'start a')
        call check_ok(gptlstart('b'), 'start b')
        call check_ok(gptlstart('c'), 'start c')
    end subroutine
end program
