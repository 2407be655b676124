# The Fortran interface: libgptlf, gptl.inc and the module, made from gptl.h and options.def.

fortran_made = fortran/gptl.inc fortran/gptl.f90 fortran/wrappers.c fortran/process_namelist.f90
fortran_interface = $(srcdir)/include/gptl.h $(srcdir)/fortran/communicator.h

EXTRA_DIST += fortran/header2fortran fortran/options2namelist fortran/process_namelist.f90.in \
    fortran/libgptlf.map
CLEANFILES += $(fortran_made) $(fortran_made:%=%.tmp) fortran/*.mod

if FORTRAN
lib_LTLIBRARIES += libgptlf.la
pkgconfig_DATA += gptlf.pc

# A module can be read by the compiler that made it only: for others, its source.
nodist_include_HEADERS = fortran/gptl.inc
fcmoddir = $(includedir)
nodist_fcmod_DATA = fortran/gptl.$(FC_MODEXT)
nodist_pkgdata_DATA = fortran/gptl.f90

libgptlf_la_SOURCES = \
    fortran/communicator.c  fortran/communicator.h \
    fortran/namelist.c      fortran/namelist.h \
    fortran/text.c          fortran/text.h
nodist_libgptlf_la_SOURCES = fortran/gptl.f90 fortran/process_namelist.f90 fortran/wrappers.c
libgptlf_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
# A call of the C function is one jump then, not two: bench/fortran.
libgptlf_la_CFLAGS = $(AM_CFLAGS) $(NO_PLT_CFLAGS)
libgptlf_la_LIBADD = libgptl.la
libgptlf_la_LDFLAGS = $(AM_LDFLAGS) $(GPTL_LDFLAGS) -version-info 0:0:0
if VERSION_SCRIPT
libgptlf_la_LDFLAGS += -Wl,--version-script=$(srcdir)/fortran/libgptlf.map
EXTRA_libgptlf_la_DEPENDENCIES = fortran/libgptlf.map
endif

fortran/gptl.$(FC_MODEXT): fortran/gptl.lo
	@test -f $@ || { rm -f $<; $(MAKE) $(AM_MAKEFLAGS) $<; }
endif

# $(call made_from,SCRIPT_AND_ARGUMENTS): the file appears when it is whole.
made_from = $(AM_V_GEN)$(MKDIR_P) fortran && $(AWK) -f $(srcdir)/fortran/$(1) >$@.tmp && mv $@.tmp $@

fortran/gptl.inc: $(fortran_interface) fortran/header2fortran
	$(call made_from,header2fortran -v make=include $(fortran_interface))
fortran/gptl.f90: $(fortran_interface) fortran/header2fortran
	$(call made_from,header2fortran -v make=module $(fortran_interface))
fortran/wrappers.c: include/gptl.h fortran/header2fortran
	$(call made_from,header2fortran -v make=wrappers $(srcdir)/include/gptl.h)
fortran/process_namelist.f90: src/core/options.def fortran/process_namelist.f90.in fortran/options2namelist
	$(call made_from,options2namelist $(srcdir)/src/core/options.def \
	    $(srcdir)/fortran/process_namelist.f90.in)
