! The constants of MPI that are addresses, in a program that calls only functions with wrappers: the linker may
! drop all of its MPI. Each of the processes prints a line for each constant that works.
#include "mpi_binding.h"
program addresses
    MODULE_
    implicit none
    INCLUDE_
    integer :: me, np, ierr, i, lengths(1), next, before, none(1), one(1), got(2)
    integer(MPI_ADDRESS_KIND) :: places(1)
    integer, allocatable :: r(:)
    integer, volatile :: x(2)
    TYPE_ :: pair
    REQUEST_ :: requests(2)
    COMM_ :: graph
    logical :: weighted
    call mpi_init(ierr)
    call mpi_comm_rank(MPI_COMM_WORLD, me, ierr)
    call mpi_comm_size(MPI_COMM_WORLD, np, ierr)
    next = mod(me + 1, np)
    before = mod(me + np - 1, np)
    allocate (r(0:np - 1))
    r = -1
    r(me) = me
    call mpi_allgather(MPI_IN_PLACE, 1, MPI_INTEGER, r, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call say('MPI_IN_PLACE', all(r == [(i, i=0, np - 1)]))
    x = 0
    if (me == 0) x = [7, 8]
    call mpi_get_address(x, places(1), ierr)
    lengths = 2
    call mpi_type_create_hindexed(1, lengths, places, MPI_INTEGER, pair, ierr)
    call mpi_type_commit(pair, ierr)
    call mpi_bcast(MPI_BOTTOM, 1, pair, 0, MPI_COMM_WORLD, ierr)
    call say('MPI_BOTTOM', all(x == [7, 8]))
    call mpi_type_free(pair, ierr)
    call mpi_isend(me, 1, MPI_INTEGER, next, 1, MPI_COMM_WORLD, requests(1), ierr)
    call mpi_irecv(i, 1, MPI_INTEGER, before, 1, MPI_COMM_WORLD, requests(2), ierr)
    call mpi_waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    call say('MPI_STATUSES_IGNORE', i == before)
    call mpi_sendrecv(me, 1, MPI_INTEGER, next, 2, i, 1, MPI_INTEGER, before, 2, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierr)
    call say('MPI_STATUS_IGNORE', i == before)
    one = next
    none = before
    call mpi_dist_graph_create_adjacent(MPI_COMM_WORLD, 1, none, MPI_UNWEIGHTED, 1, one, MPI_UNWEIGHTED, &
                                        MPI_INFO_NULL, .false., graph, ierr)
    call mpi_dist_graph_neighbors_count(graph, got(1), got(2), weighted, ierr)
    call say('MPI_UNWEIGHTED', all(got == 1) .and. .not. weighted)
    call mpi_comm_free(graph, ierr)
    call mpi_finalize(ierr)
contains
    subroutine say(what, holds)
        character(len=*), intent(in) :: what
        logical, intent(in) :: holds
        print '(i0,1x,a,1x,l1)', me, what, holds
    end subroutine
end program
