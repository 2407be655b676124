! Prints the effect of arguments, above all of those that are special by their address. The output must
! be the same with the library and without. Two processes.
#include "mpi_binding.h"
module results
    implicit none
    integer :: rank, combined = 0, copied = 0, handled = 0
contains
    ! WHAT, and numbers, by one process after another.
    subroutine say(what, numbers)
        character(len=*), intent(in) :: what
        integer, intent(in) :: numbers(:)
        write (*, '(i0,1x,a,*(1x,i0))') rank, what, numbers
        flush (6)
    end subroutine say
end module results

program mpi_sentinels
    MODULE_
    use iso_c_binding, only: c_ptr, c_f_pointer
    use results
    implicit none
    INCLUDE_
    integer, parameter :: n = 4
    integer :: other, ierr, i, count, index, indices(2), errors(1), length, class, version(2)
    integer :: a(n), b(n), c(2 * n), counts(2), places(2), none(1), one(1), lengths(2), position
    integer(kind=MPI_ADDRESS_KIND) :: at(2), bytes, value, zero
    logical :: flag, periodic(1), weighted
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=MPI_MAX_ERROR_STRING) :: text
    character(len=20) :: small, arguments(2)
    character(len=MPI_MAX_PROCESSOR_NAME) :: host
    character :: packed(64)
#ifdef USE_F08
    type(c_ptr) :: memory
#else
    integer(kind=MPI_ADDRESS_KIND) :: memory
#endif
    STATUS_(status)
    STATUSES_(statuses, 2)
    REQUEST_ :: q(2)
    COMM_ :: comm, graph, grid, copy, half, between
    TYPE_ :: whole, types(2)
    INFO_ :: info
    FILE_ :: file
    WIN_ :: win
    OP_ :: op
    HANDLER_ :: handler
    interface
        subroutine combine(in, inout, length, type)
#ifdef USE_F08
            use mpi_f08
            use iso_c_binding, only: c_ptr
            type(c_ptr), value :: in, inout
            integer :: length
            type(MPI_Datatype) :: type
#else
            integer :: length, type
            integer :: in(length), inout(length)
#endif
        end subroutine combine
        subroutine on_error(comm, code)
#ifdef USE_F08
            use mpi_f08
            type(MPI_Comm) :: comm
#else
            integer :: comm
#endif
            integer :: code
        end subroutine on_error
    end interface

#ifdef ABSENT
    call MPI_Init()
#else
    ierr = 77
    call MPI_Init(ierr)
#endif
    comm = MPI_COMM_WORLD
    call MPI_Comm_get_parent(between E_)
    if (between /= MPI_COMM_NULL) then
        rank = 9
        call get_command_argument(1, small)
        call say('child '//trim(small), (/ command_argument_count() /))
        call MPI_Comm_disconnect(between E_)
#ifdef ABSENT
        call MPI_Finalize()
#else
        call MPI_Finalize(ierr)
#endif
        stop
    end if
    call MPI_Comm_rank(comm, rank E_)
    other = 1 - rank
    zero = 0
    call say('ierr', (/ ierr_of() /))

    ! ---- MPI_IN_PLACE ----
    a = (/ 1, 2, 3, 4 /) * (rank + 1)
    call MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_INTEGER, MPI_SUM, comm E_)
    call say('allreduce', a)
    if (rank == 0) then
        call MPI_Reduce(MPI_IN_PLACE, a, n, MPI_INTEGER, MPI_MAX, 0, comm E_)
    else
        call MPI_Reduce(a, b, n, MPI_INTEGER, MPI_MAX, 0, comm E_)
    end if
    call say('reduce', a)
    c = rank
    if (rank == 1) then
        call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, c, 2, MPI_INTEGER, 1, comm E_)
    else
        call MPI_Gather(a, 2, MPI_INTEGER, c, 2, MPI_INTEGER, 1, comm E_)
    end if
    call say('gather', c)
    if (rank == 0) then
        call MPI_Scatter(c, 2, MPI_INTEGER, MPI_IN_PLACE, 2, MPI_INTEGER, 0, comm E_)
    else
        call MPI_Scatter(c, 2, MPI_INTEGER, b, 2, MPI_INTEGER, 0, comm E_)
    end if
    call say('scatter', b(1:2 * rank))
    c = (/ (i + 10 * rank, i = 1, 2 * n) /)
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, c, n, MPI_INTEGER, comm E_)
    call say('allgather', c)
    c = (/ (i + 10 * rank, i = 1, 2 * n) /)
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, c, n, MPI_INTEGER, comm E_)
    call say('alltoall', c)
    counts = n
    places = (/ 0, n /)
    c = (/ (i + 10 * rank, i = 1, 2 * n) /)
    call MPI_Alltoallv(MPI_IN_PLACE, none, none, MPI_DATATYPE_NULL, c, counts, places, MPI_INTEGER, &
        comm E_)
    call say('alltoallv', c)
    c = (/ (i + 10 * rank, i = 1, 2 * n) /)
    types = MPI_INTEGER
    call MPI_Alltoallw(MPI_IN_PLACE, none, none, types, c, counts, 4 * places, types, comm E_)
    call say('alltoallw', c)
    call MPI_Reduce_scatter(MPI_IN_PLACE, c, counts, MPI_INTEGER, MPI_SUM, comm E_)
    call say('reduce_scatter', c(1:n))
    call MPI_Scan(MPI_IN_PLACE, a, n, MPI_INTEGER, MPI_SUM, comm E_)
    call say('scan', a)
    call MPI_Iallreduce(MPI_IN_PLACE, a, n, MPI_INTEGER, MPI_SUM, comm, q(1) E_)
    call MPI_Wait(q(1), MPI_STATUS_IGNORE E_)
    call say('iallreduce', a)

    ! ---- MPI_BOTTOM ----
    call MPI_Get_address(a, at(1) E_)
    call MPI_Get_address(b, at(2) E_)
    lengths = (/ 2, 1 /)
    call MPI_Type_create_struct(2, lengths, at, types, whole E_)
    call MPI_Type_commit(whole E_)
    b = 100 + rank
    if (rank == 0) then
        call MPI_Send(MPI_BOTTOM, 1, whole, other, 1, comm E_)
    else
        call MPI_Recv(MPI_BOTTOM, 1, whole, other, 1, comm, MPI_STATUS_IGNORE E_)
    end if
    call say('bottom', (/ a(1:2), b(1) /))
    call MPI_Bcast(MPI_BOTTOM, 1, whole, 1, comm E_)
    call say('bottom', (/ a(1:2), b(1) /))
    call MPI_Type_free(whole E_)

    ! ---- MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE, and statuses that are there ----
    call MPI_Sendrecv(a, 3, MPI_INTEGER, other, 5, b, n, MPI_INTEGER, other, 5, comm, status E_)
    call MPI_Get_count(status, MPI_INTEGER, count E_)
    call say('sendrecv', (/ SOURCE_(status), TAG_(status), count, b(1:3) /))
    call MPI_Sendrecv(a, 3, MPI_INTEGER, other, 5, b, n, MPI_INTEGER, other, 5, comm, &
        MPI_STATUS_IGNORE E_)
    call MPI_Isend(a, 2, MPI_INTEGER, other, 6, comm, q(1) E_)
    call MPI_Probe(other, 6, comm, status E_)
    call MPI_Probe(MPI_ANY_SOURCE, 6, comm, MPI_STATUS_IGNORE E_)
    call MPI_Iprobe(other, 6, comm, flag, MPI_STATUS_IGNORE E_)
    call MPI_Get_count(status, MPI_INTEGER, count E_)
    call say('probe', (/ SOURCE_(status), TAG_(status), count, number(flag) /))
    call MPI_Recv(b, n, MPI_INTEGER, other, 6, comm, MPI_STATUS_IGNORE E_)
    call MPI_Wait(q(1), MPI_STATUS_IGNORE E_)
    call say('null', (/ number(q(1) == MPI_REQUEST_NULL) /))
    do i = 1, 3
        call MPI_Irecv(b, n, MPI_INTEGER, other, 7, comm, q(1) E_)
        call MPI_Isend(a, i, MPI_INTEGER, other, 7, comm, q(2) E_)
        if (i == 1) call MPI_Waitall(2, q, MPI_STATUSES_IGNORE E_)
        if (i == 2) then
            call MPI_Waitall(2, q, statuses E_)
#ifdef USE_F08
            call MPI_Get_count(statuses(1), MPI_INTEGER, count E_)
            call say('statuses', (/ count, SOURCE_(statuses(1)), TAG_(statuses(1)) /))
#else
            call MPI_Get_count(statuses(:, 1), MPI_INTEGER, count E_)
            call say('statuses', (/ count, statuses(MPI_SOURCE, 1), statuses(MPI_TAG, 1) /))
#endif
        end if
        if (i == 3) then
            flag = .false.
            do while (.not. flag)
                call MPI_Testall(2, q, flag, MPI_STATUSES_IGNORE E_)
            end do
        end if
        call say('waited', (/ b(1:i), number(q(1) == MPI_REQUEST_NULL) /))
    end do
    q(2) = MPI_REQUEST_NULL
    call MPI_Irecv(b, n, MPI_INTEGER, other, 8, comm, q(1) E_)
    call MPI_Send(a, 1, MPI_INTEGER, other, 8, comm E_)
    call MPI_Waitany(2, q, index, MPI_STATUS_IGNORE E_)
    call say('waitany', (/ index /))
    call MPI_Waitany(2, q, index, status E_)
    call say('waitany', (/ number(index == MPI_UNDEFINED) /))
    call MPI_Irecv(b, n, MPI_INTEGER, other, 8, comm, q(2) E_)
    call MPI_Send(a, 1, MPI_INTEGER, other, 8, comm E_)
    call MPI_Waitsome(2, q, count, indices, MPI_STATUSES_IGNORE E_)
    call say('waitsome', (/ count, indices(1) /))
    call MPI_Testany(2, q, index, flag, MPI_STATUS_IGNORE E_)
    call say('testany', (/ number(index == MPI_UNDEFINED), number(flag) /))
    call MPI_Testsome(2, q, count, indices, statuses E_)
    call say('testsome', (/ number(count == MPI_UNDEFINED) /))

    ! ---- MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY ----
    one = other
    call MPI_Dist_graph_create_adjacent(comm, 1, one, MPI_UNWEIGHTED, 1, one, MPI_UNWEIGHTED, &
        MPI_INFO_NULL, .false., graph E_)
    call MPI_Dist_graph_neighbors_count(graph, i, count, weighted E_)
    call say('unweighted', (/ i, count, number(weighted) /))
    call MPI_Dist_graph_neighbors(graph, 1, b, MPI_UNWEIGHTED, 1, c, MPI_UNWEIGHTED E_)
    call say('neighbors', (/ b(1), c(1) /))
    call MPI_Neighbor_alltoall(a, 1, MPI_INTEGER, b, 1, MPI_INTEGER, graph E_)
    call say('neighbor', (/ b(1) /))
    call MPI_Comm_free(graph E_)
    if (rank == 0) then
        one = 1
        call MPI_Dist_graph_create_adjacent(comm, 0, none, MPI_WEIGHTS_EMPTY, 1, one, one, &
            MPI_INFO_NULL, .false., graph E_)
    else
        one = 0
        call MPI_Dist_graph_create_adjacent(comm, 1, one, one + 1, 0, none, MPI_WEIGHTS_EMPTY, &
            MPI_INFO_NULL, .false., graph E_)
    end if
    call MPI_Dist_graph_neighbors_count(graph, i, count, weighted E_)
    call say('empty', (/ i, count, number(weighted) /))
    call MPI_Comm_free(graph E_)
    one = rank
    counts = 1
    call MPI_Dist_graph_create(comm, 1, one, counts(1:1), (/ other /), MPI_UNWEIGHTED, MPI_INFO_NULL, &
        .false., graph E_)
    call MPI_Dist_graph_neighbors_count(graph, i, count, weighted E_)
    call say('graph', (/ i, count, number(weighted) /))
    call MPI_Comm_free(graph E_)
    periodic = .true.
    call MPI_Cart_create(comm, 1, (/ 2 /), periodic, .false., grid E_)
    call MPI_Cart_shift(grid, 0, 1, i, index E_)
    call say('grid', (/ i, index /))
    call MPI_Comm_free(grid E_)

    ! ---- Texts, with their hidden lengths ----
    call MPI_Comm_dup(comm, copy E_)
    call MPI_Comm_set_name(copy, 'a name  ' E_)
    call MPI_Comm_get_name(copy, name, length E_)
    call say('name '//name(1:length)//'|', (/ length, len_trim(name) /))
    call MPI_Info_create(info E_)
    call MPI_Info_set(info, ' key ', ' value ' E_)
    call MPI_Info_get(info, 'key', 20, small, flag E_)
    call say('info '//trim(small), (/ number(flag), len_trim(small) /))
    call MPI_Info_get_valuelen(info, 'key', length, flag E_)
    call say('length', (/ length, number(flag) /))
    call MPI_Info_get(info, 'nothing', 20, small, flag E_)
    call say('info', (/ number(flag) /))
    call MPI_Info_free(info E_)
    call MPI_Get_processor_name(host, length E_)
    call say('processor', (/ number(length > 0 .and. len_trim(host) == length) /))
    call MPI_Get_version(version(1), version(2) E_)
    call say('version', version)
    value = 0
    call MPI_Pack_external('external32', a, n, MPI_INTEGER, packed, 64_MPI_ADDRESS_KIND, value E_)
    call say('external32', (/ int(value), ichar(packed(1:8)) /))
    position = 0
    call MPI_Pack(a, n, MPI_INTEGER, packed, 64, position, comm E_)
    call say('pack', (/ position /))

    ! ---- Functions of the program's that MPI calls; errors that return ----
    call MPI_Op_create(combine, .true., op E_)
    b = (/ 1, 2, 3, 4 /) * (rank + 1)
    call MPI_Allreduce(MPI_IN_PLACE, b, n, MPI_INTEGER, op, comm E_)
    call say('operation', (/ b, number(combined > 0) /))
    call MPI_Op_free(op E_)
    call MPI_Comm_create_errhandler(on_error, handler E_)
    call MPI_Comm_set_errhandler(copy, handler E_)
    ierr = 0
    call MPI_Send(a, 1, MPI_INTEGER, 17, 1, copy E_)
    call say('handled', (/ handled /))
    call MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN E_)
    call MPI_Send(a, 1, MPI_INTEGER, 17, 1, copy E_)
    call MPI_Error_class(ierr, class E_)
#ifndef ABSENT
    call MPI_Send(a, 1, MPI_INTEGER, 17, 1, copy, ierr)
    call MPI_Error_class(ierr, class, i)
    call say('error', (/ number(class == MPI_ERR_RANK) /))
    call MPI_Error_string(MPI_ERR_RANK, text, length, ierr)
    call say('text', (/ number(length > 0), number(len_trim(text) == length), ierr /))
#endif
    call MPI_Comm_free(copy E_)

    ! ---- Attributes, windows, files, an intercommunicator ----
    call MPI_Comm_get_attr(comm, MPI_TAG_UB, value, flag E_)
    call say('attribute', (/ number(flag), number(value > 30000) /))
    call MPI_Win_allocate(16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, comm, memory, win E_)
    call MPI_Win_fence(0, win E_)
    call MPI_Put(a, 4, MPI_INTEGER, other, zero, 4, MPI_INTEGER, win E_)
    call MPI_Win_fence(0, win E_)
    call MPI_Get(b, 4, MPI_INTEGER, rank, zero, 4, MPI_INTEGER, win E_)
    call MPI_Win_fence(0, win E_)
    call say('window', b)
    call MPI_Win_free(win E_)
    call MPI_Alloc_mem(64_MPI_ADDRESS_KIND, MPI_INFO_NULL, memory E_)
    call MPI_File_open(comm, 'file', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file E_)
    call MPI_File_write_at(file, int(16 * rank, MPI_OFFSET_KIND), a, n, MPI_INTEGER, status E_)
    call MPI_Get_count(status, MPI_INTEGER, count E_)
    call MPI_File_sync(file E_)
    call MPI_Barrier(comm E_)
    call MPI_File_read_at_all(file, int(16 * other, MPI_OFFSET_KIND), b, n, MPI_INTEGER, &
        MPI_STATUS_IGNORE E_)
    call say('file', (/ count, b /))
    call MPI_File_close(file E_)
    call MPI_Comm_split(comm, rank, 0, half E_)
    call MPI_Intercomm_create(half, 0, comm, other, 3, between E_)
    call MPI_Allreduce(a, b, n, MPI_INTEGER, MPI_SUM, between E_)
    call say('between', b)
    if (rank == 0) then
        call MPI_Bcast(a, 1, MPI_INTEGER, MPI_ROOT, between E_)
    else
        call MPI_Bcast(b, 1, MPI_INTEGER, 0, between E_)
    end if
    call say('root', b(1:1))
    call MPI_Comm_free(between E_)
    call MPI_Comm_free(half E_)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, i, zero E_)
    value = 42 + rank
    call MPI_Comm_set_attr(comm, i, value E_)
    call MPI_Comm_dup(comm, copy E_)
    value = 0
    call MPI_Comm_get_attr(copy, i, value, flag E_)
    call say('copied', (/ int(value), number(flag) /))
    call MPI_Comm_free(copy E_)

    ! ---- MPI_ARGV_NULL, MPI_ERRCODES_IGNORE ----
    ! Where nothing can be started, it fails in the same way.
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN E_)
    between = MPI_COMM_NULL
    call MPI_Comm_spawn('./program', MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, comm, between, &
        MPI_ERRCODES_IGNORE E_)
    call say('spawn', (/ number(between == MPI_COMM_NULL) /))
    if (between /= MPI_COMM_NULL) call MPI_Comm_disconnect(between E_)
    between = MPI_COMM_NULL
    arguments = (/ 'an argument         ', '                    ' /)
    errors = 77
    call MPI_Comm_spawn('./program  ', arguments, 1, MPI_INFO_NULL, 1, comm, between, errors E_)
    call say('spawn', (/ number(between == MPI_COMM_NULL), errors /))
    if (between /= MPI_COMM_NULL) call MPI_Comm_disconnect(between E_)
    call say('time', (/ number(MPI_Wtime() > 0 .and. MPI_Wtick() > 0) /))
#ifdef ABSENT
    call MPI_Finalize()
#else
    ierr = 77
    call MPI_Finalize(ierr)
#endif
    call say('finalize', (/ ierr_of() /))

contains

    integer function ierr_of()
        ierr_of = 0
#ifndef ABSENT
        ierr_of = ierr
#endif
    end function ierr_of

    integer function number(what)
        logical, intent(in) :: what
        number = merge(1, 0, what)
    end function number
end program mpi_sentinels

#ifdef USE_F08
subroutine combine(in, inout, length, type)
    use mpi_f08
    use iso_c_binding, only: c_ptr, c_f_pointer
    use results
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: type
    integer, pointer :: x(:), y(:)
    call c_f_pointer(in, x, (/ length /))
    call c_f_pointer(inout, y, (/ length /))
    y = 10 * x * y
    combined = combined + 1
end subroutine combine
#else
subroutine combine(in, inout, length, type)
    use results
    integer :: length, type
    integer :: in(length), inout(length)
    inout = 10 * in * inout
    combined = combined + 1
end subroutine combine
#endif

subroutine on_error(comm, code)
#ifdef USE_F08
    use mpi_f08
#endif
    use results
    COMM_ :: comm
    integer :: code
    handled = handled + 1
end subroutine on_error
