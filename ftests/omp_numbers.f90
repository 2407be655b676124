! A thread of an OpenMP team has the team's number, a thread of a nested team a separate
! number, a plain thread the next free one; pools may shrink and grow.
module numbered_calls
    use, intrinsic :: iso_c_binding, only: c_ptr
    use gptl
    use check
    implicit none
    integer, parameter :: ncalls = 1000

contains

    subroutine calls(name)
        character(len=*), intent(in) :: name
        integer :: i
        do i = 1, ncalls
            call check_int(gptlstart(name), 0, 'start '//name)
            call check_int(gptlstop(name), 0, 'stop '//name)
        end do
    end subroutine

    function plain_calls(argument) result(returned) bind(c)
        type(c_ptr), value :: argument
        type(c_ptr) :: returned
        call calls('plain')
        returned = argument
    end function

end module

program omp_numbers
    use, intrinsic :: iso_c_binding, only: c_int, c_ptr
    use omp_lib
    use gptl
    use check
    use plain_threads
    use numbered_calls
    implicit none

    integer, parameter :: team = 4, nslots = 32

    call omp_set_dynamic(.false.)
    call check_ok(gptlinitialize(), 'initialize')
    call level_one()
    call pools_that_come_and_go()
    call beside_plain_threads()
    call nested()
    call check_ok(gptlfinalize(), 'finalize')

contains

    subroutine level_one()
        character(len=8) :: name
        integer(c_int) :: n
        integer :: t
        !$omp parallel num_threads(team) private(name)
        write (name, '("thread ",i1)') omp_get_thread_num()
        call calls(name)
        !$omp barrier
        !$omp end parallel
        do t = 0, team - 1
            write (name, '("thread ",i1)') t
            call check_int(count_of(name, t), ncalls, 'calls of '//name)
            call check_ok(gptlget_nregions(t, n), 'the number of regions')
            call check_int(n, 1, 'the number of regions of '//name)
        end do
    end subroutine

    subroutine pools_that_come_and_go()
        integer, parameter :: sizes(10) = [1, 4, 2, 3, 1, 2, 4, 4, 1, 3]
        integer :: i
        do i = 1, size(sizes)
            call omp_set_num_threads(sizes(i))
            !$omp parallel
            call calls('pool')
            !$omp end parallel
        end do
        call check_int(count_of('pool', 0), size(sizes)*ncalls, 'calls of pool on thread 0')
        call check_int(calls_in_all('pool', nslots), sum(sizes)*ncalls, 'calls of pool')
    end subroutine

    subroutine nested()
        call omp_set_max_active_levels(2)
        call check_ok(gptlreset(), 'reset')
        !$omp parallel num_threads(2)
        !$omp parallel num_threads(3)
        call calls('nested')
        !$omp end parallel
        !$omp end parallel
        call check_int(calls_in_all('nested', nslots), 6*ncalls, 'calls of nested')
    end subroutine

    subroutine beside_plain_threads()
        type(c_ptr) :: threads(2)
        integer :: i
        call check_ok(gptlreset(), 'reset')
        do i = 1, size(threads)
            call start_thread(threads(i), plain_calls)
        end do
        !$omp parallel num_threads(team)
        call calls('team')
        !$omp end parallel
        do i = 1, size(threads)
            call join_thread(threads(i))
        end do
        call check_int(calls_in_all('team', nslots), team*ncalls, 'calls of team')
        call check_int(calls_in_all('plain', nslots), 2*ncalls, 'calls of plain')
    end subroutine

end program
