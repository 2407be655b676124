! What differs between mpif.h, the module mpi and the module mpi_f08, for programs that are compiled with
! one of -DMPIF_H, -DUSE_MPI, -DUSE_F08; with -DABSENT no call has an ierror.
#ifdef USE_F08
#define MODULE_ use mpi_f08
#define REQUEST_ type(MPI_Request)
#define COMM_ type(MPI_Comm)
#define TYPE_ type(MPI_Datatype)
#define INFO_ type(MPI_Info)
#define FILE_ type(MPI_File)
#define WIN_ type(MPI_Win)
#define OP_ type(MPI_Op)
#define HANDLER_ type(MPI_Errhandler)
#define STATUS_(name) type(MPI_Status) :: name
#define STATUSES_(name, n) type(MPI_Status) :: name(n)
#define SOURCE_(name) name%MPI_SOURCE
#define TAG_(name) name%MPI_TAG
#else
#define REQUEST_ integer
#define COMM_ integer
#define TYPE_ integer
#define INFO_ integer
#define FILE_ integer
#define WIN_ integer
#define OP_ integer
#define HANDLER_ integer
#define STATUS_(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES_(name, n) integer :: name(MPI_STATUS_SIZE, n)
#define SOURCE_(name) name(MPI_SOURCE)
#define TAG_(name) name(MPI_TAG)
#endif
#ifdef USE_MPI
#define MODULE_ use mpi
#endif
#ifdef MPIF_H
#define MODULE_
#define INCLUDE_ include 'mpif.h'
#else
#define INCLUDE_
#endif
#ifdef ABSENT
#define E_
#else
#define E_ , ierr
#endif
