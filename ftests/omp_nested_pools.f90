! Pools under nested OpenMP that are created and destroyed many times, also from plain threads
! with a pool each: every call is counted, and the number of slots stays small.
module pooled_calls
    use, intrinsic :: iso_c_binding, only: c_ptr
    use gptl
    use check
    implicit none
    integer, parameter :: ncalls = 20

contains

    subroutine calls()
        integer :: i
        do i = 1, ncalls
            call check_int(gptlstart('call'), 0, 'start')
            call check_int(gptlstop('call'), 0, 'stop')
        end do
    end subroutine

    function team_of_plain_thread(argument) result(returned) bind(c)
        type(c_ptr), value :: argument
        type(c_ptr) :: returned
        !$omp parallel num_threads(3)
        call calls()
        !$omp end parallel
        returned = argument
    end function

end module

program omp_nested_pools
    use, intrinsic :: iso_c_binding, only: c_ptr
    use omp_lib
    use gptl
    use check
    use plain_threads
    use pooled_calls
    implicit none

    integer, parameter :: nrounds = 60, nslots = 64
    integer :: round, outer, inner, expected
    type(c_ptr) :: thread

    call omp_set_dynamic(.false.)
    call check_ok(gptlinitialize(), 'initialize')
    call omp_set_max_active_levels(2)
    expected = 0
    do round = 0, nrounds - 1
        outer = 1 + mod(round, 3)
        inner = 1 + mod(round, 4)
        !$omp parallel num_threads(outer)
        !$omp parallel num_threads(inner)
        call calls()
        !$omp end parallel
        !$omp end parallel
        expected = expected + outer*inner*ncalls
        if (mod(round, 10) == 0) then
            call start_thread(thread, team_of_plain_thread)
            call join_thread(thread)
            expected = expected + 3*ncalls
        end if
    end do
    call check_int(calls_in_all('call', nslots), expected, 'calls of call')
    call check_int(calls_in_all('call', 32), expected, 'calls of call on the first threads')
    call check_that(calls_in_all('call', 5) < expected, 'it takes more than five threads')
    call check_ok(gptlfinalize(), 'finalize')
end program
