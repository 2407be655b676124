! Regions in a subroutine whose OpenMP constructs belong to the calling team, if there is one: each
! thread's counts are those of its share of the work.
module orphaned
    use omp_lib
    use gptl
    use check
    implicit none
    integer, parameter :: team = 4, npoints = 203

    ! The work of each thread, by its number, as the library must count it.
    integer :: points(0:team - 1) = 0, halves(0:team - 1) = 0, singles(0:team - 1) = 0

contains

    subroutine sweep()
        integer :: i, me
        me = omp_get_thread_num()
        call begin('sweep')
        !$omp do schedule(static, 1)
        do i = 1, npoints
            call point(me)
        end do
        !$omp end do
        !$omp do schedule(dynamic)
        do i = 1, npoints
            call point(me)
        end do
        !$omp end do nowait
        !$omp do ordered schedule(dynamic)
        do i = 1, npoints
            !$omp ordered
            call point(me)
            !$omp end ordered
        end do
        !$omp end do
        !$omp sections
        !$omp section
        call half('left', me)
        !$omp section
        call half('right', me)
        !$omp end sections
        !$omp single
        call begin('single')
        singles(me) = singles(me) + 1
        call end('single')
        !$omp end single
        if (me == 0) then ! the construct was renamed: no spelling suits all releases of OpenMP
            call begin('master')
            call end('master')
        end if
        !$omp critical
        call begin('critical')
        call end('critical')
        !$omp end critical
        call end('sweep')
    end subroutine

    subroutine point(me)
        integer, intent(in) :: me
        call begin('point')
        points(me) = points(me) + 1
        call end('point')
    end subroutine

    subroutine half(name, me)
        character(len=*), intent(in) :: name
        integer, intent(in) :: me
        call begin(name)
        halves(me) = halves(me) + 1
        call end(name)
    end subroutine

    subroutine begin(name)
        character(len=*), intent(in) :: name
        call check_int(gptlstart(name), 0, 'start '//name)
    end subroutine

    subroutine end(name)
        character(len=*), intent(in) :: name
        call check_int(gptlstop(name), 0, 'stop '//name)
    end subroutine

end module

program omp_orphaned
    use omp_lib
    use gptl
    use check
    use orphaned
    implicit none
    integer, parameter :: nslots = 16
    integer :: round

    call omp_set_dynamic(.false.)
    call check_ok(gptlinitialize(), 'initialize')
    call begin('program')

    ! Outside of a parallel region all work belongs to this thread.
    call sweep()
    call check_int(points(0), 3*npoints, 'points of the only thread')
    call check_counts(1, sweeps=1)

    do round = 1, 5
        !$omp parallel num_threads(team)
        call sweep()
        !$omp end parallel
        call check_counts(team, sweeps=round)
    end do

    ! In a team within a team as well.
    call omp_set_max_active_levels(2)
    !$omp parallel num_threads(1)
    !$omp parallel num_threads(team)
    call sweep()
    !$omp end parallel
    !$omp end parallel
    call check_int(calls_in_all('point', nslots), 7*3*npoints, 'calls of point')
    call check_int(calls_in_all('sweep', nslots), 1 + 6*team, 'calls of sweep')
    call end('program')
    call check_int(calls_in_all('program', nslots), 1, 'calls of program')
    call check_int(count_of('program', 0), 1, 'calls of program on thread 0')
    call check_ok(gptlfinalize(), 'finalize')

contains

    ! SWEEPS: of each thread; the first thread made one alone before, if there is a team.
    subroutine check_counts(nthreads, sweeps)
        integer, intent(in) :: nthreads, sweeps
        integer :: t, alone
        do t = 0, nthreads - 1
            alone = merge(1, 0, t == 0 .and. nthreads > 1)
            call check_int(count_of('sweep', t), sweeps + alone, 'calls of sweep')
            call check_int(count_of('critical', t), sweeps + alone, 'calls of critical')
            call check_int(count_of('point', t), points(t), 'calls of point')
            call check_that(points(t) >= sweeps*(npoints/nthreads), 'a static share')
            call check_int(known('left', t) + known('right', t), halves(t), 'calls of the halves')
            call check_int(known('single', t), singles(t), 'calls of single')
            call check_int(known('master', t), merge(sweeps + alone, 0, t == 0), 'calls of master')
        end do
    end subroutine

    ! Calls of a region that this thread may never have started.
    integer function known(name, t)
        character(len=*), intent(in) :: name
        integer, intent(in) :: t
        known = calls_in_all(name, t + 1) - calls_in_all(name, t)
    end function

end program
