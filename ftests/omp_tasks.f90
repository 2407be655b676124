! Regions in OpenMP tasks. A tied task stays on its thread, and what that thread does while the task
! waits is done when it goes on: so each task's region is counted once, wherever it ran. An untied
! task may go on elsewhere. Then its stop comes on a thread that has not started it, which is an
! error, and its start stays open: such calls have wrong times, and nothing else suffers.
!
! GNU's libgomp never moves a task that has begun, also if it is untied, and no run-time library
! moves one that gfortran compiled: that needs code such as clang makes. So the moves here are only
! those of the last part, where one task starts what another one stops.
module tasks
    use omp_lib
    use gptl
    use check
    implicit none
    integer, parameter :: team = 4, ntasks = 400, nchildren = 3, nhalves = 60
    integer, parameter :: fib_of = 14, fib_calls = 1219 ! a call of fib(n) makes 2 fib(n + 1) - 1

    integer :: failed = 0             ! stops that were errors
    integer :: moved = 0              ! times that a task was seen on another thread than before
    integer :: started = 0, stopped = 0

contains

    subroutine begin(name)
        character(len=*), intent(in) :: name
        call check_int(gptlstart(name), 0, 'start '//name)
    end subroutine

    subroutine end(name)
        character(len=*), intent(in) :: name
        call check_int(gptlstop(name), 0, 'stop '//name)
    end subroutine

    ! A stop that may come on a thread that has not started the region.
    subroutine end_somewhere(name)
        character(len=*), intent(in) :: name
        integer :: ret
        ret = gptlstop(name)
        if (ret == 0) return
        call check_int(ret, -1, 'stop '//name)
        !$omp atomic
        failed = failed + 1
    end subroutine

    ! Tasks with tasks of their own, for which they wait inside their region.
    subroutine families()
        integer :: i, j
        call begin('families')
        do i = 1, ntasks
            !$omp task private(j)
            call begin('parent')
            do j = 1, nchildren
                !$omp task
                call begin('child')
                !$omp taskyield
                call end('child')
                !$omp end task
            end do
            call begin('wait')
            !$omp taskwait
            call end('wait')
            call end('parent')
            !$omp end task
        end do
        !$omp taskwait
        call end('families')
    end subroutine

    ! Tasks that are not waited for by what made them, and one that is not deferred.
    subroutine orphans()
        integer :: i
        do i = 1, ntasks
            !$omp task
            call begin('orphan')
            !$omp task if(.false.)
            call begin('at once')
            call end('at once')
            !$omp end task
            !$omp task
            call begin('grandchild')
            call end('grandchild')
            !$omp end task
            call end('orphan')
            !$omp end task
        end do
        !$omp taskgroup
        !$omp taskloop grainsize(7)
        do i = 1, ntasks
            call begin('in a loop')
            call end('in a loop')
        end do
        !$omp end taskloop
        !$omp end taskgroup
    end subroutine

    ! A task for each call.
    recursive integer function fib(n) result(f)
        integer, intent(in) :: n
        integer :: a, b
        call begin('fib')
        f = n
        if (n > 1) then
            !$omp task shared(a)
            a = fib(n - 1)
            !$omp end task
            !$omp task shared(b)
            b = fib(n - 2)
            !$omp end task
            !$omp taskwait
            f = a + b
        end if
        call end('fib')
    end function

    ! Tasks that may go on in another thread wherever they can be suspended.
    subroutine untied_tasks()
        integer :: i, place, child_place
        do i = 1, ntasks
            !$omp task untied private(place)
            call begin('untied')
            place = omp_get_thread_num()
            !$omp taskyield
            call look_round(place)
            call begin('inside')
            !$omp task untied private(child_place)
            call begin('untied child')
            child_place = omp_get_thread_num()
            !$omp taskyield
            call look_round(child_place)
            call end_somewhere('untied child')
            !$omp end task
            !$omp taskwait
            call look_round(place)
            call end_somewhere('inside')
            !$omp taskyield
            call look_round(place)
            call end_somewhere('untied')
            !$omp end task
        end do
        !$omp taskwait
    end subroutine

    subroutine look_round(place)
        integer, intent(in) :: place
        if (place == omp_get_thread_num()) return
        !$omp atomic
        moved = moved + 1
    end subroutine

    ! One task starts what another one stops. Both wait for each other, so they are on two threads.
    subroutine halves()
        integer :: i
        do i = 1, nhalves
            !$omp task
            call begin('half')
            call set(started, i)
            call wait_for(stopped, i)
            !$omp end task
            !$omp task
            call wait_for(started, i)
            call end_somewhere('half')
            call set(stopped, i)
            !$omp end task
            !$omp taskwait
        end do
    end subroutine

    subroutine set(flag, i)
        integer, intent(inout) :: flag
        integer, intent(in) :: i
        !$omp atomic write seq_cst
        flag = i
    end subroutine

    subroutine wait_for(flag, i)
        integer, intent(inout) :: flag
        integer, intent(in) :: i
        integer :: seen
        do
            !$omp atomic read seq_cst
            seen = flag
            if (seen == i) return
        end do
    end subroutine

end module

program omp_tasks
    use omp_lib
    use gptl
    use check
    use files
    use tables
    use tasks
    implicit none
    integer :: f, made = 0

    call omp_set_dynamic(.false.)
    call check_ok(gptlinitialize(), 'initialize')
    call tied()
    call check_tied(1)
    call report('tied')
    call untied()
    call torn()
    call tied() ! all is as it was
    call check_tied(2)
    call report('all')
    call check_int(gptlfinalize(), 0, 'finalize')

contains

    subroutine tied()
        !$omp parallel num_threads(team)
        call begin('tied')
        !$omp single
        call check_int(omp_get_num_threads(), team, 'the number of threads')
        call families()
        call orphans()
        f = fib(fib_of)
        !$omp end single
        call end('tied')
        !$omp end parallel
        call check_int(f, 377, 'fib')
        made = made + team + 1 + (2 + nchildren)*ntasks + 4*ntasks + fib_calls
    end subroutine

    ! Every task is counted, whatever else has happened before.
    subroutine check_tied(times)
        integer, intent(in) :: times
        call check_int(gptlnum_errors(), failed, 'errors')
        call check_calls('tied', times*team)
        call check_calls('families', times)
        call check_calls('parent', times*ntasks)
        call check_calls('wait', times*ntasks)
        call check_calls('child', times*ntasks*nchildren)
        call check_calls('orphan', times*ntasks)
        call check_calls('at once', times*ntasks)
        call check_calls('grandchild', times*ntasks)
        call check_calls('in a loop', times*ntasks)
        call check_calls('fib', times*fib_calls)
    end subroutine

    ! What the team's threads have counted together, told by a query and in a report.
    subroutine check_calls(name, expected)
        character(len=*), intent(in) :: name
        integer, intent(in) :: expected
        integer :: t, n
        n = 0
        do t = 0, team - 1
            n = n + calls_of(name, t)
        end do
        call check_int(n, expected, 'calls of '//name)
    end subroutine

    integer function calls_of(name, t)
        character(len=*), intent(in) :: name
        integer, intent(in) :: t
        character(len=64) :: region
        integer :: i, n
        calls_of = 0
        call check_int(gptlget_nregions(t, n), 0, 'the number of regions')
        do i = 0, n - 1
            call check_int(gptlget_regionname(t, i, region), 0, 'the name of a region')
            if (region == name) call check_int(gptlget_count(name, t, calls_of), 0, 'count')
        end do
    end function

    subroutine untied()
        !$omp parallel num_threads(team)
        call begin('team of untied')
        !$omp single
        call untied_tasks()
        !$omp end single
        call end('team of untied')
        !$omp end parallel
        made = made + team + 3*ntasks
        call check_int(gptlnum_errors(), failed, 'errors with untied tasks')
        call check_that(failed <= moved, 'errors come from moves only')
        if (moved > 0) return
        call check_calls('untied', ntasks)
        call check_calls('inside', ntasks)
        call check_calls('untied child', ntasks)
    end subroutine

    subroutine torn()
        integer :: failed_before
        failed_before = failed
        !$omp parallel num_threads(team)
        call begin('team of halves')
        !$omp single
        call halves()
        !$omp end single
        call end('team of halves')
        !$omp end parallel
        made = made + team + nhalves
        call check_int(gptlnum_errors(), failed, 'errors with torn pairs')
        call check_that(failed > failed_before, 'some of them found nothing to stop')
        call check_that(failed <= failed_before + nhalves, 'none failed twice')
    end subroutine

    ! Each call that was started is in the report: it has ended, or is open.
    subroutine report(file)
        character(len=*), intent(in) :: file
        character(len=*), parameter :: names(*) = [character(len=16) :: 'tied', 'parent', 'wait', &
            'child', 'fib', 'team of untied', 'inside', 'untied', 'untied child', 'half']
        character(len=:), allocatable :: name
        integer :: t, i, calls, all_calls, open_calls
        call check_int(gptlpr_file(file), 0, 'pr_file')
        all_calls = 0
        open_calls = 0
        do t = 1, team
            calls = in_table(file, 'Stats for thread ', t, 'Called', ' ')
            call check_int(calls, number_in(file, 'Total calls ', t), 'calls in a table')
            all_calls = all_calls + calls
        end do
        do i = 1, lines_with(file, 'Regions still open in thread')
            open_calls = open_calls + in_table(file, 'Regions still open in', i, 'Calls open', ' ')
        end do
        call check_int(all_calls + open_calls, made, 'calls in the report '//file)
        if (failed == 0) call check_int(open_calls, 0, 'calls that are open')
        do i = 1, size(names)
            name = trim(names(i))
            calls = 0
            do t = 1, team
                calls = calls + max(0, in_table(file, 'Stats for thread ', t, 'Called', name))
            end do
            call check_calls(name, calls)
            ! A region that only one thread has is not in the section by threads.
            if (in_threads(file, 'Called', name, .true.) == 0) cycle
            call check_int(in_threads(file, 'Called', name, .true.), calls, 'the sum')
            call check_int(in_threads(file, 'Called', name, .false.), calls, 'the threads')
        end do
    end subroutine

    ! The number at the end of the NTH line that has TEXT.
    integer function number_in(file, text, nth)
        character(len=*), intent(in) :: file, text
        integer, intent(in) :: nth
        character(len=line_length) :: line
        integer :: n
        n = 0
        call open_lines(file)
        do while (n < nth)
            call check_that(next_line(line), 'there is one more "'//text//'"')
            if (index(line, text) == 1) n = n + 1
        end do
        call close_lines()
        read (line(index(line, '=') + 1:), *) number_in
    end function

end program
