! One variable holds one name after another: each call counts under its current content, not under
! the name known at its address.
program names_in_reused_buffer
    use gptl
    use check
    implicit none
    integer, parameter :: names = 300, rounds = 20
    integer, parameter :: lengths(11) = [1, 3, 6, 7, 8, 9, 14, 15, 16, 17, 64]
    character(len=*), parameter :: digits = '0123456789abcdef'
    integer :: i

    call check_ok(gptlinitialize(), 'initialize')
    call in_turn('', '(a,i0)')
    call in_turn('n', '(a,i7.7)') ! 8 characters
    call in_turn(digits(1:7), '(a,i0)')
    call in_turn(digits(1:13), '(a,i0)')
    call in_turn(digits, '(a,i0)') ! equal first 16
    call in_turn(digits//digits, '(a,i0)') ! and 32
    call in_turn(digits//digits//digits//digits, '(a,i0)') ! and 64
    do i = 1, size(lengths)
        call changed_while_open(lengths(i))
    end do
    call same_name_at_three_addresses()
    call check_ok(gptlfinalize(), 'finalize')

contains

    subroutine in_turn(beginning, form)
        character(len=*), intent(in) :: beginning, form
        character(len=128) :: buffer
        integer :: round, i
        do round = 1, rounds
            do i = 1, names
                write (buffer, form) beginning, i
                call check_ok(gptlstart(buffer), 'start '//buffer)
                write (buffer, form) beginning, 1000
                call check_ok(gptlstart(buffer), 'start '//buffer)
                call check_ok(gptlstop(buffer), 'stop '//buffer)
                write (buffer, form) beginning, i
                call check_ok(gptlstop(buffer), 'stop '//buffer)
            end do
        end do
        do i = 1, names
            write (buffer, form) beginning, i
            call check_int(count_of(buffer, -1), rounds, 'calls of '//buffer)
        end do
        write (buffer, form) beginning, 1000
        call check_int(count_of(buffer, -1), rounds*names, 'calls of '//buffer)
    end subroutine

    ! Changed while it is open: the stop passes another name, which is not open. A shorter name,
    ! because blanks do not count, is another one as well.
    subroutine changed_while_open(length)
        integer, intent(in) :: length
        character(len=64) :: buffer
        buffer = repeat('c', length)
        call check_ok(gptlstart(buffer), 'start of c')
        call check_ok(gptlstop(buffer), 'stop of c')
        call check_ok(gptlstart(buffer), 'start of c again')
        buffer(length:length) = 'd'
        call check_error(gptlstop(buffer), 'stop of what it was changed to')
        buffer(length:length) = ' '
        call check_error(gptlstop(buffer), 'stop of what is shorter')
        buffer(length:length) = 'c'
        call check_ok(gptlstop(buffer), 'stop of c again')
        call check_int(count_of(buffer, -1), 2, 'calls of c')
    end subroutine

    subroutine same_name_at_three_addresses()
        character(len=*), parameter :: constant = 'in_constant'
        character(len=11) :: exact = constant
        character(len=20) :: padded = constant
        integer :: i
        do i = 1, 5
            call check_ok(gptlstart(constant), 'start by a constant')
            call check_ok(gptlstop(exact), 'stop by a variable')
            call check_ok(gptlstart(exact), 'start by a variable')
            call check_ok(gptlstop(padded), 'stop by a longer one')
            call check_ok(gptlstart(padded), 'start by a longer one')
            call check_ok(gptlstop(constant), 'stop by a constant')
        end do
        call check_int(count_of(constant, -1), 15, 'calls of in_constant')
        ! Parts of it are separate names, also at its address.
        call check_ok(gptlstart(exact(4:)), 'start of the end')
        call check_ok(gptlstop('constant'), 'stop of the end')
        call check_ok(gptlstart(exact(1:2)), 'start of the beginning')
        call check_error(gptlstop(exact), 'stop of the whole')
        call check_ok(gptlstop('in'), 'stop of the beginning')
        call check_int(count_of('constant', -1), 1, 'calls of constant')
        call check_int(count_of('in', -1), 1, 'calls of in')
        call check_int(count_of(constant, -1), 15, 'calls of in_constant still')
    end subroutine

end program
