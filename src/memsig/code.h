/* code.h - generates the instrumentation code of a block. */
#ifndef GPTL_MEMSIG_CODE_H
#define GPTL_MEMSIG_CODE_H

#include "memsig.h"

/* A memory access in a block. */
struct access {
    const IRExpr *address, *guard; /* GUARD: condition for the access; NULL: unconditional */
    UInt bytes;
    Bool store;
    struct repeated *repeated; /* set for one element of a repeated access; else NULL */
    IRExpr *left;              /* elements that remain, including this one */
};

IRExpr *memsig_number(ULong value);
/* Return the contents of the guest register at OFFSET in the guest state. */
IRExpr *memsig_register(IRSB *out, Int offset);
/* Create a helper call. GUARD: its condition; NULL: unconditional. */
IRDirty *memsig_call(IRSB *out, const HChar *name, void *function, IRExpr **arguments,
                     IRExpr *guard);

/* Insert the block's head, which detects a new region or a different previously executed block. */
void memsig_put_begin(IRSB *out, struct block *block);
/* Insert code that leaves a stale block before it takes effect, so that it is translated again. */
void memsig_put_check(IRSB *out, Addr address, Int offset_of_ip);
/* Insert code that adds one execution of PART of BLOCK, or TIMES executions if that is not NULL. */
void memsig_put_count(IRSB *out, const struct block *block, UInt part, IRExpr *times);
/*
 * Insert the address of BLOCK's sites as a value; a constant address would take an instruction at
 * each use.
 */
IRExpr *memsig_put_sites(IRSB *out, const struct block *block);
void memsig_put_access(IRSB *out, IRExpr *sites, struct site *site, struct access *access);

/*
 * Insert the end of a STRETCH of BLOCK, a possible exit. GUARD: exit condition; NULL:
 * unconditional.
 */
void memsig_put_stretch(IRSB *out, const struct block *block, UInt stretch, const IRExpr *guard);

/*
 * Return whether the block at ADDRESS belongs to the library, whose work is excluded from the
 * program's.
 */
Bool memsig_is_own(DiEpoch epoch, Addr address);
/* Insert the code of a library block, from statement FIRST on. */
void memsig_put_own(IRSB *out, const IRSB *in, Int first, DiEpoch epoch, Addr address);

#endif
