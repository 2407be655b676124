/*
 * salvage.h - the file that preserves trees and names when the process is killed.
 *
 * The file consists of the library's own kept pages, mapped shared: a header, then extents, each
 * the image of pages at an address of the process. Nothing is written in addition to the
 * measurements, so a call costs no additional time. Intervals of GPTLmark are not included.
 */
#ifndef GPTL_CORE_SALVAGE_H
#define GPTL_CORE_SALVAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GPTL_SALVAGE_PREFIX "gptl-salvage." /* of the file name; host and process id follow */
#define GPTL_SALVAGE_MAGIC "GPTLsalv"

enum { GPTL_SALVAGE_VERSION = 8, GPTL_SALVAGE_EXTENTS = 8192 };

struct gptl_salvage_extent {
    uint64_t address; /* address in the process; 0 for a freed extent */
    uint64_t offset;  /* offset in the file */
    uint64_t size;
};

struct gptl_salvage_header {
    char magic[8];
    uint32_t version;
    uint32_t node_size, thread_size; /* layout of the writer */
    uint32_t nextents;               /* used entries of extents */
    uint32_t reported;               /* the process has reported all data of the file */
    uint32_t is_partial;             /* later pages lacked room */
    int64_t pid;
    int64_t rank;        /* MPI rank; -1: unknown */
    double started;      /* start of the measurement, in seconds since 1970 */
    uint64_t started_at; /* start of the measurement, in ticks of the clock */
    double seconds_per_tick;
    char clock[32], clock_source[64], clock_kernel[64];
    double clock_cost, clock_resolution;
    char program[1024];
    uint64_t threads; /* address of the array of threads */
    uint64_t nthreads;
    uint64_t modules, functions; /* addresses of the first elements */
    uint64_t metrics;            /* address, or 0 */
    struct gptl_salvage_extent extents[GPTL_SALVAGE_EXTENTS];
};

/* All of these functions take the lock. */

/* Create the file and move existing kept pages into it, if the option is on. */
void gptl_salvage_begin(void);
/* Update the header: threads, functions, metrics, rate of the clock. */
void gptl_salvage_update(void);
/* Record the start of a measurement in the header. */
void gptl_salvage_started(void);
/* Return zeroed pages of the file; NULL without a file or room. */
void *gptl_salvage_pages(size_t size);
/* Remove pages from the file before they are freed. */
void gptl_salvage_forget(void *pages);
/* Remove the file at the end of the process, if all its data were reported. */
void gptl_salvage_end(void);
/*
 * Steps around a fork, with the lock held: in the child the pages become private, and the file
 * remains the parent's. The parent waits for this.
 */
void gptl_salvage_before_fork(void);
void gptl_salvage_parent(void);
void gptl_salvage_child(void);

#endif
