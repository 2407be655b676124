/* steps.h - sums per time step, of each process and of all. */
#ifndef GPTL_POSTPROC_IOC_STEPS_H
#define GPTL_POSTPROC_IOC_STEPS_H

#include <stddef.h>
#include <stdint.h>

#include "postproc/ioc/ioc.h"

enum { STEP_VALUES = 9 };

struct step {
    uint64_t value[STEP_VALUES];
};

/* Steps from the first to the last nonempty one. */
struct lane_steps {
    uint64_t first;
    struct step *steps;
    size_t n, room;
};

struct steps {
    unsigned nvalues;
    int64_t step;                  /* nanoseconds */
    uint64_t first, end;           /* range over all processes */
    struct lane_steps all, *lanes; /* by process */
    uint32_t nlanes;
};

/* Choose the step. Returns 0, or -1 after a message. */
int steps_begin(struct steps *steps, const struct ioc *ioc, unsigned nvalues);
/* Add N to the sums of the process and of all. */
void steps_add(struct steps *steps, uint32_t process, int64_t time, unsigned value, uint64_t n);
void steps_free(struct steps *steps);

/* Return step I; all 0 if absent. */
const struct step *steps_at(const struct lane_steps *lane, uint64_t i);

/* Two curves or surfaces: sums of VALUES[0] and VALUES[1], which are bytes or calls. */
struct steps_picture {
    const char *title[2];
    const unsigned *values[2]; /* indices to sum up, terminated by STEP_VALUES */
    const char *calls;         /* name of the counted calls; NULL: bytes */
};
int steps_draw(const struct steps *steps, const struct ioc *ioc,
               const struct steps_picture *picture);

#endif
