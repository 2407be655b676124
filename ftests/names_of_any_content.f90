! Names of any length and content are separate regions: their starts find them, even if others have
! the same first characters, and queries return them unchanged.
program names_of_any_content
    use gptl
    use check
    implicit none
    integer, parameter :: longest = 5000, most = 200
    integer, parameter :: lengths(18) = &
        [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, longest]
    character(len=longest) :: names(most)
    integer :: nnames = 0, i

    do i = 1, size(lengths)
        call add_alike(lengths(i))
    end do
    call add_odd()
    ! The default clock may take a shorter path than others.
    call all_of_it()
    call check_ok(gptlsetutr(GPTLclockgettime), 'another clock')
    call all_of_it()

contains

    subroutine add(name)
        character(len=*), intent(in) :: name
        nnames = nnames + 1
        call check_that(nnames <= most, 'there is room for all names')
        names(nnames) = name
    end subroutine

    ! Each is a prefix of the next.
    subroutine add_alike(n)
        integer, intent(in) :: n
        character(len=n) :: text
        text = repeat('x', n)
        call add(text)
        text(n:n) = 'y'
        call add(text)
        if (n > 1) call add('z'//text(2:n - 1)//'x')
        if (n > 2) call add(text(1:n/2)//'!'//text(n/2 + 2:))
    end subroutine

    ! UTF-8 and invalid UTF-8, control characters, quotes, and names that look like ours.
    subroutine add_odd()
        integer :: i
        do i = 1, 255
            if (i >= 128 .and. mod(i, 16) /= 15) cycle
            if (i >= 32 .and. i < 127 .and. scan(char(i), '"%&'';<>\/-0') == 0) cycle
            call add(char(i))
        end do
        call add(char(195)//char(164)//char(195)//char(182))
        call add(char(230)//char(181)//char(129)//' '//char(240)//char(159)//char(140)//char(141))
        call add('cut'//char(230)//char(181))
        call add(repeat(char(128), 8))
        call add(' a')
        call add('a a')
        call add('%s%n%d')
        call add('two'//new_line('a')//'lines')
        call add('(other)')
        call add('(paths beyond the memory budget)')
    end subroutine

    subroutine all_of_it()
        integer :: round, i
        call check_ok(gptlinitialize(), 'initialize')
        do round = 1, 5
            do i = 1, nnames
                call check_ok(gptlstart(names(i)), 'start '//names(i))
                call check_ok(gptlstop(trim(names(i))), 'stop '//names(i))
            end do
        end do
        call check_all(5)
        call all_open_at_once(nested=.true.)
        call all_open_at_once(nested=.false.)
        call check_all(7)
        call check_ok(gptlfinalize(), 'finalize')
    end subroutine

    ! Each stop finds its own, also when all are crossed.
    subroutine all_open_at_once(nested)
        logical, intent(in) :: nested
        integer :: i
        do i = 1, nnames
            call check_ok(gptlstart(names(i)), 'start '//names(i))
        end do
        do i = 1, nnames
            call check_ok(gptlstop(names(merge(nnames + 1 - i, i, nested))), 'stop of all')
        end do
    end subroutine

    ! Each name has been started CALLS times, and no other regions exist.
    subroutine check_all(calls)
        integer, intent(in) :: calls
        character(len=longest) :: name
        integer :: nregions, i
        call check_ok(gptlget_nregions(-1, nregions), 'number of regions')
        call check_int(nregions, nnames, 'number of regions')
        do i = 1, nnames
            call check_int(count_of(names(i), -1), calls, 'calls of '//trim(names(i)))
            call check_ok(gptlget_regionname(-1, i - 1, name), 'name of a region')
            call check_that(any(names(1:nnames) == name), 'there was a name '//trim(name))
        end do
    end subroutine

end program
