/* wrap.c - wrappers that were left in an unusual way. */
#include "config.h"

#include <string.h>

#include "mpi/file_spans.h"
#include "mpi/wrap.h"

__attribute__((tls_model("initial-exec"))) __thread struct gptl_mpi_thread gptl_mpi_tls;
void (*gptl_mpi_edge)(const char *frame);

/* The region of a wrapper that was left is innermost, unless it had been stopped already. */
static void stop_left(void)
{
    const void *node = gptl_core_here();
    const char *name = node ? gptl_core_node_name(node) : "";
    if (strncmp(name, "MPI_", 4) == 0 || strncmp(name, "MPIX_", 5) == 0)
        gptl_core_end(name);
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
