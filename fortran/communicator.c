#include "config.h"

#include "fortran/communicator.h"

#include "ranks/ranks.h"

#include "fortran/text.h"

/* Convert a Fortran communicator. */
static struct gptl_ranks_comm passed(const int *comm)
{
    return (struct gptl_ranks_comm){(uintptr_t)(unsigned)*comm, true};
}

GPTL_API int FC_FUNC_(gptlpr_summary, GPTLPR_SUMMARY)(const int *comm);
int FC_FUNC_(gptlpr_summary, GPTLPR_SUMMARY)(const int *comm)
{
    return gptl_ranks_mpi_summary("gptlpr_summary", passed(comm), "timing.summary");
}

GPTL_API int FC_FUNC_(gptlpr_summary_file, GPTLPR_SUMMARY_FILE)(const int *comm, const char *file,
                                                                int file_length);
int FC_FUNC_(gptlpr_summary_file, GPTLPR_SUMMARY_FILE)(const int *comm, const char *file,
                                                       int file_length)
{
    struct gptl_string file_ = GPTL_STRING_NONE;
    int rc = gptl_string_take(&file_, "gptlpr_summary_file", file, file_length);
    if (!rc)
        rc = gptl_ranks_mpi_summary("gptlpr_summary_file", passed(comm), file_.text);
    gptl_string_free(&file_);
    return rc;
}

GPTL_API int FC_FUNC(gptlbarrier, GPTLBARRIER)(const int *comm, const char *name, int name_length);
int FC_FUNC(gptlbarrier, GPTLBARRIER)(const int *comm, const char *name, int name_length)
{
    struct gptl_string name_ = GPTL_STRING_NONE;
    int rc = gptl_string_take(&name_, "gptlbarrier", name, name_length);
    if (!rc)
        rc = gptl_ranks_mpi_barrier("gptlbarrier", passed(comm), name_.text);
    gptl_string_free(&name_);
    return rc;
}
