/* wrap.c - cleanup of wrappers that were left abnormally. */
#include "config.h"

#include "mpi/file_spans.h"
#include "mpi/wrap.h"

__attribute__((tls_model("initial-exec"))) __thread struct gptl_mpi_thread gptl_mpi_tls;
void (*gptl_mpi_edge)(const char *frame);

static const _Atomic(long long) usual = GPTL_MPI_CALLS; /* until this library's constructor runs */
const _Atomic(long long) *gptl_mpi_option = &usual;

__attribute__((constructor)) static void find_option(void)
{
    gptl_mpi_option = gptl_core_option_at(GPTL_OPT_MPI);
}

/*
 * Stop the region of a wrapper that was left; it is innermost, unless it has already been stopped.
 */
static void stop_left(void)
{
    const void *node = gptl_core_here();
    if (node && gptl_core_node_kind(node) == GPTL_KIND_MPI)
        gptl_core_end(gptl_core_node_name(node), GPTL_KIND_MPI);
}

bool gptl_mpi_is_within(char *frame)
{
    struct gptl_mpi_thread *t = &gptl_mpi_tls;
    if (frame < t->frame)
        return true;
    t->frame = NULL;
    stop_left();
    gptl_mpi_access_left();
    return false;
}
