/*
 * claim.h - files in the directory of a `gptl run` by which its processes coordinate: their names
 * record the printed lines and the taken paths. Independent of the rest of the core, and part of
 * the preloaded libraries as well.
 */
#ifndef GPTL_CORE_CLAIM_H
#define GPTL_CORE_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

/* Prefix of all files that are removed with the directory. */
#define GPTL_CLAIM_PREFIX "claim."

/* Kinds of claims. */
#define GPTL_CLAIM_LINE "line"   /* a line printed on stderr */
#define GPTL_CLAIM_PATH "path"   /* a path reserved for a report */
#define GPTL_CLAIM_OWNER "owner" /* the path's owner: the key includes the process id */
#define GPTL_CLAIM_WROTE "wrote" /* a report that was written; the file contains its path */
#define GPTL_CLAIM_MPI "mpi"     /* a process called MPI */
#define GPTL_CLAIM_RANK                                                                            \
    "rank" /* a rank of an MPI job that began; the file contains the number of ranks */
#define GPTL_CLAIM_ENDED "ended" /* by `gptl run`: it has ended, and left the directory to others */

/* Return the key of TEXT, appended to the texts of key BEFORE (0: none). */
uint64_t gptl_claim_key(uint64_t before, const char *text);

/*
 * Claim KEY of this KIND in FOLDER. Return 1 to the first process, 0 to all others, -1 on failure.
 * Write CONTENT into the file, unless it is NULL. Preserves errno; safe in signal handlers, makes
 * no I/O call that could be recorded as the host's, and is not a cancellation point.
 */
int gptl_claim(const char *folder, const char *kind, uint64_t key, const char *content);

/* Return whether the key is claimed; safe in signal handlers as well. */
bool gptl_claim_is_made(const char *folder, const char *kind, uint64_t key);

/*
 * Remove FOLDER if it contains only claims and `gptl run` has ended. A process that outlives its
 * command calls this after it has removed its own file: the last one removes the directory. Same
 * guarantees as gptl_claim.
 */
void gptl_claim_leave(const char *folder);

#endif
