/* wrap.c - wrappers that were left in an unusual way. */
#include "config.h"

#include "mpi/wrap.h"

__attribute__((tls_model("initial-exec"))) __thread struct gptl_mpi_thread gptl_mpi_tls;

bool gptl_mpi_is_within(char *frame)
{
    struct gptl_mpi_thread *t = &gptl_mpi_tls;
    if (t->frame && frame < t->frame)
        return true;
    t->frame = NULL;
    if (t->name)
        gptl_core_end(t->name);
    return false;
}
