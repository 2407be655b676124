# Lists of tests, one word per test.
#
#   unit_tests       ctests/unit_NAME.c   cmocka, linked with all internals
#   behaviour_tests  ctests/NAME.c        a program that links with libgptl and exits with 0
#   hooks_tests      ctests/hooks_NAME.c  the same, with functions that call compilers' hooks
#   omp_tests        ctests/omp_NAME.c    the same, compiled with OpenMP
#   shell_tests      ctests/NAME.sh       a script, starts with `. "$srcdir/ctests/lib.sh"`
#   tool_tests       ctests/NAME.sh       the same, about the single-threaded commands of gptl on files
#   packaging_tests  ctests/NAME.sh       the same, about built and installed files
#
# Each runs alone through ctests/runtest: in a new directory, with a time limit. Exit status 0 is passed, 77
# skipped.

# Unit tests that create threads.
threads_unit_tests = \
    ctests/unit_amounts \
    ctests/unit_budget \
    ctests/unit_clocks \
    ctests/unit_disable \
    ctests/unit_ended_threads \
    ctests/unit_marks \
    ctests/unit_ledger \
    ctests/unit_meter \
    ctests/unit_no_memory \
    ctests/unit_prefix \
    ctests/unit_ranks_text \
    ctests/unit_report_xml \
    ctests/unit_reset \
    ctests/unit_threads
if MPICH
threads_unit_tests += ctests/unit_requests
endif
# Tests of rates over many trials: under valgrind they would take minutes.
rate_tests = ctests/unit_noise_rates ctests/unit_throttle_error
# The longest test under valgrind is first, so that it does not run alone at the end.
unit_tests = \
    ctests/unit_profile_read \
    ctests/unit_cache \
    ctests/unit_errors \
    ctests/unit_expression \
    ctests/unit_follow \
    ctests/unit_histogram \
    ctests/unit_left \
    ctests/unit_machine \
    ctests/unit_maps \
    ctests/unit_noise \
    ctests/unit_options \
    ctests/unit_paths \
    ctests/unit_paths_select \
    ctests/unit_random_recursion \
    ctests/unit_rate \
    ctests/unit_ranks \
    ctests/unit_ranks_tree \
    ctests/unit_region_kinds \
    ctests/unit_report_callers \
    ctests/unit_report_file \
    ctests/unit_report_json \
    ctests/unit_report_layout \
    ctests/unit_report_memory \
    ctests/unit_report_number \
    ctests/unit_report_text \
    ctests/unit_symbols \
    ctests/unit_throttle \
    ctests/unit_timing \
    ctests/unit_work \
    $(rate_tests) \
    $(threads_unit_tests)

behaviour_tests = \
    ctests/cancelled_in_error \
    ctests/clock_while_reporting \
    ctests/disable_while_running \
    ctests/fork_while_threads_start \
    ctests/fork_with_open_regions \
    ctests/handles \
    ctests/initialize_and_finalize \
    ctests/names_at_page_end \
    ctests/names_by_length \
    ctests/names_in_reused_buffer \
    ctests/names_of_any_content \
    ctests/names_of_negative_length \
    ctests/names_with_blank_at_end \
    ctests/nested_deep \
    ctests/pool_outlives_finalize \
    ctests/recursion_deep \
    ctests/report_inside_region \
    ctests/report_output \
    ctests/signal_at_every_instruction \
    ctests/signal_handler \
    ctests/spawn_unharmed \
    ctests/threads_exit_while_finalizing \
    ctests/threads_million \
    ctests/threads_read_while_running

hooks_tests = \
    ctests/hooks_signals \
    ctests/hooks_unharmed

omp_tests = \
    ctests/omp_nested_pools \
    ctests/omp_numbers

shell_tests = \
    ctests/clocks_at_fault.sh \
    ctests/counters_multiplex.sh \
    ctests/counters_perf.sh \
    ctests/counters_program.sh \
    ctests/counters_refused.sh \
    ctests/counters_sde.sh \
    ctests/hooks_around_main.sh \
    ctests/hooks_early.sh \
    ctests/hooks_clones.sh \
    ctests/hooks_languages.sh \
    ctests/hooks_left.sh \
    ctests/hooks_programs.sh \
    ctests/hooks_replaced.sh \
    ctests/hooks_throttle.sh \
    ctests/hooks_unload.sh \
    ctests/host_unharmed.sh \
    ctests/race_checkers.sh \
    ctests/small_stacks.sh \
    ctests/standard_streams.sh \
    ctests/layouts.sh \
    ctests/option_numbers.sh \
    ctests/threads_end.sh \
    ctests/io_calls.sh \
    ctests/io_commands.sh \
    ctests/io_confined.sh \
    ctests/io_ends.sh \
    ctests/io_memory.sh \
    ctests/io_programs.sh \
    ctests/io_refused.sh \
    ctests/io_stack.sh \
    ctests/io_files.sh \
    ctests/io_offsets.sh \
    ctests/io_run.sh \
    ctests/io_salvage.sh \
    ctests/io_streams.sh \
    ctests/io_truth.sh \
    ctests/io_turns.sh \
    ctests/iostack_adio.sh \
    ctests/iostack_flash.sh \
    ctests/iostack_layers.sh \
    ctests/iostack_mpi.sh \
    ctests/iostack_probe.sh \
    ctests/iostack_run.sh \
    ctests/iostack_striped.sh \
    ctests/mpi_bytes.sh \
    ctests/mpi_cpp.sh \
    ctests/mpi_directories.sh \
    ctests/mpi_hpcc.sh \
    ctests/mpi_layouts.sh \
    ctests/mpi_life.sh \
    ctests/mpi_links.sh \
    ctests/mpi_many_requests.sh \
    ctests/mpi_matrix.sh \
    ctests/mpi_mistakes.sh \
    ctests/mpi_one_library.sh \
    ctests/mpi_own_work.sh \
    ctests/mpi_programs.sh \
    ctests/mpi_region_kinds.sh \
    ctests/mpi_regions.sh \
    ctests/mpi_releases.sh \
    ctests/mpi_requests.sh \
    ctests/mpi_run.sh \
    ctests/mpi_summary.sh \
    ctests/mpi_together.sh \
    ctests/mpi_tools.sh \
    ctests/mpi_trace.sh \
    ctests/mpi_who_prints.sh \
    ctests/mpi_trace_file.sh \
    ctests/mpi_wrapped.sh \
    ctests/mpi_wtime.sh \
    ctests/options_env.sh \
    ctests/plugin_unloaded.sh \
    ctests/plugins.sh \
    ctests/report_golden.sh \
    ctests/report_json.sh \
    ctests/report_many_ranks.sh \
    ctests/report_metrics.sh \
    ctests/report_no_memory.sh \
    ctests/report_omptest.sh \
    ctests/report_options.sh \
    ctests/report_place.sh \
    ctests/report_ranks.sh \
    ctests/run_command.sh \
    ctests/run_containers.sh \
    ctests/run_directory.sh \
    ctests/run_environment.sh \
    ctests/run_limits.sh \
    ctests/run_names.sh \
    ctests/run_outside.sh \
    ctests/run_preload.sh \
    ctests/run_signals.sh \
    ctests/salvage_ends.sh \
    ctests/salvage_fork.sh \
    ctests/salvage_kill.sh \
    ctests/symbols.sh \
    ctests/tight_limits.sh \
    ctests/who_prints.sh \
    ctests/who_prints_around_main.sh

tool_tests = \
    ctests/gptl_avail.sh \
    ctests/gptl_diff.sh \
    ctests/gptl_unread.sh \
    ctests/gptl_ioc.sh \
    ctests/gptl_ioc_damaged.sh \
    ctests/gptl_ioc_pictures.sh \
    ctests/gptl_predict.sh \
    ctests/hex2name.sh \
    ctests/html_metrics.sh \
    ctests/html_names.sh \
    ctests/html_page.sh \
    ctests/html_peers.sh \
    ctests/html_predicted.sh \
    ctests/html_ranks.sh \
    ctests/html_shapes.sh \
    ctests/iostack_collectives.sh \
    ctests/iostack_config.sh \
    ctests/iostack_data.sh \
    ctests/iostack_engine.sh \
    ctests/iostack_insert.sh \
    ctests/json_schema.sh \
    ctests/maps_measure.sh \
    ctests/maps_network.sh \
    ctests/memsig_code.sh ctests/memsig_core.sh \
    ctests/memsig_mpi.sh \
    ctests/memsig_regions.sh \
    ctests/memsig_run.sh \
    ctests/memsig_truth.sh \
    ctests/net_prediction.sh \
    ctests/net_replay.sh \
    ctests/profile_round_trip.sh \
    ctests/report_ledgers.sh \
    ctests/report_outputs.sh \
    ctests/salvage_damaged.sh \
    ctests/summary_schema.sh \
    ctests/xml_schema.sh

packaging_tests = \
    ctests/example_heat.sh \
    ctests/exports.sh \
    ctests/headers.sh \
    ctests/include_rules.sh \
    ctests/install_c.sh \
    ctests/install_cmake.sh \
    ctests/install_mpi.sh \
    ctests/man_pages.sh

check_PROGRAMS += $(behaviour_tests) $(hooks_tests)
if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests)
endif
if OPENMP
check_PROGRAMS += $(omp_tests)
endif
dist_check_SCRIPTS = $(shell_tests) $(tool_tests) $(packaging_tests) $(fortran_scripts) \
    $(fortran_packaging_scripts)
TESTS = $(check_PROGRAMS) $(dist_check_SCRIPTS)

$(unit_tests): LDADD = libgptl_internal.la $(CMOCKA_LIBS) $(LIBM)
$(unit_tests): libgptl_internal.la
$(unit_tests:%=%.$(OBJEXT)): AM_CFLAGS += $(CMOCKA_CFLAGS)
ctests_unit_ranks_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free
ctests_unit_machine_SOURCES = ctests/unit_machine.c $(machine_sources) $(machine_read_sources) \
    $(maps_sources) postproc/helper.c
ctests_unit_machine_CPPFLAGS = $(AM_CPPFLAGS) -DHELPER_DIR='"/nowhere"'
ctests_unit_maps_SOURCES = ctests/unit_maps.c $(machine_sources) $(machine_read_sources) \
    $(maps_sources) postproc/helper.c
ctests_unit_maps_CPPFLAGS = $(AM_CPPFLAGS) -DHELPER_DIR='"/nowhere"'
ctests_unit_noise_SOURCES = ctests/unit_noise.c ctests/noise_models.h postproc/diff/noise.c
ctests_unit_noise_rates_SOURCES = ctests/unit_noise_rates.c ctests/noise_models.h \
    postproc/diff/noise.c
ctests_unit_profile_read_SOURCES = ctests/unit_profile_read.c $(profile_read_sources)
ctests_unit_requests_SOURCES = ctests/unit_requests.c src/mpi/complete.c src/mpi/requests.c \
    src/mpi/requests.h src/mpi/types.c src/mpi/wrap.c
ctests_unit_requests_CPPFLAGS = $(AM_CPPFLAGS) -Isrc/mpi/mpich $(mpich_CPPFLAGS)
ctests_unit_requests_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS)
$(ctests_unit_requests_OBJECTS): src/mpi/mpich/next.h
paths_sources = postproc/paths/counts.c postproc/paths/metric.c postproc/paths/paths.c \
    postproc/paths/paths_build.c postproc/paths/paths_select.c postproc/paths/region_sums.c \
    postproc/paths/regions.c
ctests_unit_paths_SOURCES = ctests/unit_paths.c $(paths_sources)
ctests_unit_paths_select_SOURCES = ctests/unit_paths_select.c $(paths_sources)
$(hooks_tests): LDADD += $(LIBM)
$(hooks_tests:%=%.$(OBJEXT)): AM_CFLAGS += -finstrument-functions
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
    FC='$(FC)'; export FC; \
    OPENMP_CFLAGS='$(OPENMP_CFLAGS)'; export OPENMP_CFLAGS; \
    OPENMP_FCFLAGS='$(OPENMP_FCFLAGS)'; export OPENMP_FCFLAGS; \
    FC_MODINC='$(FC_MODINC)'; export FC_MODINC; \
    FCLIBS='$(FCLIBS)'; export FCLIBS; \
    enable_fortran='$(enable_fortran)'; export enable_fortran; \
    have_libdw='$(have_libdw)'; export have_libdw; \
    have_papi='$(have_papi)'; export have_papi; \
    have_simgrid='$(have_simgrid)'; export have_simgrid; \
    VALGRIND_CFLAGS='$(VALGRIND_CFLAGS)'; export VALGRIND_CFLAGS; \
    VALGRIND_FOLDER='$(VALGRIND_FOLDER)'; export VALGRIND_FOLDER; \
    mpis='$(mpis)'; export mpis; \
    mpifs='$(mpifs)'; export mpifs; \
    mpich_MPIFORT='$(mpich_MPIFORT)'; export mpich_MPIFORT; \
    openmpi_MPIFORT='$(openmpi_MPIFORT)'; export openmpi_MPIFORT; \
    mpich_CPPFLAGS='$(mpich_CPPFLAGS)'; export mpich_CPPFLAGS; \
    openmpi_CPPFLAGS='$(openmpi_CPPFLAGS)'; export openmpi_CPPFLAGS; \
    mpich_MPICC='$(mpich_MPICC)'; export mpich_MPICC; \
    mpich_MPIEXEC='$(mpich_MPIEXEC)'; export mpich_MPIEXEC; \
    openmpi_MPICC='$(openmpi_MPICC)'; export openmpi_MPICC; \
    openmpi_MPIEXEC='$(openmpi_MPIEXEC)'; export openmpi_MPIEXEC; \
    hdf5_mpi='$(hdf5_mpi)'; export hdf5_mpi; \
    hdf5_FLAGS='$(hdf5_FLAGS)'; export hdf5_FLAGS; \
    pnetcdf_mpi='$(pnetcdf_mpi)'; export pnetcdf_mpi; \
    pnetcdf_FLAGS='$(pnetcdf_FLAGS)'; export pnetcdf_FLAGS; \
    MAKE='$(MAKE)'; export MAKE; \
    libdir='$(libdir)'; export libdir; \
    bindir='$(bindir)'; export bindir; \
    enable_shared='$(enable_shared)'; export enable_shared; \
    enable_static='$(enable_static)'; export enable_static; \
    sanitize='$(enable_sanitize)'; export sanitize;

# Shared files and expected data of tests; a directory stands for all its files.
EXTRA_DIST += \
    ctests/calls.h ctests/check.h ctests/exports.list ctests/fake.h ctests/golden \
    ctests/counters_lib.sh ctests/hooks.h ctests/hooks_lib.sh ctests/io_lib.sh ctests/iostack_lib.sh ctests/layouts.py ctests/lib.sh \
    ctests/memsig_lib.sh \
    ctests/mpi_lib.sh ctests/mpi_plain.list ctests/paths_fixture.h ctests/programs ctests/programs.sh \
    ctests/ranks_fixture.h ctests/report_fixture.h ctests/runtest ctests/striped ctests/summary_check.py \
    ctests/chrome.schema.json ctests/speedscope.schema.json \
    ctests/browser.py ctests/html.sh ctests/html_metrics.py ctests/html_names.py ctests/html_page.py \
    ctests/leaks.supp ctests/html_peers.py ctests/html_predicted.py ctests/html_ranks.py ctests/html_shapes.py ctests/predict_files.py ctests/profile_model.py \
    ctests/throttle.h ctests/trees ctests/worker.h

# Subsets of the check: without packaging tests (address sanitizer); also without tool tests and
# single-threaded unit tests (thread sanitizer); unit tests (valgrind); and a distcheck that runs
# only the packaging tests, without optimization.
check-programs:
	$(MAKE) $(AM_MAKEFLAGS) check \
	    TESTS='$(check_PROGRAMS) $(shell_tests) $(tool_tests) $(fortran_scripts)'
check-threads:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(filter-out \
	    $(filter-out $(threads_unit_tests),$(unit_tests)),$(check_PROGRAMS)) $(shell_tests) $(fortran_scripts)'
check-unit:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(filter \
	    $(filter-out $(rate_tests),$(unit_tests)),$(check_PROGRAMS))'
distcheck-packaging:
	$(MAKE) $(AM_MAKEFLAGS) distcheck check_PROGRAMS= DISTCHECK_CONFIGURE_FLAGS=CFLAGS=-O0 \
	    TESTS='$(packaging_tests) $(fortran_packaging_scripts)'

clean-local:
	rm -rf $(TEST_LOGS:.log=.dir)

.PHONY: check-programs check-threads check-unit distcheck-packaging
