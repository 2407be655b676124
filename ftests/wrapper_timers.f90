! wrapper_timers.f90 - timers of a model, on top of gptl.inc, as in climate models: names are character(len=*)
! of any length with trailing blanks; handles are kept in 8 bytes; this module decides detail levels, nested
! disabling and files.
module timers
    implicit none
    private
    include 'gptl.inc'

    public :: t_initf, t_finalizef, t_startf, t_stopf, t_startstop_valsf, t_enablef, t_disablef
    public :: t_adj_detailf, t_prefix_set, t_prefix_setf, t_prefix_unset, t_stampf, t_barrierf
    public :: t_prf, t_nfailed

    ! Group &timers of the model's namelist file.
    logical :: measure, single, barriers, overhead
    integer :: detail_limit, depth_limit
    character(len=16) :: method

    integer :: comm = 0, detail = 0, ndisabled = 0, nprinted = 0, nfailed = 0
    logical :: is_master = .false., is_on = .false.

contains

    ! Every failed call is counted, as models would log it.
    subroutine note(ret)
        integer, intent(in) :: ret
        if (ret /= 0) nfailed = nfailed + 1
    end subroutine

    integer function t_nfailed()
        t_nfailed = nfailed
    end function

    ! ---- On and off ---------------------------------------------------------

    subroutine t_initf(file, communicator, masterproc)
        character(len=*), intent(in) :: file
        integer, intent(in) :: communicator
        logical, intent(in) :: masterproc
        comm = communicator
        is_master = masterproc
        detail = 0
        ndisabled = 0
        nprinted = 0
        nfailed = 0
        call read_namelist(file)
        is_on = measure
        if (.not. is_on) return
        call set(gptlwall, .true.)
        call set(gptloverhead, overhead)
        call set(gptldopr_memusage, .false.)
        if (depth_limit > 0) call note(gptlsetoption(gptldepthlimit, depth_limit))
        if (method == 'full_tree') call note(gptlsetoption(gptlprint_method, gptlfull_tree))
        call note(gptlsetutr(gptlclockgettime))
        call note(gptlinitialize())
    end subroutine

    subroutine set(option, on)
        integer, intent(in) :: option
        logical, intent(in) :: on
        call note(gptlsetoption(option, merge(1, 0, on)))
    end subroutine

    subroutine read_namelist(file)
        character(len=*), intent(in) :: file
        integer :: unit, status
        logical :: there
        namelist /timers/ measure, single, barriers, overhead, detail_limit, depth_limit, method
        measure = .true.
        single = .false.
        barriers = .true.
        overhead = .false.
        detail_limit = 1
        depth_limit = 0
        method = ' '
        inquire (file=file, exist=there)
        if (.not. there) return
        open (newunit=unit, file=file, action='read', status='old')
        read (unit, nml=timers, iostat=status)
        close (unit)
        call note(status)
    end subroutine

    subroutine t_finalizef()
        if (.not. is_on) return
        call note(gptlfinalize())
        is_on = .false.
    end subroutine

    ! They nest: the second call enables a region that was disabled twice.
    subroutine t_disablef()
        if (.not. is_on) return
        if (ndisabled == 0) call note(gptldisable())
        ndisabled = ndisabled + 1
    end subroutine

    subroutine t_enablef()
        if (.not. is_on .or. ndisabled == 0) return
        ndisabled = ndisabled - 1
        if (ndisabled == 0) call note(gptlenable())
    end subroutine

    ! ---- Regions ------------------------------------------------------------

    ! Regions of a level above the limit are not measured.
    subroutine t_adj_detailf(change)
        integer, intent(in) :: change
        detail = detail + change
    end subroutine

    logical function is_skipped()
        is_skipped = .not. is_on .or. detail > detail_limit
    end function

    subroutine t_startf(event, handle)
        character(len=*), intent(in) :: event
        integer*8, intent(inout), optional :: handle
        if (is_skipped()) return
        if (present(handle)) then
            call note(gptlstart_handle(event(1:len_trim(event)), handle))
        else
            call note(gptlstart(trim(event)//char(0)))
        end if
    end subroutine

    subroutine t_stopf(event, handle)
        character(len=*), intent(in) :: event
        integer*8, intent(inout), optional :: handle
        if (is_skipped()) return
        if (present(handle)) then
            call note(gptlstopf_handle(event, len_trim(event), handle))
        else
            call note(gptlstop(event))
        end if
    end subroutine

    subroutine t_startstop_valsf(event, seconds, calls)
        character(len=*), intent(in) :: event
        real*8, intent(in) :: seconds
        integer, intent(in), optional :: calls
        if (is_skipped()) return
        if (present(calls)) then
            call note(gptlstartstop_valsf(event, len_trim(event), seconds, calls))
        else
            call note(gptlstartstop_val(event(1:len_trim(event)), seconds))
        end if
    end subroutine

    subroutine t_prefix_set(prefix)
        character(len=*), intent(in) :: prefix
        if (is_on) call note(gptlprefix_set(trim(prefix)//char(0)))
    end subroutine

    subroutine t_prefix_setf(prefix)
        character(len=*), intent(in) :: prefix
        if (is_on) call note(gptlprefix_setf(prefix, len_trim(prefix)))
    end subroutine

    subroutine t_prefix_unset()
        if (is_on) call note(gptlprefix_unset())
    end subroutine

    subroutine t_barrierf(event)
        character(len=*), intent(in) :: event
        if (is_skipped() .or. .not. barriers) return
        if (gptlbarrier(comm, event(1:len_trim(event))) /= -1) nfailed = nfailed + 1
    end subroutine

    subroutine t_stampf(wall, usr, sys)
        real*8, intent(out) :: wall, usr, sys
        wall = 0
        usr = 0
        sys = 0
        if (is_on) call note(gptlstamp(wall, usr, sys))
    end subroutine

    ! ---- Reports ------------------------------------------------------------

    ! In a single file the reports of later calls follow the first one. Otherwise each call rewrites FILE.RANK.
    ! There is no summary without MPI.
    subroutine t_prf(file, single_file)
        character(len=*), intent(in) :: file
        logical, intent(in), optional :: single_file
        character(len=len_trim(file) + 8) :: own
        logical :: in_one
        if (.not. is_on) return
        in_one = single
        if (present(single_file)) in_one = single_file
        call t_startf('t_prf')
        if (in_one) then
            if (nprinted > 0) call appending()
            if (gptlpr_summary_file(comm, trim(file)) /= -1) nfailed = nfailed + 1
            if (is_master) call note(gptlpr_file(file))
            nprinted = nprinted + 1
        else
            write (own, '(a,".",i4.4)') trim(file), 0
            call note(gptlpr_file(own))
            if (gptlpr_summary_file(comm, trim(file)//'_stats'//char(0)) /= -1) nfailed = nfailed + 1
        end if
        call note(gptlpr_set_write())
        if (gptlpr_query_append() /= 0 .or. gptlpr_query_write() /= 1) nfailed = nfailed + 1
        call t_stopf('t_prf')
    end subroutine

    subroutine appending()
        if (gptlpr_query_append() /= 1) call note(gptlpr_set_append())
        if (gptlpr_query_append() /= 1 .or. gptlpr_query_write() /= 0) nfailed = nfailed + 1
    end subroutine

end module
