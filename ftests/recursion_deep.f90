! Recursion 100,000 deep, of one region and of three in turn: each call is counted once.
program recursion_deep
    use gptl
    use check
    implicit none
    integer, parameter :: depth = 100000, rounds = 2
    character(len=1), parameter :: names(0:2) = ['a', 'b', 'c']
    integer :: round, i, n

    call check_ok(gptlinitialize(), 'initialize')
    do round = 1, rounds
        do i = 1, depth
            call check_ok(gptlstart('self'), 'start')
        end do
        do i = 1, depth
            call check_ok(gptlstop('self'), 'stop')
        end do
        do i = 1, depth
            call check_ok(gptlstart(names(mod(i, 3))), 'start in turn')
        end do
        do i = depth, 1, -1
            call check_ok(gptlstop(names(mod(i, 3))), 'stop in turn')
        end do
    end do
    call check_error(gptlstop('self'), 'a stop too many')
    call check_int(count_of('self', -1), rounds*depth, 'calls of self')
    do i = 0, 2
        n = count([(mod(round, 3) == i, round=1, depth)])
        call check_int(count_of(names(i), -1), rounds*n, 'calls of '//names(i))
    end do
    call check_ok(gptlget_nregions(-1, n), 'number of regions')
    call check_int(n, 4, 'number of regions')
    ! The first started one encloses the others.
    call check_that(seconds_of('b', -1) >= seconds_of('c', -1), 'b is around c')
    call check_that(seconds_of('c', -1) >= seconds_of('a', -1), 'c is around a')
    call check_ok(gptlfinalize(), 'finalize')
end program
