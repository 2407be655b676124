# Manual pages. Section 3 is generated from the installed headers, and gptl_options(7) from
# src/core/options.def, so that they agree with the code; the release contains them. The list of functions is kept
# here because a makefile needs it; the test man_pages.sh compares it.
man3_pages = \
    man/GPTL_PAPIlibraryinit.3 \
    man/GPTLbarrier.3 \
    man/GPTLdisable.3 \
    man/GPTLenable.3 \
    man/GPTLevent_code_to_name.3 \
    man/GPTLevent_name_to_code.3 \
    man/GPTLfinalize.3 \
    man/GPTLget_count.3 \
    man/GPTLget_eventvalue.3 \
    man/GPTLget_memusage.3 \
    man/GPTLget_nregions.3 \
    man/GPTLget_procsiz.3 \
    man/GPTLget_regionname.3 \
    man/GPTLget_threadwork.3 \
    man/GPTLget_wallclock.3 \
    man/GPTLget_wallclock_latest.3 \
    man/GPTLinit_handle.3 \
    man/GPTLinitialize.3 \
    man/GPTLis_initialized.3 \
    man/GPTLmark.3 \
    man/GPTLnum_errors.3 \
    man/GPTLnum_warn.3 \
    man/GPTLpr.3 \
    man/GPTLpr_file.3 \
    man/GPTLpr_query_append.3 \
    man/GPTLpr_query_write.3 \
    man/GPTLpr_set_append.3 \
    man/GPTLpr_set_write.3 \
    man/GPTLpr_summary.3 \
    man/GPTLpr_summary_file.3 \
    man/GPTLprefix_set.3 \
    man/GPTLprefix_setf.3 \
    man/GPTLprefix_unset.3 \
    man/GPTLprint_memusage.3 \
    man/GPTLprint_mode_query.3 \
    man/GPTLprint_mode_set.3 \
    man/GPTLprint_rusage.3 \
    man/GPTLquery.3 \
    man/GPTLquerycounters.3 \
    man/GPTLreset.3 \
    man/GPTLreset_timer.3 \
    man/GPTLsetoption.3 \
    man/GPTLsetutr.3 \
    man/GPTLstamp.3 \
    man/GPTLstart.3 \
    man/GPTLstart_handle.3 \
    man/GPTLstart_threadohd_inner.3 \
    man/GPTLstart_threadohd_outer.3 \
    man/GPTLstartf.3 \
    man/GPTLstartf_handle.3 \
    man/GPTLstartstop_val.3 \
    man/GPTLstartstop_vals.3 \
    man/GPTLstartstop_valsf.3 \
    man/GPTLstop.3 \
    man/GPTLstop_handle.3 \
    man/GPTLstop_threadohd_inner.3 \
    man/GPTLstop_threadohd_outer.3 \
    man/GPTLstopf.3 \
    man/GPTLstopf_handle.3

dist_man_MANS += $(man3_pages) man/gptl.3 man/gptl_fortran.3 man/gptl_counters.7 \
    man/gptl_functions.7 man/gptl_options.7
if TOOLS
dist_man_MANS += man/gptl.1 man/gptl-avail.1 man/gptl-filter.1 man/gptl-run.1 man/gptl-report.1
dist_man_MANS += man/gptl-memsig.1
dist_man_MANS += man/gptl-diff.1 man/gptl-ioc.1 man/gptl-iostack.1 man/gptl-maps.1 man/gptl-predict.1 man/gptl-net.1 man/gptl-hex2name.1 man/hex2name.1
endif
EXTRA_DIST += man/header2man man/options2man man/gptl.3.in man/gptl_fortran.3.in \
    man/gptl_options.7.in
MAINTAINERCLEANFILES = $(man3_pages) man/gptl.3 man/gptl_fortran.3 man/gptl_options.7

# $(call man_page,COMMAND): the page appears when it is complete.
man_page = $(AM_V_GEN)$(MKDIR_P) man && $(AWK) -f $(1) >$@.tmp && mv $@.tmp $@

man_headers = include/gptl.h include/gptlmpi.h
$(man3_pages): man/%.3: $(man_headers) man/header2man
	$(call man_page,$(srcdir)/man/header2man -v page=$* $(man_headers:%=$(srcdir)/%))
man/gptl.3 man/gptl_fortran.3: %: $(man_headers) man/header2man %.in
	$(call man_page,$(srcdir)/man/header2man -v page=gptl $(man_headers:%=$(srcdir)/%) \
	    $(srcdir)/$@.in)
man/gptl_options.7: src/core/options.def man/options2man man/gptl_options.7.in
	$(call man_page,$(srcdir)/man/options2man -v version=$(PACKAGE_VERSION) \
	    $< $(srcdir)/man/gptl_options.7.in)

# In a build outside the source tree they are built files like all others.
distclean-local:
	test '$(srcdir)' = . || rm -f $(MAINTAINERCLEANFILES)
