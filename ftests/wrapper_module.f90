! A report of the thread sanitizer that can be ignored: it finds a lock-order inversion where
! gfortran's run-time library opens and closes a file, as a model does with its namelist.
module suppressions
    use, intrinsic :: iso_c_binding, only: c_char, c_loc, c_null_char, c_ptr
    implicit none
    character(kind=c_char, len=21), target :: text = 'deadlock:libgfortran'//c_null_char

contains

    function default_suppressions() bind(c, name='__tsan_default_suppressions') result(ret)
        type(c_ptr) :: ret
        ret = c_loc(text)
    end function

end module

! A small model that is measured through a separate module (wrapper_timers.f90): queries and reports
! contain its activity.
program wrapper_module
    use, intrinsic :: iso_c_binding, only: c_double, c_int64_t
    use gptl
    use check
    use files
    use tables
    use timers
    implicit none

    integer, parameter :: communicator = 91, nsteps = 3, nchunks = 4
    integer(c_int64_t) :: step_handle = 0, solver_handle = 0

    call put_namelist('model.nl', "detail_limit = 1, overhead = .true., method = 'full_tree'")
    call put_stale('all')
    call t_initf('model.nl', communicator, .true.)
    call check_int(gptlis_initialized(), 1, 'whether the library is on')
    call run(first_life=.true.)
    nerrors = 4 ! a barrier and three summaries, for which there is no MPI
    call check_counts()
    call t_finalizef()
    call check_int(gptlis_initialized(), 0, 'whether the library is on afterwards')
    call check_int(t_nfailed(), 0, 'calls that failed')
    call check_int(gptlnum_errors(), nerrors, 'errors of the library')
    call check_appended()
    call check_single()

    ! Another one in the same process: all levels, barriers off, separate files.
    call put_namelist('model.nl', 'detail_limit = 9, barriers = F, depth_limit = 3')
    call t_initf('model.nl', communicator, .false.)
    call run(first_life=.false.)
    call t_finalizef()
    call check_int(t_nfailed(), 0, 'calls that failed in the second life')
    call check_second_life()

    ! And one that is not measured.
    call put_namelist('model.nl', 'measure = .false.')
    call t_initf('model.nl', communicator, .true.)
    call run(first_life=.true.)
    call t_finalizef()
    call check_int(t_nfailed(), 0, 'calls that failed while off')
    call check_int(gptlis_initialized(), 0, 'whether the library was turned on')
    call check_int(gptlnum_errors(), nerrors + nsteps, 'errors of the library at the end')
    call check_that(.not. exists('timing.0'), 'there is no automatic report')

contains

    ! ---- The model ----------------------------------------------------------

    subroutine run(first_life)
        logical, intent(in) :: first_life
        real(c_double) :: wall, usr, sys, wall_before, usr_before, sys_before
        integer :: i
        call t_stampf(wall_before, usr_before, sys_before)
        call t_startf('model')
        call t_startf('init')
        call spin_up()
        call t_stopf('init     ')
        do i = 1, nsteps
            call t_startf('step', step_handle)
            call atmosphere(i)
            call ocean()
            call t_startstop_valsf('forcing', 0.25d0)
            call t_stopf('step', step_handle)
            if (i == 2 .and. first_life) call t_prf('all', single_file=.true.)
            if (.not. first_life) call t_prf('run')
        end do
        call t_barrierf('barrier at the end')
        call t_stampf(wall, usr, sys)
        call check_that(wall >= wall_before .and. usr >= usr_before .and. sys >= sys_before, &
                        'stamps do not go back')
        call t_stopf('model')
        if (first_life) call t_prf('all   ', single_file=.true.)
        if (first_life) call t_prf('own')
    end subroutine

    ! Disabled as a whole, and once more inside.
    subroutine spin_up()
        call t_disablef()
        call t_startf('spin-up')
        call atmosphere(0)
        call t_disablef()
        call ocean()
        call t_enablef()
        call ocean()
        call t_stopf('spin-up')
        call t_enablef()
        call t_enablef() ! one too many does nothing
        call t_startf('after spin-up')
        call t_stopf('after spin-up')
    end subroutine

    subroutine atmosphere(step)
        integer, intent(in) :: step
        character(len=20) :: name
        integer :: i
        call t_prefix_set('atm:')
        call t_startf('dynamics')
        call solver()
        call t_stopf('dynamics')
        call t_startf('physics')
        call t_adj_detailf(+1)
        do i = 1, nchunks
            write (name, '("chunk_",i2.2)') i
            call t_startf(name)
            call t_adj_detailf(+1)
            call t_startf('column')
            call t_stopf('column')
            call t_adj_detailf(-1)
            call t_stopf(name)
        end do
        call t_startstop_valsf('radiation', 0.5d0*step, 10)
        call t_adj_detailf(-1)
        call t_stopf('physics')
        call t_prefix_unset()
    end subroutine

    subroutine ocean()
        call t_prefix_setf('ocn:   ')
        call t_startf('dynamics')
        call solver()
        call solver()
        call t_stopf('dynamics')
        call t_prefix_unset()
    end subroutine

    ! One routine, one handle, two components.
    subroutine solver()
        call t_startf('solver', solver_handle)
        call t_stopf('solver', solver_handle)
    end subroutine

    ! ---- Files of the model -------------------------------------------------

    subroutine put_namelist(file, settings)
        character(len=*), intent(in) :: file, settings
        integer :: unit
        open (newunit=unit, file=file, action='write', status='replace')
        write (unit, '(a)') '&physics', ' detail_limit = 7', '/', '&timers', ' '//settings, '/'
        close (unit)
    end subroutine

    subroutine put_stale(file)
        character(len=*), intent(in) :: file
        integer :: unit
        open (newunit=unit, file=file, action='write', status='replace')
        write (unit, '(a)') 'stale'
        close (unit)
    end subroutine

    ! ---- Queries ------------------------------------------------------------

    subroutine check_counts()
        character(len=12) :: name
        integer :: i
        call check_int(count_of('model', -1), 1, 'calls of model')
        call check_int(count_of('init', -1), 1, 'calls of init')
        call check_int(count_of('step', -1), nsteps, 'calls of step')
        call check_int(count_of('after spin-up', -1), 1, 'calls of after spin-up')
        call check_int(count_of('atm:dynamics', -1), nsteps, 'calls of atm:dynamics')
        call check_int(count_of('ocn:dynamics', -1), nsteps, 'calls of ocn:dynamics')
        call check_int(count_of('atm:physics', -1), nsteps, 'calls of atm:physics')
        call check_int(count_of('atm:solver', -1), nsteps, 'calls of atm:solver')
        call check_int(count_of('ocn:solver', -1), 2*nsteps, 'calls of ocn:solver')
        call check_int(count_of('atm:radiation', -1), 10*nsteps, 'calls of atm:radiation')
        call check_int(count_of('forcing', -1), nsteps, 'calls of forcing')
        call check_int(count_of('t_prf', -1), 3, 'calls of t_prf')
        do i = 1, nchunks
            write (name, '("atm:chunk_",i2.2)') i
            call check_int(count_of(name, -1), nsteps, 'calls of '//name)
        end do
        call check_real(seconds_of('atm:radiation', -1), 3d0, 'seconds of atm:radiation')
        call check_real(seconds_of('forcing', -1), 0.75d0, 'seconds of forcing')
        call check_that(step_handle > 0 .and. solver_handle > 0 .and. &
                        step_handle /= solver_handle, 'two handles')
        call check_unknown('column')
        call check_unknown('atm:column')
        call check_unknown('spin-up')
        call check_unknown('solver')
    end subroutine

    ! Regions that were too detailed, disabled, or should have had a prefix.
    subroutine check_unknown(name)
        character(len=*), intent(in) :: name
        character(len=64) :: region
        integer :: i, n
        call check_ok(gptlget_nregions(-1, n), 'the number of regions')
        call check_that(n >= 15, 'there are regions')
        do i = 0, n - 1
            call check_ok(gptlget_regionname(-1, i, region), 'the name of a region')
            call check_that(region /= name, name//' is not known')
        end do
    end subroutine

    ! ---- Reports ------------------------------------------------------------

    integer function in_stats(file, nth, region)
        character(len=*), intent(in) :: file, region
        integer, intent(in) :: nth
        in_stats = in_table(file, 'Stats for thread 0:', nth, 'Called', region)
    end function

    ! Two calls: the report of one follows that of the other.
    subroutine check_appended()
        integer :: nth, steps
        call check_int(lines_with('all', 'stale'), 0, 'lines of an older file')
        call check_int(lines_with('all', ' summary of '), 0, 'summaries in all')
        call check_int(lines_with('all', ' profile of '), 2, 'reports in all')
        call check_int(lines_with('all', 'Stats for thread 0:'), 2, 'tables in all')
        call check_int(lines_with('all', 'Memory used by the library'), 2, 'whole reports in all')
        do nth = 1, 2
            steps = merge(2, nsteps, nth == 1)
            call check_int(in_stats('all', nth, 'step'), steps, 'step in a table')
            call check_int(in_stats('all', nth, 'ocn:solver'), 2*steps, 'ocn:solver in a table')
            call check_int(in_stats('all', nth, 'atm:chunk_04'), steps, 'a chunk in a table')
            call check_int(in_stats('all', nth, 'after spin-up'), 1, 'after spin-up in a table')
            call check_int(in_stats('all', nth, 'atm:column'), -1, 'a detail in a table')
            call check_int(in_stats('all', nth, 'solver'), -1, 'a name without prefix in a table')
            call check_int(in_stats('all', nth, 'spin-up'), -1, 'what was disabled in a table')
        end do
        call check_int(lines_with('all', 'column'), 0, 'details in all')
        call check_int(lines_with('all', 'barrier at the end'), 0, 'lines of the barrier')
    end subroutine

    subroutine check_single()
        call check_int(lines_with('own.0000', ' profile of '), 1, 'reports in own.0000')
        call check_int(in_stats('own.0000', 1, 'step'), nsteps, 'step in own.0000')
        call check_int(in_stats('own.0000', 1, 't_prf'), 2, 't_prf in own.0000, where it is open')
        call check_that(.not. exists('own_stats'), 'there is no own_stats')
    end subroutine

    ! Each report replaced the previous one; regions deeper than three levels were not measured.
    subroutine check_second_life()
        call check_int(lines_with('run.0000', ' profile of '), 1, 'reports in run.0000')
        call check_that(.not. exists('run_stats'), 'there is no run_stats')
        call check_int(in_stats('run.0000', 1, 'step'), nsteps, 'step in run.0000')
        call check_int(in_stats('run.0000', 1, 'atm:physics'), nsteps, 'level three in run.0000')
        call check_int(in_stats('run.0000', 1, 'atm:chunk_01'), -1, 'level four in run.0000')
        call check_int(in_stats('run.0000', 1, 'forcing'), nsteps, 'forcing in run.0000')
        call check_int(lines_with('run.0000', 'barrier'), 0, 'barriers that are off')
        call check_that(exists('all') .and. .not. exists('all.0000'), 'the names of the files')
    end subroutine

end program
