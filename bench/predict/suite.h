/*
 * suite.h - shared interface of the programs of the prediction suite: a kernel, its memory, its
 * run.
 *
 * A program is called as `suite KERNEL BYTES SWEEPS CALLS`. BYTES is the working set; a call of the
 * region KERNEL makes SWEEPS sweeps over it, so that the timed work is long compared with a start
 * and a stop. Measured and traced runs differ in CALLS only.
 */
#ifndef SUITE_H
#define SUITE_H

#include <stddef.h>
#include <stdint.h>

struct kernel {
    const char *name;
    void (*prepare)(size_t bytes);
    void (*sweep)(void); /* sweep over the prepared data */
};

/* The kernels of this program; one without a name terminates them. */
extern const struct kernel suite_kernels[];

/*
 * Allocate memory that is never freed, on huge pages if the environment contains SUITE_PAGES=huge.
 * No two blocks begin at the same page offset, because loads would falsely depend on stores 4 KiB
 * away.
 */
void *suite_memory(size_t bytes);

/* Return the next number of a random sequence that is the same in each run. */
uint64_t suite_random(void);

/* Print the reason why the program cannot continue, and end it. */
__attribute__((noreturn)) void suite_stop(const char *why);

#endif
