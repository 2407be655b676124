/*
 * salvage.h - the file that keeps trees and names when the process is killed.
 *
 * The file is the library's own kept pages, mapped shared: a header, then extents, each the image of
 * pages that lay at an address of the process. Nothing is written besides what is measured anyway,
 * so it costs nothing a call. Intervals of GPTLmark are not in it.
 */
#ifndef GPTL_CORE_SALVAGE_H
#define GPTL_CORE_SALVAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GPTL_SALVAGE_PREFIX "gptl-salvage." /* of the file's name; host and process id follow */
#define GPTL_SALVAGE_MAGIC "GPTLsalv"

enum { GPTL_SALVAGE_VERSION = 8, GPTL_SALVAGE_EXTENTS = 8192 };

struct gptl_salvage_extent {
    uint64_t address; /* in the process; 0 for an extent that was given back */
    uint64_t offset;  /* in the file */
    uint64_t size;
};

struct gptl_salvage_header {
    char magic[8];
    uint32_t version;
    uint32_t node_size, thread_size; /* the writer's layout */
    uint32_t nextents;               /* used entries of extents */
    uint32_t reported;               /* the process has reported what is in here */
    uint32_t is_partial;             /* later pages had no room */
    int64_t pid;
    int64_t rank;        /* -1: none */
    double started;      /* seconds since 1970 */
    uint64_t started_at; /* the clock then, in ticks */
    double seconds_per_tick;
    char clock[32], clock_source[64], clock_kernel[64];
    double clock_cost, clock_resolution;
    char program[1024];
    uint64_t threads; /* address of the array of threads */
    uint64_t nthreads;
    uint64_t modules, functions; /* addresses of the first ones */
    uint64_t metrics;            /* address, or 0 */
    struct gptl_salvage_extent extents[GPTL_SALVAGE_EXTENTS];
};

/* All of these take the lock. */

/* If the option is on: creates the file, and moves the kept pages that exist into it. */
void gptl_salvage_begin(void);
/* Brings what the header says of clock and threads up to date. */
void gptl_salvage_update(void);
/* The measurement began anew. */
void gptl_salvage_started(void);
/* Pages of the file, zeroed, or NULL: no file, or no room. */
void *gptl_salvage_pages(size_t size);
/* These pages are being given back. */
void gptl_salvage_forget(void *pages);
/* At the end of the process: removes the file, if what is in it was reported. */
void gptl_salvage_end(void);
/*
 * Around a fork, with the lock held: in the child the pages become its own, and the file stays its
 * parent's, which waits for that.
 */
void gptl_salvage_before_fork(void);
void gptl_salvage_parent(void);
void gptl_salvage_child(void);

#endif
