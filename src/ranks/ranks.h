/*
 * ranks.h - public header of the ranks module: combined results of many processes. Ranks
 * communicate through a transport; messages.c implements one with the program's MPI, which
 * found_mpi.c finds at run time.
 *
 * Functions with a transport argument are collective over its ranks.
 */
#ifndef GPTL_RANKS_RANKS_H
#define GPTL_RANKS_RANKS_H

#include "core/measured.h"
#include "report/out.h"
#include "report/report.h"

/* Communication among ranks 0 to SIZE - 1. Messages between two ranks arrive in order. */
struct gptl_transport {
    void *context; /* first argument of all functions */
    int rank, size;
    /* Send or receive a message, which may be empty. Return 0, or -1 on failure. */
    int (*send)(void *context, int to, const void *bytes, size_t size);
    /* *BYTES is allocated with malloc, and the caller frees it; NULL for an empty message. */
    int (*receive)(void *context, int from, void **bytes, size_t *size);
    /*
     * Collective: write the concatenated parts of all ranks, in rank order, to file PATH of rank 0.
     * Return 0 on all ranks, or -1 on all ranks. NULL: not supported.
     */
    int (*write_file)(void *context, const char *path, const void *bytes, size_t size);
    /* Collective: barrier that leaves the cores to ranks that still work. */
    void (*wait_for_all)(void *context);
};

/*
 * Write statistics over all ranks as text to FILE (tokens as in output.path), and with output=json
 * also as JSON to FILE.json; rank 0 writes. TRANSPORT NULL: this process only. Return 0 on all
 * ranks, or -1 on all ranks after an error, which FUNCTION reports on the rank where it occurred.
 */
GPTL_FOR_SISTERS int gptl_ranks_summary(const char *function,
                                        const struct gptl_transport *transport, const char *file);

/*
 * Return whether this rank's options request a merged report for a job of SIZE ranks. All ranks
 * must use the same options and the same library.
 */
GPTL_FOR_SISTERS bool gptl_ranks_wanted(int size);

/*
 * Write the merged report: the summary to output.path with "merged" for the rank, and with
 * output=ranks all individual reports to that path plus ".ranks.json". The options of rank 0 apply.
 * Return whether the report was written; if not, each rank reports separately.
 */
GPTL_FOR_SISTERS bool gptl_ranks_report(const struct gptl_transport *transport);

/* Announce a later gptl_ranks_report: a GPTLfinalize before it then keeps this rank's profile. */
GPTL_FOR_SISTERS void gptl_ranks_expect_report(bool expected);

extern const struct gptl_room gptl_ranks_room;

/*
 * Print the summary of N profiles, one per rank, as text. A profile without a rank gets its index.
 * Return 0, or -1 when out of memory. Write errors stay in OUT.
 */
int gptl_ranks_put_text(struct gptl_out *out, const struct gptl_profile *const *profiles, int n);

/* Print a merged tree; PROFILE is rank 0's, for the program and the measurement conditions. */
struct gptl_ranks_tree;
int gptl_ranks_put_tree(struct gptl_out *out, const struct gptl_profile *profile,
                        const struct gptl_ranks_tree *tree);

/* ---- Use of the program's MPI ---------------------------------------------------------------- */

typedef int gptl_ranks_user(const struct gptl_transport *transport, void *argument);

/*
 * Call USE with a transport over a duplicate of COMM (an MPI_Comm), which isolates its messages,
 * and free the duplicate. The context starts with the duplicate. Collective, while MPI runs. Return
 * the result of USE, or -1 after an error, reported for FUNCTION.
 */
GPTL_FOR_SISTERS int gptl_ranks_with_transport(const char *function, uintptr_t comm,
                                               gptl_ranks_user *use, void *argument);

/* Register MPI_Wtime as a clock. */
void gptl_ranks_offer_clock(void);

/*
 * Announce a library with MPI wrappers: the clock mpiwtime can be selected before MPI_Init. The
 * library calls this function again in MPI_Init.
 */
GPTL_FOR_SISTERS void gptl_ranks_expect_mpi(void);

/* A communicator of C or Fortran. */
struct gptl_ranks_comm {
    uintptr_t handle;
    bool is_fortran;
};

/* The functions of gptlmpi.h; FUNCTION is the name in error messages. */
int gptl_ranks_mpi_summary(const char *function, struct gptl_ranks_comm comm, const char *file);
int gptl_ranks_mpi_barrier(const char *function, struct gptl_ranks_comm comm, const char *name);

#endif
