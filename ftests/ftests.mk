# Fortran tests: one word each. A program that has a counterpart in ctests/ has its name.
#
#   fortran_tests      ftests/NAME.f90      a program with the module gptl that exits with 0
#   fortran_omp_tests  ftests/omp_NAME.f90  the same, compiled with OpenMP
#   fortran_scripts    ftests/NAME.sh       a script, as in ctests/
#   fortran_packaging_scripts               the same, about built and installed files
#
# They run like the tests in ctests/. check.f90 contains the assertions, files.f90 and
# tables.f90 the readers of reports.

fortran_tests = \
    ftests/clocks \
    ftests/crossed \
    ftests/disable \
    ftests/errors \
    ftests/events \
    ftests/handles \
    ftests/include_free_form \
    ftests/initialize_and_finalize \
    ftests/marks \
    ftests/module_calls \
    ftests/names_by_length \
    ftests/names_in_reused_buffer \
    ftests/names_of_any_content \
    ftests/names_of_negative_length \
    ftests/names_with_blank_at_end \
    ftests/options \
    ftests/prefix \
    ftests/print_options \
    ftests/query \
    ftests/recursion_deep \
    ftests/report_output \
    ftests/reset \
    ftests/stamp \
    ftests/startstop_val \
    ftests/wrapper_module

fortran_omp_tests = \
    ftests/omp_nested_pools \
    ftests/omp_numbers \
    ftests/omp_orphaned \
    ftests/omp_tasks

fortran_scripts = \
    ftests/include_fixed_form.sh \
    ftests/mixed_languages.sh \
    ftests/mpi_calls.sh \
    ftests/mpi_iostack.sh \
    ftests/mpi_notes.sh \
    ftests/mpi_sentinels.sh \
    ftests/mpi_trace.sh \
    ftests/namelist.sh \
    ftests/option_numbers.sh \
    ftests/omptest.sh

fortran_packaging_scripts = \
    ftests/install_fortran.sh \
    ftests/interface.sh

EXTRA_DIST += examples/omptest.f90 ftests/mpi_flib.sh ftests/programs

ftests_clocks_SOURCES = ftests/clocks.f90
ftests_crossed_SOURCES = ftests/crossed.f90
ftests_disable_SOURCES = ftests/disable.f90
ftests_errors_SOURCES = ftests/errors.f90
ftests_events_SOURCES = ftests/events.f90
ftests_handles_SOURCES = ftests/handles.f90
ftests_include_free_form_SOURCES = ftests/include_free_form.f90
ftests_initialize_and_finalize_SOURCES = ftests/initialize_and_finalize.f90
ftests_marks_SOURCES = ftests/marks.f90
ftests_module_calls_SOURCES = ftests/module_calls.f90
ftests_names_by_length_SOURCES = ftests/names_by_length.f90
ftests_names_in_reused_buffer_SOURCES = ftests/names_in_reused_buffer.f90
ftests_names_of_any_content_SOURCES = ftests/names_of_any_content.f90
ftests_names_of_negative_length_SOURCES = ftests/names_of_negative_length.f90
ftests_names_with_blank_at_end_SOURCES = ftests/names_with_blank_at_end.f90
ftests_omp_nested_pools_SOURCES = ftests/omp_nested_pools.f90
ftests_omp_numbers_SOURCES = ftests/omp_numbers.f90
ftests_omp_orphaned_SOURCES = ftests/omp_orphaned.f90
ftests_omp_tasks_SOURCES = ftests/omp_tasks.f90
ftests_options_SOURCES = ftests/options.f90
ftests_prefix_SOURCES = ftests/prefix.f90
ftests_print_options_SOURCES = ftests/print_options.f90
ftests_query_SOURCES = ftests/query.f90
ftests_recursion_deep_SOURCES = ftests/recursion_deep.f90
ftests_report_output_SOURCES = ftests/report_output.f90
ftests_reset_SOURCES = ftests/reset.f90
ftests_stamp_SOURCES = ftests/stamp.f90
ftests_startstop_val_SOURCES = ftests/startstop_val.f90
ftests_wrapper_module_SOURCES = ftests/wrapper_module.f90 ftests/wrapper_timers.f90

if FORTRAN
check_PROGRAMS += $(fortran_tests)
if FORTRAN_OPENMP
check_PROGRAMS += $(fortran_omp_tests)
endif
check_LTLIBRARIES = ftests/libcheck.la
endif
ftests_libcheck_la_SOURCES = \
    ftests/check.f90 ftests/files.f90 ftests/plain_threads.f90 ftests/tables.f90
ftests/check.lo: fortran/gptl.$(FC_MODEXT)
ftests/files.lo ftests/plain_threads.lo: ftests/check.lo
ftests/tables.lo: ftests/files.lo
ftests/wrapper_module.$(OBJEXT): ftests/wrapper_timers.$(OBJEXT)
ftests/wrapper_timers.$(OBJEXT): fortran/gptl.inc

all_fortran_tests = $(fortran_tests) $(fortran_omp_tests)
$(all_fortran_tests): LDADD = ftests/libcheck.la libgptl.la
$(all_fortran_tests): ftests/libcheck.la libgptl.la
$(all_fortran_tests:%=%.$(OBJEXT)): ftests/libcheck.la fortran/gptl.inc
$(fortran_omp_tests): LDADD += $(OPENMP_FCFLAGS)
$(fortran_omp_tests:%=%.$(OBJEXT)): AM_FCFLAGS += $(OPENMP_FCFLAGS)
