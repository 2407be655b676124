! Writes and reads an array through PnetCDF's functions for Fortran: 800 bytes each way. Their module may
! belong to another compiler, so they are declared here.
program pnetcdf_fortran
  use mpi
  implicit none
  integer, external :: nfmpi_create, nfmpi_def_dim, nfmpi_def_var, nfmpi_enddef, nfmpi_close
  integer, external :: nfmpi_put_vara_double_all, nfmpi_get_vara_double_all
  integer, parameter :: clobber = 0, double = 6
  integer :: error, file, dimension(1), variable
  double precision :: values(100)
  integer(kind=MPI_OFFSET_KIND) :: first(1), count(1)
  first = 1
  count = 100
  values = 3
  call MPI_Init(error)
  error = nfmpi_create(MPI_COMM_WORLD, "fortran.nc", clobber, MPI_INFO_NULL, file)
  error = nfmpi_def_dim(file, "x", count(1), dimension(1))
  error = nfmpi_def_var(file, "values", double, 1, dimension, variable)
  error = nfmpi_enddef(file)
  error = nfmpi_put_vara_double_all(file, variable, first, count, values)
  if (error /= 0) stop 1
  error = nfmpi_get_vara_double_all(file, variable, first, count, values)
  if (error /= 0) stop 1
  error = nfmpi_close(file)
  call MPI_Finalize(error)
end program
