! Calls of each class, by one of the bindings; ftests/mpi_calls.sh contains their numbers and bytes.
! Two processes.
#include "mpi_binding.h"
program mpi_calls
    MODULE_
    use iso_c_binding, only: c_ptr
    implicit none
    INCLUDE_
    integer, parameter :: n = 6
    integer :: rank, other, i, done, ierr, count, index, indices(4), none(0)
    integer :: a(n), b(n), c(2 * n), counts(0:1), places(0:1)
    integer(kind=MPI_ADDRESS_KIND) :: bytes, at
    logical :: flag
#ifdef USE_F08
    type(c_ptr) :: memory
#else
    integer(kind=MPI_ADDRESS_KIND) :: memory
#endif
    STATUS_(status)
    STATUSES_(statuses, 4)
    REQUEST_ :: q(4)
    COMM_ :: comm
    TYPE_ :: pairs, types(0:1)
    WIN_ :: win
    FILE_ :: file

#ifdef ABSENT
    call MPI_Init()
#else
    call MPI_Init(ierr)
#endif
    comm = MPI_COMM_WORLD
    call MPI_Comm_rank(comm, rank E_)
    other = 1 - rank
    a = rank + 1

    ! Messages: the received data counts, even if the buffer is larger.
    if (rank == 0) then
        call MPI_Send(a, 5, MPI_INTEGER, other, 1, comm E_)
        call MPI_Ssend(a, 2, MPI_INTEGER, other, 2, comm E_)
        call MPI_Recv(b, n, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE E_)
    else
        call MPI_Recv(b, n, MPI_INTEGER, other, 1, comm, status E_)
        call MPI_Get_count(status, MPI_INTEGER, count E_)
        if (count /= 5 .or. SOURCE_(status) /= 0 .or. TAG_(status) /= 1) error stop 1
        call MPI_Recv(b, n, MPI_INTEGER, other, 2, comm, MPI_STATUS_IGNORE E_)
        call MPI_Send(a, 3, MPI_INTEGER, other, 3, comm E_)
    end if
    call MPI_Send(a, n, MPI_INTEGER, MPI_PROC_NULL, 1, comm E_)
    call MPI_Sendrecv(a, 4, MPI_INTEGER, other, 4, b, n, MPI_INTEGER, other, 4, comm, &
        MPI_STATUS_IGNORE E_)
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, pairs E_)
    call MPI_Type_commit(pairs E_)
    call MPI_Sendrecv_replace(a, 1, pairs, other, 5, other, 5, comm, status E_)
    a = rank + 1

    ! Requests: each receive counts where it was posted, for any completing call.
    call MPI_Irecv(b, n, MPI_INTEGER, other, 6, comm, q(1) E_)
    call MPI_Isend(a, 3, MPI_INTEGER, other, 6, comm, q(2) E_)
    call MPI_Waitall(2, q, MPI_STATUSES_IGNORE E_)
    call MPI_Irecv(b, n, MPI_INTEGER, other, 7, comm, q(1) E_)
    call MPI_Send(a, 2, MPI_INTEGER, other, 7, comm E_)
    call MPI_Wait(q(1), MPI_STATUS_IGNORE E_)
    call MPI_Irecv(b, n, MPI_INTEGER, other, 8, comm, q(1) E_)
    call MPI_Send(a, 1, MPI_INTEGER, other, 8, comm E_)
    flag = .false.
    do while (.not. flag)
        call MPI_Test(q(1), flag, status E_)
    end do
    q = MPI_REQUEST_NULL
    call MPI_Irecv(b, n, MPI_INTEGER, other, 9, comm, q(3) E_)
    call MPI_Send(a, 4, MPI_INTEGER, other, 9, comm E_)
    call MPI_Waitany(4, q, index, MPI_STATUS_IGNORE E_)
    if (index /= 3 .and. index /= 2) error stop 2 ! MPICH 4.0 numbers from 0 in mpi_f08
    call MPI_Irecv(b, n, MPI_INTEGER, other, 10, comm, q(2) E_)
    call MPI_Irecv(c, n, MPI_INTEGER, other, 11, comm, q(4) E_)
    call MPI_Send(a, 1, MPI_INTEGER, other, 10, comm E_)
    call MPI_Send(a, 2, MPI_INTEGER, other, 11, comm E_)
    done = 0
    do while (done < 2)
        call MPI_Waitsome(4, q, count, indices, MPI_STATUSES_IGNORE E_)
        do i = 1, count
            if (indices(i) < 1 .or. indices(i) > 4) error stop 3
        end do
        done = done + count
    end do
    call MPI_Recv_init(b, n, MPI_INTEGER, other, 12, comm, q(1) E_)
    call MPI_Send_init(a, 3, MPI_INTEGER, other, 12, comm, q(2) E_)
    do i = 1, 3
        call MPI_Startall(2, q E_)
        call MPI_Waitall(2, q, statuses E_)
    end do
    call MPI_Start(q(1) E_)
    call MPI_Start(q(2) E_)
    call MPI_Waitall(2, q, MPI_STATUSES_IGNORE E_)
    call MPI_Request_free(q(1) E_)
    call MPI_Request_free(q(2) E_)
    call MPI_Irecv(b, n, MPI_INTEGER, MPI_ANY_SOURCE, 99, comm, q(1) E_)
    call MPI_Cancel(q(1) E_)
    call MPI_Wait(q(1), status E_)

    ! Collectives, with MPI_IN_PLACE and without.
    call MPI_Barrier(comm E_)
    call MPI_Bcast(a, 2, MPI_INTEGER, 0, comm E_)
    call MPI_Allreduce(a, b, 3, MPI_INTEGER, MPI_SUM, comm E_)
    call MPI_Allreduce(MPI_IN_PLACE, b, 3, MPI_INTEGER, MPI_SUM, comm E_)
    call MPI_Reduce(a, b, 2, MPI_INTEGER, MPI_SUM, 1, comm E_)
    call MPI_Gather(a, 1, MPI_INTEGER, b, 1, MPI_INTEGER, 0, comm E_)
    call MPI_Allgather(a, 2, MPI_INTEGER, c, 2, MPI_INTEGER, comm E_)
    c = rank
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, c, 2, MPI_INTEGER, comm E_)
    if (c(1) /= 0 .or. c(3) /= 1) error stop 4
    counts = (/ 1, 2 /)
    places = (/ 0, 1 /)
    call MPI_Allgatherv(a, counts(rank), MPI_INTEGER, c, counts, places, MPI_INTEGER, comm E_)
    counts = 2
    places = (/ 0, 2 /)
    call MPI_Alltoallv(a, counts, places, MPI_INTEGER, c, counts, places, MPI_INTEGER, comm E_)
    call MPI_Alltoallv(MPI_IN_PLACE, none, none, MPI_INTEGER, c, counts, places, MPI_INTEGER, comm E_)
    types = MPI_INTEGER
    places = (/ 0, 8 /)
    call MPI_Alltoallw(a, counts, places, types, c, counts, places, types, comm E_)
    call MPI_Alltoallw(MPI_IN_PLACE, none, none, types, c, counts, places, types, comm E_)
    call MPI_Iallreduce(MPI_IN_PLACE, b, 1, MPI_INTEGER, MPI_MAX, comm, q(1) E_)
    call MPI_Wait(q(1), MPI_STATUS_IGNORE E_)

    ! Windows and files.
    bytes = 4 * n
    call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, comm, memory, win E_)
    at = 0
    call MPI_Win_fence(0, win E_)
    call MPI_Put(a, 2, MPI_INTEGER, other, at, 2, MPI_INTEGER, win E_)
    call MPI_Win_fence(0, win E_)
    call MPI_Get(b, 3, MPI_INTEGER, other, at, 3, MPI_INTEGER, win E_)
    call MPI_Win_fence(0, win E_)
    call MPI_Win_free(win E_)
    call MPI_File_open(MPI_COMM_SELF, 'file'//achar(48 + rank), MPI_MODE_CREATE + MPI_MODE_RDWR, &
        MPI_INFO_NULL, file E_)
    call MPI_File_write(file, a, 5, MPI_INTEGER, MPI_STATUS_IGNORE E_)
    call MPI_File_read_at(file, 8_MPI_OFFSET_KIND, b, n, MPI_INTEGER, MPI_STATUS_IGNORE E_)
    call MPI_File_close(file E_)

    ! Calls that move no data, and functions with a result.
    call MPI_Comm_get_attr(comm, MPI_TAG_UB, at, flag E_)
    if (.not. flag) error stop 5
    call MPI_Type_free(pairs E_)
    if (MPI_Wtime() < 0) error stop 6
#ifdef ABSENT
    call MPI_Finalize()
#else
    call MPI_Finalize(ierr)
#endif
end program mpi_calls
