/*
 * kept.h - the memory of the recorder that must survive a kill: the ring of chunks, what was open
 * before, and the names. With the option `salvage` it is a shared mapping of a file (salvage.h).
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
    struct gptl_ioc_salvage *head; /* NULL: there is no memory */
    struct gptl_ioc_open *base;
    struct gptl_ioc_ring ring;
    bool shared; /* it is in the file */
} gptl_ioc_kept;

/*
 * Before what is taken for one thread at a time, until BEFORE is set again: a signal handler that records would
 * wait for what it has interrupted.
 */
static inline void gptl_ioc_kept_block(gptl_raw_signals *before)
{
    gptl_raw_block(before);
}

/* Takes memory for a ring of BYTES, a multiple of a chunk's. */
bool gptl_ioc_kept_begin(uint64_t bytes, bool salvage);
/*
 * Moves it into a file, whose header's SECTION and LOG are filled in. The texts are the contents of
 * the blocks of these types. Returns false, with errno, where that cannot be.
 */
bool gptl_ioc_kept_save(const struct gptl_ioc_text *process, const struct gptl_ioc_text *calls,
                        const struct gptl_ioc_text *unseen);
/* In a child of fork: all is empty, and not in the parent's file. */
void gptl_ioc_kept_child(void);
/*
 * Whether this is a child that nobody told of: only raw system calls make such ones. Who finds that
 * makes it known, if `gptl_ioc_kept_adopt` returns true; of several threads it does to one, which ends
 * with `gptl_ioc_kept_adopted`, and to others when that is done, false.
 */
bool gptl_ioc_kept_is_strange(void);
bool gptl_ioc_kept_adopt(gptl_raw_signals *signals);
void gptl_ioc_kept_adopted(const gptl_raw_signals *signals);
/*
 * Whether this is a child that has no file yet. It gets one when it has something to record: most go on by
 * exec before. Who finds that saves it, in the same way.
 */
bool gptl_ioc_kept_is_unsaved(void);
bool gptl_ioc_kept_begin_save(gptl_raw_signals *signals);
void gptl_ioc_kept_saved(const gptl_raw_signals *signals);
/* All that was recorded is in the log: removes the file. */
void gptl_ioc_kept_done(void);

/*
 * Room in the file is claimed before it is stored to, since a page that a full disk cannot back kills
 * who stores there. Where there is none, this memory is not in the file from there on.
 */
void gptl_ioc_kept_chunk(uint32_t slot);
bool gptl_ioc_kept_base(int fd); /* false: there is no room, and no more can be had */
/*
 * Claims room for what comes when no system call may be made any more. Returns false if nothing would find
 * it: it is memory of this process alone.
 */
bool gptl_ioc_kept_seal(void);
/* Whether a chunk can be stored to, or could be, if that is not bounded, nor sealed. */
bool gptl_ioc_kept_has_chunk(uint32_t slot);
/* From now on there is some memory more, and no more than that: it is about to be locked. */
void gptl_ioc_kept_bound(void);

/* Names, for the file. Of one that is there already, what is known of it now. */
void gptl_ioc_kept_file(struct gptl_posix_file *file);
void gptl_ioc_kept_path(const struct gptl_ioc_path *path);

#endif
