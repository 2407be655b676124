/*
 * claim.h - what processes of a `gptl run` leave in its folder, for one another and for it: files whose
 * names say which line was said, which path is taken. It needs nothing else of the core, and is in the
 * preloaded libraries as well.
 */
#ifndef GPTL_CORE_CLAIM_H
#define GPTL_CORE_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

/* All that begin so go with the folder. */
#define GPTL_CLAIM_PREFIX "claim."

/* What is claimed. */
#define GPTL_CLAIM_LINE "line"   /* a line that was said on stderr */
#define GPTL_CLAIM_PATH "path"   /* a path that a report is to have */
#define GPTL_CLAIM_OWNER "owner" /* the path, by a process: its number is in the key */
#define GPTL_CLAIM_WROTE "wrote" /* a report that was written; its path is in the file */
#define GPTL_CLAIM_MPI "mpi"     /* a process called MPI */
#define GPTL_CLAIM_RANK                                                                            \
    "rank" /* a rank of an MPI job that began; the number of ranks is in the file */
#define GPTL_CLAIM_ENDED "ended" /* by `gptl run`: it has ended, and left the folder to others */

/* TEXT as a key, behind those of other texts, at first 0. */
uint64_t gptl_claim_key(uint64_t before, const char *text);

/*
 * Returns 1 to the first process that claims KEY of this KIND in FOLDER, 0 to all others, -1 when it
 * cannot be told. CONTENT goes into the file, unless it is NULL. Keeps errno; safe in signal handlers,
 * no call of the host's I/O that could be recorded, and no point of cancellation.
 */
int gptl_claim(const char *folder, const char *kind, uint64_t key, const char *content);

/* Whether it is claimed; safe in signal handlers as well. */
bool gptl_claim_is_made(const char *folder, const char *kind, uint64_t key);

/*
 * Removes FOLDER if nothing but claims is in it, and `gptl run` has ended. A process that outlives its
 * command calls this when it has removed its own file: the last one takes the folder with it. As above.
 */
void gptl_claim_leave(const char *folder);

#endif
