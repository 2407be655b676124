# What ./dev check-pmu runs on an emulated Arm machine: the programs that test the library, not
# `gptl`, and those that need its PMU. Left out are
#   hooks_signals, signal_at_every_instruction   single steps are x86's
#   unit_noise, unit_paths..., unit_profile_read  parts of `gptl`, not of the library
#   unit_budget, threads_read_while_running      a minute of the emulator's time each, and what the
#                                                latter is about, threads at one time, is not there

pmu_tests =

emulated_tests = $(pmu_tests) $(filter-out ctests/hooks_signals \
    ctests/signal_at_every_instruction ctests/unit_noise ctests/unit_paths \
    ctests/unit_paths_select ctests/unit_profile_read ctests/unit_budget \
    ctests/threads_read_while_running, $(check_PROGRAMS))

EXTRA_PROGRAMS += $(pmu_tests)
EXTRA_DIST += ctests/pmu/emulate ctests/pmu/init ctests/pmu/packages

# PACKAGES is what ctests/pmu/packages has filled.
check-emulated: libgptl.la $(emulated_tests)
	$(SHELL) $(srcdir)/ctests/pmu/emulate '$(PACKAGES)' $(emulated_tests)

.PHONY: check-emulated
