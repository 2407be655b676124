# The programs of ./dev check-pmu, which run on an emulated Arm machine: those that test the library,
# not `gptl`, and those that need its PMU. Excluded are
#   hooks_signals, signal_at_every_instruction   single steps are x86's
#   unit_noise..., unit_paths..., unit_profile_read  parts of `gptl`, not of the library
#   unit_budget, unit_throttle_error, threads_read_while_running      each takes half a minute of the emulator's
#                                                time or more; concurrent threads, which the
#                                                last one tests, do not exist there

pmu_tests = \
    ctests/pmu/pmu_avail \
    ctests/pmu/pmu_instructions \
    ctests/pmu/pmu_multiplex \
    ctests/pmu/pmu_threads

json_read_sources = postproc/read/decimal.c postproc/read/json_bytes.c postproc/read/json_read.c \
    postproc/read/progress.c
ctests_pmu_pmu_avail_SOURCES = ctests/pmu/pmu_avail.c postproc/arguments.c \
    $(json_read_sources) $(avail_sources)
ctests_pmu_pmu_instructions_SOURCES = ctests/pmu/pmu_instructions.c $(json_read_sources)
ctests_pmu_pmu_multiplex_SOURCES = ctests/pmu/pmu_multiplex.c $(json_read_sources)
ctests_pmu_pmu_threads_SOURCES = ctests/pmu/pmu_threads.c $(json_read_sources)
$(pmu_tests): LDADD = libgptl_internal.la $(LIBM)
$(pmu_tests): libgptl_internal.la

emulated_tests = $(pmu_tests) $(filter-out ctests/hooks_signals \
    ctests/signal_at_every_instruction ctests/unit_noise ctests/unit_paths \
    ctests/unit_paths_select ctests/unit_profile_read ctests/unit_budget $(rate_tests) \
    ctests/threads_read_while_running, $(check_PROGRAMS))

EXTRA_PROGRAMS += $(pmu_tests)
EXTRA_DIST += ctests/pmu/report.h ctests/pmu/emulate ctests/pmu/init ctests/pmu/packages

# ctests/pmu/packages has filled PACKAGES.
check-emulated: libgptl.la $(emulated_tests)
	$(SHELL) $(srcdir)/ctests/pmu/emulate '$(PACKAGES)' $(emulated_tests)

.PHONY: check-emulated
