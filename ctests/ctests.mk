# Tests: one word each.
#
#   unit_tests       ctests/unit_NAME.c   cmocka, linked with all internals
#   behaviour_tests  ctests/NAME.c        a program that links with libgptl and exits with 0
#   omp_tests        ctests/omp_NAME.c    the same, compiled with OpenMP
#   shell_tests      ctests/NAME.sh       a script, starts with `. "$srcdir/ctests/lib.sh"`
#   packaging_tests  ctests/NAME.sh       the same, about what is built and installed
#
# Each runs by itself through ctests/runtest: in a fresh directory, with a time
# limit. Exit status 0 is passed, 77 skipped.

unit_tests = \
    ctests/unit_report_file \
    ctests/unit_report_json \
    ctests/unit_report_layout \
    ctests/unit_report_memory \
    ctests/unit_report_number \
    ctests/unit_report_text

behaviour_tests = \
    ctests/report_output

omp_tests =

shell_tests = \
    ctests/json_schema.sh

packaging_tests = \
    ctests/example_heat.sh \
    ctests/exports.sh \
    ctests/headers.sh \
    ctests/include_rules.sh \
    ctests/install_c.sh \
    ctests/install_cmake.sh

check_PROGRAMS += $(behaviour_tests)
if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests)
endif
if OPENMP
check_PROGRAMS += $(omp_tests)
endif
dist_check_SCRIPTS = $(shell_tests) $(packaging_tests)
TESTS = $(check_PROGRAMS) $(dist_check_SCRIPTS)

$(unit_tests): LDADD = libgptl_internal.la $(CMOCKA_LIBS)
$(unit_tests): libgptl_internal.la
$(unit_tests:%=%.$(OBJEXT)): AM_CFLAGS += $(CMOCKA_CFLAGS)
$(omp_tests): LDADD += $(OPENMP_CFLAGS)
$(omp_tests:%=%.$(OBJEXT)): AM_CFLAGS += $(OPENMP_CFLAGS)

TEST_EXTENSIONS = .sh
LOG_COMPILER = $(SHELL) $(srcdir)/ctests/runtest
SH_LOG_COMPILER = $(LOG_COMPILER)
AM_TESTS_ENVIRONMENT = \
    srcdir='$(abs_srcdir)'; export srcdir; \
    builddir='$(abs_builddir)'; export builddir; \
    CC='$(CC)'; export CC; \
    CXX='$(CXX)'; export CXX; \
    CMAKE='$(CMAKE)'; export CMAKE; \
    PKG_CONFIG='$(PKG_CONFIG)'; export PKG_CONFIG; \
    OPENMP_CFLAGS='$(OPENMP_CFLAGS)'; export OPENMP_CFLAGS; \
    MAKE='$(MAKE)'; export MAKE; \
    libdir='$(libdir)'; export libdir; \
    bindir='$(bindir)'; export bindir; \
    enable_shared='$(enable_shared)'; export enable_shared; \
    enable_static='$(enable_static)'; export enable_static; \
    sanitize='$(enable_sanitize)'; export sanitize;

# What tests share or compare with; a folder stands for all that is in it.
EXTRA_DIST += \
    ctests/check.h ctests/exports.list ctests/fake.h ctests/golden ctests/lib.sh \
    ctests/programs.sh ctests/report_fixture.h ctests/runtest

# Parts of the check: the programs and scripts that test the library (what
# sanitizers run), the unit tests (what valgrind runs), and a distcheck that
# tests the packaging only.
check-programs:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(check_PROGRAMS) $(shell_tests)'
check-unit:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(filter $(unit_tests),$(check_PROGRAMS))'
distcheck-packaging:
	$(MAKE) $(AM_MAKEFLAGS) distcheck TESTS='$(packaging_tests)'

clean-local:
	rm -rf $(TEST_LOGS:.log=.dir)

.PHONY: check-programs check-unit distcheck-packaging
