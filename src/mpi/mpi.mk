# The libraries for MPI: one for each family of MPI found by configure, from the same sources. They are
# linked with libgptl, but not with MPI, because they call the program's MPI.

mpi_sources = \
    src/core/claim.c        src/core/claim.h \
    src/core/descriptor.c   src/core/descriptor.h \
    src/core/kernel.h \
    src/core/room.c         src/core/room.h \
    src/core/rundir.c       src/core/rundir.h \
    src/core/stderr.c       src/core/stderr.h \
    src/mpi/amounts.c       src/mpi/amounts.h \
    src/mpi/communicator.c  src/mpi/communicator.h \
    src/mpi/together.c      src/mpi/together.h \
    src/mpi/complete.c \
    src/mpi/file_spans.c    src/mpi/file_spans.h \
    src/mpi/files.c \
    src/mpi/installed.h \
    src/mpi/lifetime.c \
    src/mpi/name_server.c   src/mpi/name_server.h \
    src/mpi/neighbors.c     src/mpi/neighbors.h \
    src/mpi/next.c \
    src/mpi/notes.c         src/mpi/notes.h \
    src/mpi/notes_kept.c \
    src/mpi/peers.c         src/mpi/peers.h \
    src/mpi/requests.c      src/mpi/requests.h \
    src/mpi/sync.c          src/mpi/sync.h \
    src/mpi/types.c         src/mpi/types.h \
    src/mpi/trace.c         src/mpi/trace.h \
    src/mpi/trace_collectives.c \
    src/mpi/trace_comms.c \
    src/mpi/trace_file.c \
    src/mpi/trace_format.h \
    src/mpi/trace_messages.c \
    src/mpi/trace_other.c \
    src/mpi/trace_pieces.c \
    src/mpi/trace_regions.c \
    src/mpi/trace_requests.c \
    src/mpi/trace_reused.c \
    src/mpi/trace_stream.h \
    src/mpi/trace_windows.c \
    src/mpi/transport.c     src/mpi/transport.h \
    src/mpi/chain.c         src/mpi/chain.h \
    src/mpi/unseen.c        src/mpi/unseen.h \
    src/mpi/wrap.c          src/mpi/wrap.h
# Calls of the core bypass the linker's stubs; all references are bound at load time.
mpi_cflags = $(AM_CFLAGS) $(NO_PLT_CFLAGS)
# libgptl is in the same directory, in the build tree and after installation. If libtool knew about it, it
# would relink these libraries on installation.
mpi_ldflags = $(AM_LDFLAGS) $(GPTL_LDFLAGS) -version-info 0:0:0 -shared \
    -Wl,.libs/libgptl.so -Wl,-rpath,'$$ORIGIN'

libgptl_mpi_mpich_la_SOURCES = $(mpi_sources)
nodist_libgptl_mpi_mpich_la_SOURCES = src/mpi/mpich/wrappers.c src/mpi/mpich/notes.c src/mpi/mpich/trace.c
libgptl_mpi_mpich_la_CPPFLAGS = $(AM_CPPFLAGS) -Isrc/mpi/mpich $(mpich_CPPFLAGS)
libgptl_mpi_mpich_la_CFLAGS = $(mpi_cflags)
libgptl_mpi_mpich_la_LIBADD = $(LIBDL)
libgptl_mpi_mpich_la_DEPENDENCIES = libgptl.la
libgptl_mpi_mpich_la_LDFLAGS = $(mpi_ldflags)

libgptl_mpi_openmpi_la_SOURCES = $(mpi_sources)
nodist_libgptl_mpi_openmpi_la_SOURCES = src/mpi/openmpi/wrappers.c src/mpi/openmpi/notes.c src/mpi/openmpi/trace.c
libgptl_mpi_openmpi_la_CPPFLAGS = $(AM_CPPFLAGS) -Isrc/mpi/openmpi $(openmpi_CPPFLAGS)
libgptl_mpi_openmpi_la_CFLAGS = $(mpi_cflags)
libgptl_mpi_openmpi_la_LIBADD = $(LIBDL)
libgptl_mpi_openmpi_la_DEPENDENCIES = libgptl.la
libgptl_mpi_openmpi_la_LDFLAGS = $(mpi_ldflags)

mpi_generate = src/mpi/generate src/mpi/generate.awk src/mpi/fortran.awk src/mpi/notes.awk src/mpi/trace.awk src/mpi/traits.def \
    src/mpi/installed.h
EXTRA_DIST += src/mpi/generate src/mpi/generate.awk src/mpi/fortran.awk src/mpi/notes.awk src/mpi/trace.awk src/mpi/traits.def gptl_mpi.pc.in

# For programs with a static MPI: the objects of the shared library, and an object that makes the linker
# include MPI's functions.
libgptl_mpi_mpich_a_SOURCES = src/mpi/next.c src/mpi/adio.c
libgptl_mpi_mpich_a_CPPFLAGS = $(libgptl_mpi_mpich_la_CPPFLAGS) -DGPTL_MPI_STATIC
libgptl_mpi_mpich_a_CFLAGS = $(AM_CFLAGS)
libgptl_mpi_mpich_a_LIBADD = $(call shared_objects,mpich)
libgptl_mpi_mpich_a_DEPENDENCIES = libgptl_mpi-mpich.la
libgptl_mpi_openmpi_a_SOURCES = src/mpi/next.c
libgptl_mpi_openmpi_a_CPPFLAGS = $(libgptl_mpi_openmpi_la_CPPFLAGS) -DGPTL_MPI_STATIC
libgptl_mpi_openmpi_a_CFLAGS = $(AM_CFLAGS)
libgptl_mpi_openmpi_a_LIBADD = $(call shared_objects,openmpi)
libgptl_mpi_openmpi_a_DEPENDENCIES = libgptl_mpi-openmpi.la
shared_objects = $(join \
    $(dir $(filter-out %-next.lo,$(libgptl_mpi_$(1)_la_OBJECTS))), \
    $(patsubst %.lo,.libs/%.o,$(notdir $(filter-out %-next.lo,$(libgptl_mpi_$(1)_la_OBJECTS)))))

mpis =
if MPICH
mpis += mpich
lib_LTLIBRARIES += libgptl_mpi-mpich.la
pkgconfig_DATA += gptl_mpi-mpich.pc
if MPI_STATIC
lib_LIBRARIES += libgptl_mpi-mpich.a
endif
endif
if OPENMPI
mpis += openmpi
lib_LTLIBRARIES += libgptl_mpi-openmpi.la
pkgconfig_DATA += gptl_mpi-openmpi.pc
if MPI_STATIC
lib_LIBRARIES += libgptl_mpi-openmpi.a
endif
endif

# The libraries of Fortran wrappers, which C programs do not need. They are C, and need no Fortran run-time
# library.
mpif_sources = src/mpi/fortran.c src/mpi/fortran.h src/mpi/find.c src/mpi/find.h
libgptl_mpif_mpich_la_SOURCES = $(mpif_sources)
nodist_libgptl_mpif_mpich_la_SOURCES = src/mpi/mpich/fortran_wrappers.c
libgptl_mpif_mpich_la_CPPFLAGS = $(libgptl_mpi_mpich_la_CPPFLAGS)
libgptl_mpif_mpich_la_LIBADD = $(LIBDL)
libgptl_mpif_mpich_la_DEPENDENCIES = libgptl.la libgptl_mpi-mpich.la
libgptl_mpif_mpich_la_LDFLAGS = $(mpi_ldflags) -Wl,.libs/libgptl_mpi-mpich.so

libgptl_mpif_openmpi_la_SOURCES = $(mpif_sources)
nodist_libgptl_mpif_openmpi_la_SOURCES = src/mpi/openmpi/fortran_wrappers.c
libgptl_mpif_openmpi_la_CPPFLAGS = $(libgptl_mpi_openmpi_la_CPPFLAGS)
libgptl_mpif_openmpi_la_LIBADD = $(LIBDL)
libgptl_mpif_openmpi_la_DEPENDENCIES = libgptl.la libgptl_mpi-openmpi.la
libgptl_mpif_openmpi_la_LDFLAGS = $(mpi_ldflags) -Wl,.libs/libgptl_mpi-openmpi.so

mpifs =
if MPICH_FORTRAN
mpifs += mpich
lib_LTLIBRARIES += libgptl_mpif-mpich.la
pkgconfig_DATA += gptl_mpif-mpich.pc
endif
if OPENMPI_FORTRAN
mpifs += openmpi
lib_LTLIBRARIES += libgptl_mpif-openmpi.la
pkgconfig_DATA += gptl_mpif-openmpi.pc
endif

if MPI_FORTRAN
pkgconfig_DATA += gptl_mpif.pc
endif

# The library preloaded by gptl run, which defines each function of the others and loads the right one.
# Calls made by ROMIO are a layer of libgptl_iostack.
if MPI_ANY
lib_LTLIBRARIES += libgptl_mpi-any.la
libgptl_iostack_la_SOURCES += src/mpi/comm.c src/mpi/find.c src/mpi/find.h
endif
libgptl_mpi_any_la_SOURCES = \
    src/core/claim.c        src/core/claim.h \
    src/core/descriptor.c   src/core/descriptor.h \
    src/core/kernel.h \
    src/core/stderr.c       src/core/stderr.h \
    src/mpi/any.c           src/mpi/any_jumps.h
nodist_libgptl_mpi_any_la_SOURCES = src/mpi/any/names.h src/mpi/any/constants.h
libgptl_mpi_any_la_CPPFLAGS = $(AM_CPPFLAGS) -Isrc/mpi/any
libgptl_mpi_any_la_LIBADD = $(LIBDL)
libgptl_mpi_any_la_DEPENDENCIES = libgptl.la
libgptl_mpi_any_la_LDFLAGS = $(mpi_ldflags)
$(libgptl_mpi_any_la_OBJECTS): src/mpi/any/names.h src/mpi/any/constants.h
src/mpi/any/names.h: $(mpis:%=libgptl_mpi-%.la) $(mpifs:%=libgptl_mpif-%.la)
	$(AM_V_GEN)$(MKDIR_P) src/mpi/any && for library in $(mpis:%=mpi-%) $(mpifs:%=mpif-%); do \
	        $(NM) -D --defined-only .libs/libgptl_$$library.so || exit; \
	    done | $(AWK) '$$3 ~ /^(MPIX?|mpix?)_/ && !seen[$$3]++ \
	        { print "NAME(" n++ ", " $$3 ")" }' >$@.tmp && mv $@.tmp $@
src/mpi/any/constants.h: $(mpifs:%=libgptl_mpif-%.la)
	$(AM_V_GEN)$(MKDIR_P) src/mpi/any && for library in $(mpifs:%=mpif-%); do \
	        $(NM) -D --undefined-only .libs/libgptl_$$library.so || exit; \
	    done | $(AWK) 'tolower($$2) ~ /^(mpi_fortran_|mpipriv|mpifcmb)/ && !seen[$$2]++ \
	        { print "CONSTANT(" $$2 ")" }' >$@.tmp && mv $@.tmp $@
CLEANFILES += src/mpi/any/names.h src/mpi/any/constants.h

if MPI
include_HEADERS += include/gptlmpi.h
pkgconfig_DATA += gptl_mpi.pc

# The plain name works for any MPI or, if that is not supported, for the MPI of the default compiler.
if MPI_ANY
plain_mpi = libgptl_mpi-any.so
plain_mpif = $(mpifs:%=libgptl_mpi-any.so)
else
plain_mpi = libgptl_mpi-$(mpi_plain).so
plain_mpif = $(if $(filter $(mpi_plain),$(mpifs)),libgptl_mpif-$(mpi_plain).so)
endif
install-exec-local:
	$(MKDIR_P) '$(DESTDIR)$(libdir)'
	cd '$(DESTDIR)$(libdir)' && rm -f libgptl_mpi.so && $(LN_S) $(plain_mpi) libgptl_mpi.so && \
	    for library in $(plain_mpif); do \
	        rm -f libgptl_mpif.so && $(LN_S) $$library libgptl_mpif.so || exit; \
	    done
uninstall-local:
	rm -f '$(DESTDIR)$(libdir)/libgptl_mpi.so' '$(DESTDIR)$(libdir)/libgptl_mpif.so'
else
EXTRA_DIST += include/gptlmpi.h
endif

# $(call generate,FAMILY,WHAT): generates the file atomically.
generate_mpi = $(AM_V_GEN)$(MKDIR_P) src/mpi/$(1) && srcdir='$(srcdir)' AWK='$(AWK)' NM='$(NM)' OBJDUMP='$(OBJDUMP)' \
    CPP='$(CPP)' MPIFORT='$($(1)_MPIFORT)' $(SHELL) $(srcdir)/src/mpi/generate $(2) '$($(1)_MPICC)' $($(1)_CPPFLAGS) \
    >$@.tmp && mv $@.tmp $@

src/mpi/mpich/next.h: $(mpi_generate)
	$(call generate_mpi,mpich,next)
src/mpi/mpich/wrappers.c: $(mpi_generate)
	$(call generate_mpi,mpich,wrappers)
src/mpi/openmpi/next.h: $(mpi_generate)
	$(call generate_mpi,openmpi,next)
src/mpi/openmpi/wrappers.c: $(mpi_generate)
	$(call generate_mpi,openmpi,wrappers)
src/mpi/mpich/notes.c: $(mpi_generate)
	$(call generate_mpi,mpich,notes)
src/mpi/mpich/trace.c: $(mpi_generate)
	$(call generate_mpi,mpich,trace)
src/mpi/mpich/fortran_wrappers.c: $(mpi_generate)
	$(call generate_mpi,mpich,fortran)
src/mpi/openmpi/notes.c: $(mpi_generate)
	$(call generate_mpi,openmpi,notes)
src/mpi/openmpi/trace.c: $(mpi_generate)
	$(call generate_mpi,openmpi,trace)
src/mpi/openmpi/fortran_wrappers.c: $(mpi_generate)
	$(call generate_mpi,openmpi,fortran)
$(libgptl_mpif_mpich_la_OBJECTS): src/mpi/mpich/next.h
$(libgptl_mpif_openmpi_la_OBJECTS): src/mpi/openmpi/next.h
$(libgptl_mpi_mpich_la_OBJECTS) $(libgptl_mpi_mpich_a_OBJECTS): src/mpi/mpich/next.h
$(libgptl_mpi_openmpi_la_OBJECTS) $(libgptl_mpi_openmpi_a_OBJECTS): src/mpi/openmpi/next.h

# $(call mpi_pc,LIBRARY): generates a pkg-config file.
mpi_pc = $(AM_V_GEN)sed 's,@LIBRARY@,$(1),' gptl_mpi.pc.made >$@.tmp && mv $@.tmp $@
gptl_mpi.pc: gptl_mpi.pc.made
	$(call mpi_pc,gptl_mpi)
gptl_mpi-mpich.pc: gptl_mpi.pc.made
	$(call mpi_pc,gptl_mpi-mpich)
gptl_mpi-openmpi.pc: gptl_mpi.pc.made
	$(call mpi_pc,gptl_mpi-openmpi)

# Both libraries, so that Fortran functions that call C functions find our wrappers before MPI's.
mpif_pc = $(call mpi_pc,gptl_mpi$(1)) && sed 's/-lgptl_mpi$(1)/-lgptl_mpif$(1) &/; s/for MPI/& in Fortran/' \
    $@ >$@.tmp && mv $@.tmp $@
gptl_mpif.pc: gptl_mpi.pc.made
	$(call mpif_pc,)
gptl_mpif-mpich.pc: gptl_mpi.pc.made
	$(call mpif_pc,-mpich)
gptl_mpif-openmpi.pc: gptl_mpi.pc.made
	$(call mpif_pc,-openmpi)

CLEANFILES += src/mpi/mpich/next.h src/mpi/mpich/wrappers.c src/mpi/openmpi/next.h \
    src/mpi/openmpi/wrappers.c src/mpi/*/*.tmp gptl_mpi.pc gptl_mpi-mpich.pc gptl_mpi-openmpi.pc \
    src/mpi/mpich/fortran_wrappers.c src/mpi/openmpi/fortran_wrappers.c \
    src/mpi/mpich/notes.c src/mpi/openmpi/notes.c src/mpi/mpich/trace.c src/mpi/openmpi/trace.c \
    gptl_mpif.pc gptl_mpif-mpich.pc gptl_mpif-openmpi.pc
