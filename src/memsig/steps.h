/*
 * steps.h - what a core does for the instructions of a block, step by step, and what each step waits for. Values are in
 * places: those of the program's registers, by words, and those of the block's own.
 */
#ifndef GPTL_MEMSIG_STEPS_H
#define GPTL_MEMSIG_STEPS_H

#include "memsig.h"

#include "libvex_ir.h"

enum step_kind {
    STEP_BEGIN,         /* an instruction begins … */
    STEP_BEGIN_INTEGER, /* … or one that writes a general register */
    STEP_FREE,          /* it takes nothing: its result is there when all that it is made of is */
#define NUMBER(name)
#define STEP(name, port) STEP_##name,
#include "core.def"
#undef NUMBER
#undef STEP
    STEP_KINDS
};

/* A unit of vectors does it. */
static inline Bool is_of_vectors(UInt kind)
{
    return kind >= STEP_ADD && kind <= STEP_VECTOR;
}

enum {
    STEPS_REGISTERS = 192,
    STEPS_TEMPS = 8192,
    STEPS_FRESH = 512,
    STEPS_PLACES = STEPS_REGISTERS + STEPS_TEMPS + STEPS_FRESH, /* 0: of what is always there */
    STEPS_SOURCES = 3
};

struct step {
    UChar kind;
    Bool
        books; /* it needs a port: the first one of its kind in an instruction, or of its access; at the begin of an
                   instruction: that writes a vector register */
    UShort to, site;
    UShort from[STEPS_SOURCES]; /* of a store, the second one is what is stored */
};

/* How it goes on somewhere else. */
enum step_jump { STEP_GOES_ON, STEP_JUMPS, STEP_CALLS };

/* What is in a register when code leaves. */
struct move {
    UShort to, from;
};

/* What is done between two places where code may leave the block. */
struct stretch {
    UInt end, end_of_moves; /* among all steps and moves of the block */
    UShort guard;           /* where it stands whether code leaves; 0: it always does */
    UShort branch;          /* the guesser's number of it, and one more; 0: nothing is guessed */
    UChar leaves, stays;    /* enum step_jump, where code leaves and where it does not */
    Bool last;              /* there is nothing behind it, where code leaves as well */
};

struct steps {
    UInt nsteps, nmoves, nstretches;
    struct step *steps;
    struct move *moves;
    struct stretch *stretches;
};

/* Nothing is to be done in a stretch of a string instruction that begins anew, of which cores know nothing. */
static inline Bool memsig_has_steps(const struct steps *steps, UInt stretch)
{
    const struct stretch *own = &steps->stretches[stretch];
    return own->end > (stretch > 0 ? own[-1].end : 0) ||
           own->end_of_moves > (stretch > 0 ? own[-1].end_of_moves : 0);
}

/* The steps of a block are made as its statements are told one by one, of instructions that are told before them. */
void memsig_steps_begin(const IRSB *in);
void memsig_steps_instruction(Bool writes_integer);
/* SITE: of its access, if it makes one. */
void memsig_steps_statement(const IRSB *in, const IRStmt *statement, UInt site);
/* Code may leave by JUMP, if GUARD says so; NULL: it does. BRANCH as in a stretch. */
void memsig_steps_leave(const IRExpr *guard, UInt branch, enum step_jump jump);
/* It leaves then in any case, by JUMP if it has not. */
void memsig_steps_left(enum step_jump jump);
/* What was made, until the next block begins. */
const struct steps *memsig_steps_end(void);
struct steps *memsig_steps_copy(const struct steps *steps);

/* Looks at a block, of whose values the kinds are asked for then, those of loads as well. */
void memsig_kinds_begin(const IRSB *in);
enum step_kind memsig_kind_of(const IRSB *in, IRTemp to, const IRExpr *value);
enum step_kind memsig_kind_of_store(const IRSB *in, const IRExpr *value);

#endif
