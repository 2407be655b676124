! mpi_notes.F90 - files and messages by mpi_f08 and by mpif.h, in two processes: mpi_notes.sh contains the
! expected statistics.
program mpi_notes
    use mpi_f08
    implicit none
    type(MPI_File) :: file
    type(MPI_Message) :: message
    type(MPI_Request) :: request
    integer :: rank, sent(10), got(10)
    character(len=30) :: name
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    sent = rank
    name = '  of both '
    call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
        MPI_INFO_NULL, file)
    call MPI_File_write_at(file, rank * 40_MPI_OFFSET_KIND, sent, 10, MPI_INTEGER, MPI_STATUS_IGNORE)
    call MPI_File_close(file)
    call MPI_Isend(sent, 5, MPI_INTEGER, 0, 3, MPI_COMM_SELF, request)
    call MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_SELF, message, MPI_STATUS_IGNORE)
    call MPI_Mrecv(got, 10, MPI_INTEGER, message, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call older(rank)
    call MPI_Finalize()
end program

subroutine older(rank)
    implicit none
    include 'mpif.h'
    integer :: rank, file, sent(10), got(10), request, status(MPI_STATUS_SIZE), error
    sent = rank
    call MPI_FILE_OPEN(MPI_COMM_SELF, 'own.'//char(48 + rank), &
        MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file, error)
    call MPI_FILE_WRITE(file, sent, 2, MPI_INTEGER, status, error)
    call MPI_FILE_CLOSE(file, error)
    call MPI_IRECV(got, 10, MPI_INTEGER, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, request, error)
    call MPI_SEND(sent, 7, MPI_INTEGER, 1 - rank, 7, MPI_COMM_WORLD, error)
    call MPI_WAIT(request, MPI_STATUS_IGNORE, error)
end subroutine
