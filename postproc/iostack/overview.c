/*
 * overview.c - the default output: sums over all calls with advice, then the calls that deserve
 * attention.
 */
#include "config.h"

#include "postproc/iostack/views.h"

/* Smaller numbers cost too little to be reported. */
enum { LEAST_CALLS = 100, SMALL = 64 << 10 };

/* Communication occurs only within calls of MPI-IO. */
static void advise_communication(struct gptl_out *out, const struct layer_sum *mpi,
                                 const struct layer_sum *comm)
{
    double share = mpi->total > 0 ? 100 * comm->total / mpi->total : 0;
    if (mpi->calls < LEAST_CALLS || share < 50)
        return;
    gptl_out_format(out,
                    "\n* %.0f %% of the time in calls of mpi is communication.\n"
                    "  Advice: make fewer and larger collective calls; what each process has in "
                    "large pieces it can write independently.\n",
                    share);
}

static void advise_size(struct gptl_out *out, const struct layer_sum *mpi)
{
    char text[BYTES_TEXT];
    if (mpi->calls < LEAST_CALLS || mpi->bytes == 0 || (uint64_t)mpi->bytes / mpi->calls >= SMALL)
        return;
    gptl_out_format(out,
                    "\n* %llu calls of mpi move %s each in the mean.\n"
                    "  Advice: move more by each: a file view or a datatype makes one call of many "
                    "pieces.\n",
                    (unsigned long long)mpi->calls,
                    bytes_text(text, (double)mpi->bytes / (double)mpi->calls));
}

void overview_print(struct views *views)
{
    struct gptl_out *out = views->out;
    const struct layer_sum *mpi = &views->layers[GPTL_LAYER_MPI];
    gptl_out_literal(out, "All calls, by layer:\n\n");
    views_print_layers(views);
    advise_communication(out, mpi, &views->layers[GPTL_LAYER_COMM]);
    advise_size(out, mpi);
    if (!views->is_in_page)
        gptl_out_literal(
            out, "\nMore: --by effect (what the operations on each file led to), --by client, "
                 "--by server,\n--html -o page.html (pictures, and each call in time).\n");
    gptl_out_literal(out, "\nThe calls that took longest:\n\n");
    views_print_calls(views);
}
