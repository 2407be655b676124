/*
 * kept.h - the recorder's memory, which must survive a kill: the ring of chunks, the descriptors
 * that were open before, and the names. With the option `salvage` it is a shared mapping of a file
 * (salvage.h).
 */
#ifndef GPTL_IOC_KEPT_H
#define GPTL_IOC_KEPT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "ioc/paths.h"
#include "ioc/ring.h"
#include "ioc/salvage.h"
#include "ioc/text.h"
#include "posix/posix.h"
#include "posix/raw.h"

extern struct gptl_ioc_kept {
    struct gptl_ioc_salvage *head; /* NULL: no memory */
    struct gptl_ioc_open *base;
    struct gptl_ioc_ring ring;
    bool shared; /* it is in the file */
} gptl_ioc_kept;

/*
 * Block signals before taking a lock, until gptl_raw_unblock restores BEFORE: otherwise a recording
 * signal handler would wait for the lock of the code that it interrupted.
 */
static inline void gptl_ioc_kept_block(gptl_raw_signals *before)
{
    gptl_raw_block(before);
}

/* Allocate a ring of BYTES, a multiple of the chunk size. */
bool gptl_ioc_kept_begin(uint64_t bytes, bool salvage);
/*
 * Move the memory into a file, after SECTION and LOG of its header are filled in. The texts are the
 * contents of the blocks with these types. Return false and set errno on failure.
 */
bool gptl_ioc_kept_save(const struct gptl_ioc_text *process, const struct gptl_ioc_text *calls,
                        const struct gptl_ioc_text *unseen);
/* In a child of fork: start with empty memory, separate from the parent's file. */
void gptl_ioc_kept_child(void);
/*
 * Return true in a child whose fork was not observed, which happens only with a raw system call.
 * The caller then calls gptl_ioc_kept_adopt. In one thread it returns true; this thread initializes
 * the child and calls gptl_ioc_kept_adopted. In other threads it waits for that and returns false.
 */
bool gptl_ioc_kept_is_strange(void);
bool gptl_ioc_kept_adopt(gptl_raw_signals *signals);
void gptl_ioc_kept_adopted(const gptl_raw_signals *signals);
/*
 * Return true in a child that lacks a file. It gets one at its first record, because most children
 * call exec before. The caller saves it, with the same protocol as gptl_ioc_kept_adopt.
 */
bool gptl_ioc_kept_is_unsaved(void);
bool gptl_ioc_kept_begin_save(gptl_raw_signals *signals);
void gptl_ioc_kept_saved(const gptl_raw_signals *signals);
/* Remove the file, because all recorded calls are in the log. */
void gptl_ioc_kept_done(void);

/*
 * Claim space in the file before storing to it: a store to a page that a full disk cannot back
 * kills the process. If the claim fails, the memory from there on is not in the file.
 */
void gptl_ioc_kept_chunk(uint32_t slot);
bool gptl_ioc_kept_base(int fd); /* false: no space is left */
/*
 * Claim space for records made while system calls are forbidden. Return false if the memory is
 * private, because no tool would find these records.
 */
bool gptl_ioc_kept_seal(void);
/* Return true if a chunk is writable, or can be made so within the limits and the seal. */
bool gptl_ioc_kept_has_chunk(uint32_t slot);
/* Limit the memory to a small reserve from now on, because the program is about to lock it. */
void gptl_ioc_kept_bound(void);

/* Add a name to the file, or update an existing one. */
void gptl_ioc_kept_file(struct gptl_posix_file *file);
void gptl_ioc_kept_path(const struct gptl_ioc_path *path);

#endif
