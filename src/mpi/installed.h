/*
 * installed.h - all declarations of the installed MPI, and additional functions exported by Open
 * MPI.
 *
 * The wrappers are generated from the preprocessed form of this file: `generate`.
 */
#ifndef GPTL_MPI_INSTALLED_H
#define GPTL_MPI_INSTALLED_H

#include <mpi.h>
#if defined __has_include
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

/*
 * Functions removed by MPI 3.0. Old programs still call them, and Open MPI contains them, but its
 * mpi.h declares them only in some configurations, and otherwise replaces them by macros.
 */
#ifdef OMPI_MAJOR_VERSION
#undef MPI_Address
#undef MPI_Errhandler_create
#undef MPI_Errhandler_get
#undef MPI_Errhandler_set
#undef MPI_Type_extent
#undef MPI_Type_hindexed
#undef MPI_Type_hvector
#undef MPI_Type_lb
#undef MPI_Type_struct
#undef MPI_Type_ub
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wredundant-decls"
int MPI_Address(void *location, MPI_Aint *address);
int PMPI_Address(void *location, MPI_Aint *address);
int MPI_Errhandler_create(MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler);
int PMPI_Errhandler_create(MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler);
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler);
int PMPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler);
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler);
int PMPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler);
int MPI_Type_extent(MPI_Datatype type, MPI_Aint *extent);
int PMPI_Type_extent(MPI_Datatype type, MPI_Aint *extent);
int MPI_Type_hindexed(int count, int lengths[], MPI_Aint displacements[], MPI_Datatype old,
                      MPI_Datatype *made);
int PMPI_Type_hindexed(int count, int lengths[], MPI_Aint displacements[], MPI_Datatype old,
                       MPI_Datatype *made);
int MPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *made);
int PMPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *made);
int MPI_Type_lb(MPI_Datatype type, MPI_Aint *displacement);
int PMPI_Type_lb(MPI_Datatype type, MPI_Aint *displacement);
int MPI_Type_struct(int count, int lengths[], MPI_Aint displacements[], MPI_Datatype types[],
                    MPI_Datatype *made);
int PMPI_Type_struct(int count, int lengths[], MPI_Aint displacements[], MPI_Datatype types[],
                     MPI_Datatype *made);
int MPI_Type_ub(MPI_Datatype type, MPI_Aint *displacement);
int PMPI_Type_ub(MPI_Datatype type, MPI_Aint *displacement);
#pragma GCC diagnostic pop
#endif

#endif
