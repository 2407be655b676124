/*
 * steps.h - the micro-operations ("steps") of a block and their dependencies. Values live in
 * places: one per word of the guest registers, and temporaries of the block.
 */
#ifndef GPTL_MEMSIG_STEPS_H
#define GPTL_MEMSIG_STEPS_H

#include "memsig.h"

#include "libvex_ir.h"

enum step_kind {
    STEP_BEGIN,         /* start of an instruction */
    STEP_BEGIN_INTEGER, /* start of an instruction that writes a general register */
    STEP_FREE,          /* no cost: the result is available when its operands are */
#define NUMBER(name)
#define STEP(name, port) STEP_##name,
#include "core.def"
#undef NUMBER
#undef STEP
    STEP_KINDS
};

/* Return whether a vector unit executes the step. */
static inline Bool is_of_vectors(UInt kind)
{
    return kind >= STEP_ADD && kind <= STEP_VECTOR;
}

enum {
    STEPS_REGISTERS = 192,
    STEPS_TEMPS = 8192,
    STEPS_FRESH = 512,
    /* place 0: a value that is always available */
    STEPS_PLACES = STEPS_REGISTERS + STEPS_TEMPS + STEPS_FRESH,
    STEPS_SOURCES = 3
};

struct step {
    UChar kind;
    Bool
        /*
         * occupies a port: the first step of its kind in the instruction or of its access. At the
         * start of an instruction: it writes a vector register.
         */
        books;
    UShort to, site;
    UShort from[STEPS_SOURCES]; /* of a store, the second one is the stored value */
};

/* Continuation after an exit. */
enum step_jump { STEP_GOES_ON, STEP_JUMPS, STEP_CALLS };

/* Register contents when control leaves the block. */
struct move {
    UShort to, from;
};

/* The steps between two possible exits of the block. */
struct stretch {
    UInt end, end_of_moves; /* end index among all steps and moves of the block */
    UShort guard;           /* place of the exit condition; 0: unconditional */
    UShort branch;          /* the predictor's index plus one; 0: not predicted */
    UChar leaves, stays;    /* enum step_jump for leaving and for staying */
    Bool last;              /* ends the block: both outcomes leave it */
};

struct steps {
    UInt nsteps, nmoves, nstretches;
    struct step *steps;
    struct move *moves;
    struct stretch *stretches;
};

/*
 * Return whether a stretch contains work. The stretch of a restarted string instruction is empty,
 * because cores do not model it.
 */
static inline Bool memsig_has_steps(const struct steps *steps, UInt stretch)
{
    const struct stretch *own = &steps->stretches[stretch];
    return own->end > (stretch > 0 ? own[-1].end : 0) ||
           own->end_of_moves > (stretch > 0 ? own[-1].end_of_moves : 0);
}

/* Build the steps of a block: announce each instruction, then its statements, in order. */
void memsig_steps_begin(const IRSB *in);
void memsig_steps_instruction(Bool writes_integer);
/* Add a statement. SITE: the site of its access, if any. */
void memsig_steps_statement(const IRSB *in, const IRStmt *statement, UInt site);
/*
 * Add an exit by JUMP under the condition GUARD; NULL: unconditional. BRANCH is as in struct
 * stretch.
 */
void memsig_steps_leave(const IRExpr *guard, UInt branch, enum step_jump jump);
/* Add the final exit by JUMP, unless an unconditional one exists. */
void memsig_steps_left(enum step_jump jump);
/* Return the finished steps, valid until the next block begins. */
const struct steps *memsig_steps_end(void);
struct steps *memsig_steps_copy(const struct steps *steps);

/* Analyze a block; afterwards the kinds of its values are available, including loads. */
void memsig_kinds_begin(const IRSB *in);
enum step_kind memsig_kind_of(const IRSB *in, IRTemp to, const IRExpr *value);
enum step_kind memsig_kind_of_store(const IRSB *in, const IRExpr *value);

#endif
