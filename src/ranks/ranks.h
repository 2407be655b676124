/*
 * ranks.h - what the room ranks offers: one result of many processes. How ranks reach each other is a
 * transport: messages.c makes one of the program's MPI, which found_mpi.c finds at run time.
 *
 * Each function with a transport is called by all of its ranks.
 */
#ifndef GPTL_RANKS_RANKS_H
#define GPTL_RANKS_RANKS_H

#include "core/measured.h"
#include "report/out.h"
#include "report/report.h"

/* Ranks 0 to SIZE - 1. What one sends to another arrives in the order in which it was sent. */
struct gptl_transport {
    void *context; /* the first argument of the others */
    int rank, size;
    /* Both return 0, or -1 when it is not possible; no bytes are a message as well. */
    int (*send)(void *context, int to, const void *bytes, size_t size);
    /* *BYTES is from malloc, for the caller to free; NULL for no bytes. */
    int (*receive)(void *context, int from, void **bytes, size_t *size);
    /*
     * Collective: makes the file PATH of rank 0 of what all ranks have, one behind the other in their
     * order. Returns 0 on all, or -1 on all. NULL: not possible.
     */
    int (*write_file)(void *context, const char *path, const void *bytes, size_t size);
    /* Collective: a barrier that leaves the cores to those who still work. */
    void (*wait_for_all)(void *context);
};

/*
 * Statistics over all ranks: as text to FILE (tokens as in output.path), with output=json as JSON to
 * FILE.json as well, written by rank 0. TRANSPORT NULL: of this process alone. Returns 0 on all ranks, or -1 on all of them
 * after an error, which FUNCTION reports where it happened.
 */
GPTL_FOR_SISTERS int gptl_ranks_summary(const char *function,
                                        const struct gptl_transport *transport, const char *file);

/*
 * Whether the options of this rank want one report for a job of SIZE ranks. All ranks must have the
 * same options for that, and this library.
 */
GPTL_FOR_SISTERS bool gptl_ranks_wanted(int size);

/*
 * That report: as the summary, to the path of output.path with "merged" for the rank, and with
 * output=ranks all ranks' own ones to that with ".ranks.json" behind it. What rank 0 has decides. Returns whether it was written; otherwise each rank reports by itself.
 */
GPTL_FOR_SISTERS bool gptl_ranks_report(const struct gptl_transport *transport);

/* Whether gptl_ranks_report will be called: then a GPTLfinalize before it keeps this rank's profile. */
GPTL_FOR_SISTERS void gptl_ranks_expect_report(bool expected);

extern const struct gptl_room gptl_ranks_room;

/*
 * The text of a summary of N profiles, each of a rank of its own. Those without a number get their
 * place. Returns 0, or -1 when there is no memory. Errors of writing stay in OUT.
 */
int gptl_ranks_put_text(struct gptl_out *out, const struct gptl_profile *const *profiles, int n);

/* The same of a merged tree; PROFILE is of rank 0, for the program and how it was measured. */
struct gptl_ranks_tree;
int gptl_ranks_put_tree(struct gptl_out *out, const struct gptl_profile *profile,
                        const struct gptl_ranks_tree *tree);

/* ---- With the MPI of the program ------------------------------------------------------------- */

typedef int gptl_ranks_user(const struct gptl_transport *transport, void *argument);

/*
 * Calls USE with a transport over a copy of COMM, an MPI_Comm, whose messages meet no others, and then
 * frees it. The context begins with the copy. Collective; MPI runs. Returns what USE does, or -1 after an
 * error that FUNCTION reports.
 */
GPTL_FOR_SISTERS int gptl_ranks_with_transport(const char *function, uintptr_t comm,
                                               gptl_ranks_user *use, void *argument);

/* MPI_Wtime becomes a clock. */
void gptl_ranks_offer_clock(void);

/*
 * A library with wrappers of MPI's functions is here: the clock mpiwtime can be chosen before MPI_Init. It
 * calls this again in MPI_Init.
 */
GPTL_FOR_SISTERS void gptl_ranks_expect_mpi(void);

/* A communicator, as C or as Fortran has it. */
struct gptl_ranks_comm {
    uintptr_t handle;
    bool is_fortran;
};

/* The functions of gptlmpi.h; FUNCTION is the one that reports errors. */
int gptl_ranks_mpi_summary(const char *function, struct gptl_ranks_comm comm, const char *file);
int gptl_ranks_mpi_barrier(const char *function, struct gptl_ranks_comm comm, const char *name);

#endif
