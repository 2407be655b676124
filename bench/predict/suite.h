/*
 * suite.h - what the programs of the prediction suite share: a kernel, its memory, its run.
 *
 * A program is called as `suite KERNEL BYTES SWEEPS CALLS`. BYTES is the working set; a call of the
 * region KERNEL makes SWEEPS sweeps over it, so that what is timed is long beside a start and a
 * stop. Measured and traced runs differ in CALLS only.
 */
#ifndef SUITE_H
#define SUITE_H

#include <stddef.h>
#include <stdint.h>

struct kernel {
    const char *name;
    void (*prepare)(size_t bytes);
    void (*sweep)(void); /* over all that was prepared */
};

/* The kernels of this program; the one without a name ends them. */
extern const struct kernel suite_kernels[];

/*
 * Memory that is never freed, on huge pages when the environment has SUITE_PAGES=huge. No two blocks
 * begin at the same place of a page, since stores would seem to hit loads 4 KiB away.
 */
void *suite_memory(size_t bytes);

/* The next of a sequence of random numbers that is the same in each run. */
uint64_t suite_random(void);

/* Says why the program cannot go on, and ends it. */
__attribute__((noreturn)) void suite_stop(const char *why);

#endif
