! plain_threads.f90 - threads that OpenMP does not know of.
module plain_threads
    use, intrinsic :: iso_c_binding, only: c_int, c_ptr, c_funptr, c_null_ptr, c_funloc
    use check
    implicit none
    private
    public :: start_thread, join_thread

    ! A pthread_t is as large as a pointer.
    interface
        function pthread_create(thread, attributes, body, argument) result(ret) bind(c)
            import
            type(c_ptr), intent(out) :: thread
            type(c_ptr), value :: attributes, argument
            type(c_funptr), value :: body
            integer(c_int) :: ret
        end function
        function pthread_join(thread, returned) result(ret) bind(c)
            import
            type(c_ptr), value :: thread, returned
            integer(c_int) :: ret
        end function
    end interface

contains

    subroutine start_thread(thread, body)
        type(c_ptr), intent(out) :: thread
        interface
            function body(argument) result(returned) bind(c)
                import c_ptr
                type(c_ptr), value :: argument
                type(c_ptr) :: returned
            end function
        end interface
        call check_int(pthread_create(thread, c_null_ptr, c_funloc(body), c_null_ptr), 0, &
                       'pthread_create')
    end subroutine

    subroutine join_thread(thread)
        type(c_ptr), intent(in) :: thread
        call check_int(pthread_join(thread, c_null_ptr), 0, 'pthread_join')
    end subroutine

end module
