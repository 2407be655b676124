# Benchmarks: one program each, which prints rows of ratios and never fails.
# Only `make bench` builds and runs them. Each pins itself (BENCH_CPU=N selects
# the core). bench.log contains all output, bench.txt the rows.
benches = \
    bench/pair_name \
    bench/pair_handle \
    bench/names \
    bench/deep16 \
    bench/snprintf_names \
    bench/recursion \
    bench/threads \
    bench/disabled \
    bench/first_visit \
    bench/memory \
    bench/memory_thread \
    bench/report_1m \
    bench/gates \
    bench/html \
    bench/predict_blocks \
    bench/ranks \
    bench/hooks \
    bench/hooks_floor
if IO
benches += bench/io bench/iostack
endif

if SIMGRID
benches += bench/net
endif

if VALGRIND
benches += bench/memsig
endif

if FORTRAN
benches += bench/fortran
endif
if PAPI
benches += bench/counters
endif

if MPICH
benches += bench/mpi_mpich
endif
if OPENMPI
benches += bench/mpi_openmpi
endif

EXTRA_PROGRAMS += $(benches)
EXTRA_LTLIBRARIES = bench/libbench.la bench/libbench_empty.la \
    bench/libbench_instrumented.la
if PAPI
EXTRA_LTLIBRARIES += bench/libbench_papi.la
endif
CLEANFILES += $(benches) $(EXTRA_LTLIBRARIES) bench.log bench.txt

bench_libbench_la_SOURCES = bench/bench.c bench/bench.h bench/child.c bench/floor.c
# Never installed. -rpath makes it a shared library nevertheless.
bench_libbench_empty_la_SOURCES = bench/empty.c bench/empty.h
bench_libbench_empty_la_LDFLAGS = $(AM_LDFLAGS) $(GPTL_LDFLAGS) -rpath $(abs_builddir)/bench

bench_ldadd = bench/libbench.la libgptl.la
bench_pair_handle_LDADD = $(bench_ldadd)
bench_names_LDADD = $(bench_ldadd)
bench_deep16_LDADD = $(bench_ldadd)
bench_snprintf_names_LDADD = $(bench_ldadd)
bench_recursion_LDADD = $(bench_ldadd)
bench_threads_LDADD = $(bench_ldadd)
bench_disabled_LDADD = $(bench_ldadd) bench/libbench_empty.la
bench_pair_name_LDADD = $(bench_ldadd) bench/libbench_empty.la
bench_first_visit_LDADD = $(bench_ldadd)
bench_memory_LDADD = $(bench_ldadd)
bench_memory_thread_LDADD = $(bench_ldadd)
bench_report_1m_LDADD = $(bench_ldadd)
bench_gates_LDADD = $(bench_ldadd)
bench_html_LDADD = $(bench_ldadd)
bench_ranks_LDADD = bench/libbench.la libgptl_internal.la
bench_html_CPPFLAGS = $(AM_CPPFLAGS) -DBENCH_GPTL='"$(abs_builddir)/gptl"' \
    -DBENCH_HTML_PY='"$(abs_srcdir)/bench/html.py"'
EXTRA_DIST += bench/html.py
bench_net_LDADD = $(bench_ldadd)
bench_net_CPPFLAGS = $(AM_CPPFLAGS) -DBENCH_GPTL='"$(abs_builddir)/gptl"' \
    -DBENCH_NET_TRACE='"$(abs_srcdir)/ctests/programs/net_trace.py"'
bench_predict_blocks_LDADD = $(bench_ldadd) $(LIBM)
bench_predict_blocks_CPPFLAGS = $(AM_CPPFLAGS) -DBENCH_GPTL='"$(abs_builddir)/gptl"'
bench_memsig_LDADD = $(bench_ldadd) $(LIBM)
bench_memsig_CPPFLAGS = $(AM_CPPFLAGS) -DBENCH_GPTL='"$(abs_builddir)/gptl"'
bench_io_LDADD = $(bench_ldadd) $(LIBDL)
bench_io_CPPFLAGS = $(AM_CPPFLAGS) -DBENCH_IO_LIBRARY='"$(abs_builddir)/.libs/libgptl_io.so.0"'
# The compiler wrapper of its MPI adds the MPI's libraries.
bench_mpi_mpich_SOURCES = bench/mpi.c
bench_mpi_mpich_CPPFLAGS = $(AM_CPPFLAGS) $(mpich_CPPFLAGS) -DBENCH_MPI='"MPICH"'
bench_mpi_mpich_LDADD = libgptl_mpi-mpich.la $(bench_ldadd)
bench_mpi_mpich_LINK = $(LIBTOOL) $(AM_V_lt) --tag=CC $(AM_LIBTOOLFLAGS) $(LIBTOOLFLAGS) \
    --mode=link $(mpich_MPICC) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) -o $@
bench_mpi_openmpi_SOURCES = bench/mpi.c
bench_mpi_openmpi_CPPFLAGS = $(AM_CPPFLAGS) $(openmpi_CPPFLAGS) -DBENCH_MPI='"Open MPI"'
bench_mpi_openmpi_LDADD = libgptl_mpi-openmpi.la $(bench_ldadd)
bench_mpi_openmpi_LINK = $(LIBTOOL) $(AM_V_lt) --tag=CC $(AM_LIBTOOLFLAGS) $(LIBTOOLFLAGS) \
    --mode=link $(openmpi_MPICC) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) -o $@
bench_iostack_LDADD = $(bench_ldadd) libgptl_probe.la
bench_counters_LDADD = $(bench_ldadd) $(PAPI_LIBS)
bench_counters_CPPFLAGS = $(AM_CPPFLAGS) \
    -DBENCH_PAPI='"$(abs_builddir)/bench/.libs/libbench_papi.so"'
bench_counters_DEPENDENCIES = bench/libbench.la libgptl.la bench/libbench_papi.la
bench_libbench_papi_la_SOURCES = bench/papi_user.c
bench_libbench_papi_la_CFLAGS = -std=gnu11
bench_libbench_papi_la_LDFLAGS = $(AM_LDFLAGS) -rpath $(abs_builddir)/bench
bench_hooks_SOURCES = bench/hooks.c bench/orders.c bench/orders.h
bench_hooks_LDADD = bench/libbench_instrumented.la $(bench_ldadd)
bench_hooks_floor_SOURCES = bench/hooks_floor.c bench/orders.c bench/orders.h
bench_hooks_floor_LDADD = bench/libbench_instrumented.la $(bench_ldadd)

bench_libbench_instrumented_la_SOURCES = bench/instrumented.c bench/instrumented.h
bench_libbench_instrumented_la_CFLAGS = $(AM_CFLAGS) -finstrument-functions

bench_fortran_SOURCES = bench/fortran.c bench/fortran_pairs.f90
bench_fortran_LDADD = $(bench_ldadd)
bench/fortran_pairs.$(OBJEXT): fortran/gptl.$(FC_MODEXT)

bench: $(benches)
	@for b in $(benches); do \
	    echo "## $$b"; ./$$b || echo "# $$b: exit status $$?"; \
	done | tee bench.log
	@{ grep -m 1 '^# work' bench.log; grep -v '^#' bench.log; } > bench.txt
	@echo "# one table of all rows: bench.txt"

# The error rates of the noise test of gptl diff. It measures no time and takes a minute.
EXTRA_PROGRAMS += bench/noise
CLEANFILES += bench/noise
bench_noise_SOURCES = bench/noise.c ctests/noise_models.h postproc/diff/noise.c
bench_noise_LDADD = $(LIBM)
bench-noise: bench/noise
	./bench/noise

.PHONY: bench bench-noise
