# The libraries for MPI: one for each family of MPI that configure has found, of the same sources. They
# are linked with libgptl, and with no MPI: the program's own is called.

mpi_sources = \
    src/mpi/amounts.c       src/mpi/amounts.h \
    src/mpi/communicator.c \
    src/mpi/complete.c \
    src/mpi/installed.h \
    src/mpi/lifetime.c \
    src/mpi/neighbors.c \
    src/mpi/next.c \
    src/mpi/requests.c      src/mpi/requests.h \
    src/mpi/sync.c          src/mpi/sync.h \
    src/mpi/types.c         src/mpi/types.h \
    src/mpi/unseen.c        src/mpi/unseen.h \
    src/mpi/wrap.c          src/mpi/wrap.h
# No stubs of the linker on the way to the core: all is bound when the library is loaded.
mpi_cflags = $(AM_CFLAGS) $(NO_PLT_CFLAGS)
# libgptl lies beside it, here and where it is installed: known as such to libtool, it would link these
# libraries anew to install them.
mpi_ldflags = $(AM_LDFLAGS) $(GPTL_LDFLAGS) -version-info 0:0:0 -shared \
    -Wl,.libs/libgptl.so -Wl,-rpath,'$$ORIGIN'

libgptl_mpi_mpich_la_SOURCES = $(mpi_sources)
nodist_libgptl_mpi_mpich_la_SOURCES = src/mpi/mpich/wrappers.c
libgptl_mpi_mpich_la_CPPFLAGS = $(AM_CPPFLAGS) -Isrc/mpi/mpich $(mpich_CPPFLAGS)
libgptl_mpi_mpich_la_CFLAGS = $(mpi_cflags)
libgptl_mpi_mpich_la_LIBADD = $(LIBDL)
libgptl_mpi_mpich_la_DEPENDENCIES = libgptl.la
libgptl_mpi_mpich_la_LDFLAGS = $(mpi_ldflags)

libgptl_mpi_openmpi_la_SOURCES = $(mpi_sources)
nodist_libgptl_mpi_openmpi_la_SOURCES = src/mpi/openmpi/wrappers.c
libgptl_mpi_openmpi_la_CPPFLAGS = $(AM_CPPFLAGS) -Isrc/mpi/openmpi $(openmpi_CPPFLAGS)
libgptl_mpi_openmpi_la_CFLAGS = $(mpi_cflags)
libgptl_mpi_openmpi_la_LIBADD = $(LIBDL)
libgptl_mpi_openmpi_la_DEPENDENCIES = libgptl.la
libgptl_mpi_openmpi_la_LDFLAGS = $(mpi_ldflags)

mpi_generate = src/mpi/generate src/mpi/generate.awk src/mpi/traits.def src/mpi/installed.h
EXTRA_DIST += src/mpi/generate src/mpi/generate.awk src/mpi/traits.def gptl_mpi.pc.in

mpis =
if MPICH
mpis += mpich
lib_LTLIBRARIES += libgptl_mpi-mpich.la
pkgconfig_DATA += gptl_mpi-mpich.pc
endif
if OPENMPI
mpis += openmpi
lib_LTLIBRARIES += libgptl_mpi-openmpi.la
pkgconfig_DATA += gptl_mpi-openmpi.pc
endif
if MPI
include_HEADERS += include/gptlmpi.h
pkgconfig_DATA += gptl_mpi.pc

# The plain name is for the MPI of the plain compiler.
install-exec-local:
	$(MKDIR_P) '$(DESTDIR)$(libdir)'
	cd '$(DESTDIR)$(libdir)' && rm -f libgptl_mpi.so && \
	    $(LN_S) libgptl_mpi-$(mpi_plain).so libgptl_mpi.so
uninstall-local:
	rm -f '$(DESTDIR)$(libdir)/libgptl_mpi.so'
else
EXTRA_DIST += include/gptlmpi.h
endif

# $(call generate,FAMILY,WHAT): the file appears when it is whole.
generate_mpi = $(AM_V_GEN)$(MKDIR_P) src/mpi/$(1) && srcdir='$(srcdir)' AWK='$(AWK)' NM='$(NM)' OBJDUMP='$(OBJDUMP)' \
    CPP='$(CPP)' $(SHELL) $(srcdir)/src/mpi/generate $(2) '$($(1)_MPICC)' $($(1)_CPPFLAGS) \
    >$@.tmp && mv $@.tmp $@

src/mpi/mpich/next.h: $(mpi_generate)
	$(call generate_mpi,mpich,next)
src/mpi/mpich/wrappers.c: $(mpi_generate)
	$(call generate_mpi,mpich,wrappers)
src/mpi/openmpi/next.h: $(mpi_generate)
	$(call generate_mpi,openmpi,next)
src/mpi/openmpi/wrappers.c: $(mpi_generate)
	$(call generate_mpi,openmpi,wrappers)
$(libgptl_mpi_mpich_la_OBJECTS): src/mpi/mpich/next.h
$(libgptl_mpi_openmpi_la_OBJECTS): src/mpi/openmpi/next.h

# $(call mpi_pc,LIBRARY): how programs are linked.
mpi_pc = $(AM_V_GEN)sed 's,@LIBRARY@,$(1),' gptl_mpi.pc.made >$@.tmp && mv $@.tmp $@
gptl_mpi.pc: gptl_mpi.pc.made
	$(call mpi_pc,gptl_mpi)
gptl_mpi-mpich.pc: gptl_mpi.pc.made
	$(call mpi_pc,gptl_mpi-mpich)
gptl_mpi-openmpi.pc: gptl_mpi.pc.made
	$(call mpi_pc,gptl_mpi-openmpi)

CLEANFILES += src/mpi/mpich/next.h src/mpi/mpich/wrappers.c src/mpi/openmpi/next.h \
    src/mpi/openmpi/wrappers.c src/mpi/*/*.tmp gptl_mpi.pc gptl_mpi-mpich.pc gptl_mpi-openmpi.pc
