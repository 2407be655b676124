/* code.h - what is added to the code of a block. */
#ifndef GPTL_MEMSIG_CODE_H
#define GPTL_MEMSIG_CODE_H

#include "memsig.h"

/* An access as it stands in the block. */
struct access {
    const IRExpr *address, *guard; /* GUARD: whether it is made; NULL: always */
    UInt bytes;
    Bool store;
    struct repeated *repeated; /* it is one element of many; NULL: it is not … */
    IRExpr *left;              /* … and there are so many, with this one */
};

IRExpr *memsig_number(ULong value);
/* What the program's register at OFFSET in its state holds. */
IRExpr *memsig_register(IRSB *out, Int offset);
/* GUARD: whether it is called; NULL: always. */
IRDirty *memsig_call(IRSB *out, const HChar *name, void *function, IRExpr **arguments,
                     IRExpr *guard);

/* A block begins: it may be in another region than before, and another block than was executed last. */
void memsig_put_begin(IRSB *out, struct block *block);
/* Leaves a block that is to be translated anew, before it does anything. */
void memsig_put_check(IRSB *out, Addr address, Int offset_of_ip);
/* PART of BLOCK is executed once more; or as often as TIMES is, if that is not NULL. */
void memsig_put_count(IRSB *out, const struct block *block, UInt part, IRExpr *times);
/* Where BLOCK's sites are: an address that is a constant takes an instruction each time. */
IRExpr *memsig_put_sites(IRSB *out, const struct block *block);
void memsig_put_access(IRSB *out, IRExpr *sites, struct site *site, struct access *access);

/* A STRETCH of BLOCK ends, where code leaves if GUARD is so; NULL: it does. */
void memsig_put_stretch(IRSB *out, const struct block *block, UInt stretch, const IRExpr *guard);

/* Whether the block at ADDRESS is the library's, whose work is not the program's. */
Bool memsig_is_own(DiEpoch epoch, Addr address);
/* Such a block, from statement FIRST on. */
void memsig_put_own(IRSB *out, const IRSB *in, Int first, DiEpoch epoch, Addr address);

#endif
