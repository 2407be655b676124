# Fortran tests: one word each. A program that has a twin in ctests/ has its name.
#
#   fortran_tests      ftests/NAME.f90      a program that links with libgptlf and exits with 0
#   fortran_omp_tests  ftests/omp_NAME.f90  the same, compiled with OpenMP
#   fortran_scripts    ftests/NAME.sh       a script, as those of ctests/
#
# They run as those of ctests/ do. check.f90 holds the assertions.

fortran_tests = \
    ftests/handles

fortran_omp_tests =

fortran_scripts =

ftests_handles_SOURCES = ftests/handles.f90

if FORTRAN
check_PROGRAMS += $(fortran_tests)
if FORTRAN_OPENMP
check_PROGRAMS += $(fortran_omp_tests)
endif
check_LTLIBRARIES = ftests/libcheck.la
endif
ftests_libcheck_la_SOURCES = ftests/check.f90
ftests/check.lo: fortran/gptl.$(FC_MODEXT)

all_fortran_tests = $(fortran_tests) $(fortran_omp_tests)
$(all_fortran_tests): LDADD = ftests/libcheck.la libgptlf.la libgptl.la
$(all_fortran_tests): ftests/libcheck.la libgptlf.la
$(all_fortran_tests:%=%.$(OBJEXT)): ftests/libcheck.la fortran/gptl.inc
$(fortran_omp_tests): LDADD += $(OPENMP_FCFLAGS)
$(fortran_omp_tests:%=%.$(OBJEXT)): AM_FCFLAGS += $(OPENMP_FCFLAGS)
