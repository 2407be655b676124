# The Fortran interface, generated from gptl.h: wrappers in libgptl, gptl.inc, the module.

fortran_made = fortran/gptl.inc fortran/gptlmpi.inc fortran/gptl.f90 fortran/wrappers.c
fortran_interface = $(srcdir)/include/gptl.h $(srcdir)/fortran/communicator.h

EXTRA_DIST += fortran/header2fortran
CLEANFILES += $(fortran_made) $(fortran_made:%=%.tmp) fortran/*.mod

if FORTRAN
libgptl_la_SOURCES += \
    fortran/communicator.c  fortran/communicator.h \
    fortran/namelist.c \
    fortran/text.c          fortran/text.h
nodist_libgptl_la_SOURCES = fortran/wrappers.c

# libgptl contains everything a program links with; it is C and needs no Fortran run-time library.
# libgptlf adds the object file of the module for programs that request it.
lib_LTLIBRARIES += libgptlf.la
pkgconfig_DATA += gptlf.pc
nodist_libgptlf_la_SOURCES = fortran/gptl.f90
libgptlf_la_LIBADD = libgptl.la
libgptlf_la_LDFLAGS = $(AM_LDFLAGS) $(GPTL_LDFLAGS) -version-info 9:0:0
libgptlf_la_LINK = $(LIBTOOL) $(AM_V_lt) --tag=CC $(AM_LIBTOOLFLAGS) $(LIBTOOLFLAGS) --mode=link \
    $(CCLD) $(AM_CFLAGS) $(CFLAGS) $(libgptlf_la_LDFLAGS) $(LDFLAGS) -o $@

# Only the compiler that created a module file can read it; other compilers need the source.
nodist_include_HEADERS = fortran/gptl.inc fortran/gptlmpi.inc
fcmoddir = $(includedir)
nodist_fcmod_DATA = fortran/gptl.$(FC_MODEXT)
nodist_pkgdata_DATA = fortran/gptl.f90

fortran/gptl.$(FC_MODEXT): fortran/gptl.lo
	@test -f $@ || { rm -f $<; $(MAKE) $(AM_MAKEFLAGS) $<; }
endif

# $(call made_from,SCRIPT_AND_ARGUMENTS): generates the file atomically.
made_from = $(AM_V_GEN)$(MKDIR_P) fortran && $(AWK) -f $(srcdir)/fortran/$(1) >$@.tmp && mv $@.tmp $@

fortran/gptl.inc: $(fortran_interface) fortran/header2fortran
	$(call made_from,header2fortran -v make=include $(fortran_interface))
fortran/gptlmpi.inc: $(fortran_interface) fortran/header2fortran
	$(call made_from,header2fortran -v make=mpi_include $(fortran_interface))
fortran/gptl.f90: $(fortran_interface) fortran/header2fortran
	$(call made_from,header2fortran -v make=module $(fortran_interface))
fortran/wrappers.c: include/gptl.h fortran/header2fortran
	$(call made_from,header2fortran -v make=wrappers $(srcdir)/include/gptl.h)
