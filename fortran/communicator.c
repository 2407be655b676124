#include "config.h"

#include "fortran/communicator.h"

#include <stdio.h>

#include "core/core.h"
#include "ranks/ranks.h"

#include "fortran/text.h"

/*
 * Processes that a launcher started together, but whose MPI is not known here, would all write to
 * this file: the rank is added to its name.
 */
static int summary(const char *function, int comm, const char *file)
{
    char path[4096];
    const struct gptl_ranks_service *mpi = gptl_ranks_server();
    if (mpi)
        return mpi->summary(function, comm, file);
    struct gptl_process process;
    gptl_core_process(&process);
    int n = process.rank < 0 ? snprintf(path, sizeof path, "%s", file)
                             : snprintf(path, sizeof path, "%s.%d", file, process.rank);
    if (n >= (int)sizeof path)
        return gptl_core_error(function, "the file name is longer than %d bytes",
                               (int)sizeof path - 1);
    return gptl_ranks_summary(function, NULL, path);
}

GPTL_API int FC_FUNC_(gptlpr_summary, GPTLPR_SUMMARY)(const int *comm);
int FC_FUNC_(gptlpr_summary, GPTLPR_SUMMARY)(const int *comm)
{
    return summary("gptlpr_summary", *comm, "timing.summary");
}

GPTL_API int FC_FUNC_(gptlpr_summary_file, GPTLPR_SUMMARY_FILE)(const int *comm, const char *file,
                                                                int file_length);
int FC_FUNC_(gptlpr_summary_file, GPTLPR_SUMMARY_FILE)(const int *comm, const char *file,
                                                       int file_length)
{
    struct gptl_string file_ = GPTL_STRING_NONE;
    int rc = gptl_string_take(&file_, "gptlpr_summary_file", file, file_length);
    if (!rc)
        rc = summary("gptlpr_summary_file", *comm, file_.text);
    gptl_string_free(&file_);
    return rc;
}

GPTL_API int FC_FUNC(gptlbarrier, GPTLBARRIER)(const int *comm, const char *name, int name_length);
int FC_FUNC(gptlbarrier, GPTLBARRIER)(const int *comm, const char *name, int name_length)
{
    const struct gptl_ranks_service *mpi = gptl_ranks_server();
    if (!mpi) {
        int rc = GPTLstartf(name, name_length);
        return rc ? rc : GPTLstopf(name, name_length);
    }
    struct gptl_string name_ = GPTL_STRING_NONE;
    int rc = gptl_string_take(&name_, "gptlbarrier", name, name_length);
    if (!rc)
        rc = mpi->barrier("gptlbarrier", *comm, name_.text);
    gptl_string_free(&name_);
    return rc;
}
