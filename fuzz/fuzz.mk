# Fuzz targets: a file fuzz/NAME.c with LLVMFuzzerTestOneInput, a word here with its sources, and
# fuzz/NAME.seeds, a script that writes the initial inputs to its working directory. fuzz/NAME.dict may
# list words that inputs consist of.
#
# They need clang, as CC, and --enable-sanitize=fuzzer-no-link,address,undefined: `./dev sanitize` builds
# them so, in build-fuzz/, and runs each for a while; `./dev fuzz` does so for longer. `make fuzz-NAME`
# runs one of them for FUZZ_SECONDS; a crash fails, and its input is in fuzz/NAME.dir.

fuzz_targets = \
    fuzz/hex2name \
    fuzz/ioc_read \
    fuzz/iostack_log \
    fuzz/iostack_plan \
    fuzz/iostack_source \
    fuzz/machine_read \
    fuzz/net_trace \
    fuzz/predicted_read \
    fuzz/profile_read \
    fuzz/signature_read

fuzz_hex2name_SOURCES = fuzz/hex2name.c postproc/hex2name/hex2name.h postproc/hex2name/hex2name_lines.c \
    postproc/hex2name/hex2name_names.c postproc/hex2name/hex2name_rows.c postproc/hex2name/hex2name_text.c

fuzz_ioc_read_SOURCES = fuzz/ioc_read.c $(ioc_read_sources) \
    postproc/read/progress.c postproc/read/progress.h

iostack_fuzz_sources = $(iostack_read_sources) postproc/ioc/map.c postproc/ioc/map.h \
    postproc/ioc/memory.c postproc/ioc/memory.h
fuzz_iostack_log_SOURCES = fuzz/iostack_log.c $(iostack_fuzz_sources)
fuzz_iostack_plan_SOURCES = fuzz/iostack_plan.c $(iostack_fuzz_sources) $(iostack_plan_sources) \
    postproc/iostack/selector.c postproc/iostack/selector.h
fuzz_iostack_plan_CPPFLAGS = $(AM_CPPFLAGS) -DPROBE_SETS='"/nowhere"'
fuzz_iostack_source_SOURCES = fuzz/iostack_source.c $(iostack_fuzz_sources) \
    $(iostack_plan_sources) $(iostack_source_sources)
fuzz_iostack_source_CPPFLAGS = $(fuzz_iostack_plan_CPPFLAGS)

fuzz_machine_read_SOURCES = fuzz/machine_read.c $(machine_sources) $(machine_read_sources) \
    postproc/maps/edit.c postproc/maps/edit.h

fuzz_net_trace_SOURCES = fuzz/net_trace.c $(net_trace_sources)

fuzz_predicted_read_SOURCES = fuzz/predicted_read.c $(machine_read_sources) \
    postproc/predict/predicted.h postproc/predict/predicted_read.c

fuzz_profile_read_SOURCES = fuzz/profile_read.c $(profile_read_sources)
fuzz_profile_read_CPPFLAGS = $(AM_CPPFLAGS) -DREAD_TREE_SLACK=4

fuzz_signature_read_SOURCES = fuzz/signature_read.c $(signature_sources) $(profile_read_sources)

EXTRA_PROGRAMS += $(fuzz_targets)
EXTRA_DIST += fuzz/run fuzz/profile_read.dict $(fuzz_targets:=.seeds)
$(fuzz_targets): LDADD = libgptl_internal.la
$(fuzz_targets): libgptl_internal.la
$(fuzz_targets): AM_LDFLAGS += -fsanitize=fuzzer

FUZZ_SECONDS = 60
fuzz_runs = $(fuzz_targets:fuzz/%=fuzz-%)
$(fuzz_runs): fuzz-%: fuzz/% examples/heat
	srcdir='$(abs_srcdir)' builddir='$(abs_builddir)' \
	    $(SHELL) $(srcdir)/fuzz/run $* $(FUZZ_SECONDS)
fuzz: $(fuzz_runs)
# All prerequisites, so that several may run at a time.
fuzz-targets: $(fuzz_targets) examples/heat
# The words alone, for scripts.
fuzz-list:
	@echo $(fuzz_targets:fuzz/%=%)

clean-fuzz:
	rm -rf $(fuzz_targets:=.dir)

.PHONY: fuzz fuzz-targets fuzz-list clean-fuzz $(fuzz_runs)
