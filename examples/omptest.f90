! The example of the paper that GPTL comes from, as printed there: a timed section in two threads.
!
! Its regions A and B are stopped in the order in which they were started. Each has its right time.
program omptest
  implicit none
  include 'gptl.inc'                          ! Fortran GPTL include file
  integer :: ret, iter
  integer, parameter :: nompiter = 2          ! Number of OMP threads

  ret = gptlsetoption (gptlabort_on_error, 1) ! Abort on GPTL error
  ret = gptlsetoption (gptloverhead, 0)       ! Turn off overhead estimate
  ret = gptlsetutr (gptlnanotime)             ! Set underlying timer
  ret = gptlinitialize ()                     ! Initialize GPTL
  ret = gptlstart ('total')                   ! Start a timer

!$OMP PARALLEL DO PRIVATE (iter)              ! Threaded loop
  do iter=1,nompiter
    ret = gptlstart ('A')                     ! Start a timer
    ret = gptlstart ('B')                     ! Start another timer
    ret = gptlstart ('C')
    call sleep (iter)                         ! Sleep for "iter" seconds
    ret = gptlstop ('C')                      ! Stop a timer
    ret = gptlstart ('CC')
    ret = gptlstop ('CC')
    ret = gptlstop ('A')
    ret = gptlstop ('B')
  end do
  ret = gptlstop ('total')
  ret = gptlpr (0)                            ! Print timer stats
  ret = gptlfinalize ()                       ! Clean up
end program omptest
