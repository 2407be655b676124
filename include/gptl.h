/*
 * gptl.h - the C interface of libgptl, a call-path timing library.
 *
 * A region is a name. GPTLstart(name) and GPTLstop(name) around a piece of code give one node in
 * the tree of the calling thread: the region reached by the path of regions open at that moment.
 *
 *     #include <gptl.h>
 *
 *     GPTLstart("solve");
 *     ...
 *     GPTLstop("solve");
 *
 * That is enough: the first start turns the library on, and a report, timing.0, is written when
 * the process ends. GPTLinitialize, GPTLpr and GPTLfinalize take control of both moments.
 *
 * For every function here, unless said otherwise:
 *  - it returns 0, or -1 after an error, which is counted, described in one line on stderr and
 *    leaves all arguments that point to results untouched;
 *  - it may be called from any thread, also while other threads start and stop regions;
 *  - it is not async-signal-safe, except that a signal handler may start and stop regions: a call
 *    that interrupts the library itself is dropped and counted in the report;
 *  - NAME is a NUL-terminated string of any length and content, which is copied. An empty one is
 *    the region "(empty)";
 *  - an argument that is NULL is an error;
 *  - times are in seconds, memory in MB (1 MB = 1,048,576 bytes), thread numbers count from 0.
 *
 * The manual pages are made from this file: man/header2man tells how.
 */
#ifndef GPTL_H
#define GPTL_H

#define GPTL_VERSION_MAJOR 9
#define GPTL_VERSION_MINOR 0
#define GPTL_VERSION_PATCH 0

#if defined(__GNUC__)
#define GPTL_API __attribute__((visibility("default")))
#else
#define GPTL_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Options of GPTLsetoption. Each has a key of the same name without "GPTL" in GPTL_OPTIONS. */
enum GPTLoption {
    GPTLsync_mpi = 0,         /* time a synchronization before MPI collectives; off */
    GPTLwall = 1,             /* wall-clock columns; on */
    GPTLcpu = 2,              /* user and system CPU time of the thread; off */
    GPTLabort_on_error = 3,   /* end the process on the first error; off */
    GPTLoverhead = 4,         /* print the library's own cost; on */
    GPTLprofile_ovhd = 4,     /* the same, as climate models call it */
    GPTLdepthlimit = 5,       /* deepest level timed; no limit */
    GPTLverbose = 6,          /* say on stderr what the library does; off */
    GPTLnarrowprint = 7,      /* counter columns of 8 characters, not 16; on */
    GPTLpercent = 9,          /* percent-of-first-region column; off */
    GPTLpersec = 10,          /* counters also per second; on */
    GPTLmultiplex = 11,       /* allow counters to share the hardware in turn; off */
    GPTLdopr_preamble = 12,   /* print the preamble; on */
    GPTLdopr_threadsort = 13, /* print the section sorted by region over threads; on */
    GPTLdopr_multparent = 14, /* print the section of regions with several parents; on */
    GPTLdopr_collision = 15,  /* print how the hash tables are filled; on */
    GPTLprint_method = 16,    /* under which parent a region is printed; GPTLmost_frequent */
    GPTL_IPC = 17,            /* derived event: instructions per cycle; off, as all of them */
    GPTL_CI = 18,             /* floating-point operations per load or store */
    GPTL_FPC = 19,            /* floating-point operations per cycle */
    GPTL_FPI = 20,            /* floating-point operations per instruction */
    GPTL_LSTPI = 21,          /* loads and stores per instruction */
    GPTL_DCMRT = 22,          /* miss rate of the level-1 data cache */
    GPTL_LSTPDCM = 23,        /* loads and stores per miss of the level-1 data cache */
    GPTL_L2MRT = 24,          /* miss rate of the level-2 cache */
    GPTL_LSTPL2M = 25,        /* loads and stores per miss of the level-2 cache */
    GPTL_L3MRT = 26,          /* read miss rate of the level-3 cache */
    GPTLdopr_memusage = 27,   /* print on stderr where the process grew; off */
    GPTLtablesize = 50,       /* first size of each thread's hash table; it grows by itself */
    GPTLmaxthreads = 51,      /* how many threads to expect; a hint */
    GPTLonlyprint_rank0 = 52, /* only rank 0 writes a report; off */
    GPTLmem_growth = 53,      /* growth in percent that dopr_memusage reports; 10 */
    GPTLdopr_quotes = 54,     /* region names in quotes; off */
    GPTLprint_mode = 55       /* GPTLprint_write or GPTLprint_append; GPTLprint_write */
};

/* Clocks of GPTLsetutr. */
enum GPTLclock {
    GPTLgettimeofday = 1,   /* microseconds, may be set back by an administrator */
    GPTLnanotime = 2,       /* the processor's time-stamp counter: cheapest and finest */
    GPTLread_real_time = 3, /* AIX only: elsewhere an error */
    GPTLmpiwtime = 4,       /* MPI_Wtime, with the MPI library; while MPI does not run, as 5 */
    GPTLclockgettime = 5,   /* clock_gettime(CLOCK_MONOTONIC) */
    GPTLpapitime = 6,       /* PAPI_get_real_nsec, with the counter library */
    GPTLplacebo = 7         /* always 0: counts calls, costs nothing */
};

/* Values of the option GPTLprint_method of GPTLsetoption. */
enum GPTLmethod {
    GPTLfirst_parent = 1,  /* under the parent that called it first */
    GPTLlast_parent = 2,   /* under the parent that was the last to call it for a first time */
    GPTLmost_frequent = 3, /* under the parent with most calls (the default) */
    GPTLfull_tree = 4      /* under each parent, with the numbers of that path */
};

/* Values of the option GPTLprint_mode, of GPTLprint_mode_set and GPTLprint_mode_query. */
enum GPTLprintmode {
    GPTLprint_write = 1, /* report files are overwritten (the default) */
    GPTLprint_append = 2 /* they are appended to */
};

/* The names of these types in programs written for GPTL 8. */
typedef enum GPTLoption GPTLoption;
typedef enum GPTLclock GPTLFuncoption;
typedef enum GPTLmethod GPTLMethod;

/* ---- On, off, options ------------------------------------------------------------------- */

/*
 * Sets OPTION to VAL (0 and 1 for off and on). Allowed until the first explicit GPTLinitialize.
 * OPTION may also be an event, GPTL_IPC and the other derived ones or PAPI's numbers.
 * Errors: unknown option, value out of bounds, called after GPTLinitialize, an event that cannot be
 * counted here (the message says why).
 * All options, and those that have no number, can be given in the environment as well:
 * GPTL_OPTIONS="key=value;key=value"; what the environment says wins.
 */
GPTL_API int GPTLsetoption(int option, int val);

/*
 * Chooses the clock. The default is the best that passes a check at start (source, monotonic, cost,
 * resolution), normally GPTLnanotime. Times already taken with another clock are converted.
 * GPTLnanotime is GPTLclockgettime where the processor's counter cannot be trusted; the report says so.
 * Errors: unknown clock, a clock that this machine or this library does not have, called after
 * GPTLinitialize.
 */
GPTL_API int GPTLsetutr(int clock);

/*
 * Turns the library on and closes the option window. It nests: a program and a library in it may
 * both call it, and the last GPTLfinalize ends. What an earlier implicit start measured is kept.
 * From now on the program prints its own reports (GPTLpr and its kin): an automatic report follows only
 * if GPTL_OPTIONS or `gptl run` requests it (output=...).
 * Errors: out of memory.
 */
GPTL_API int GPTLinitialize(void);

/*
 * Undoes one GPTLinitialize. The last one ends the measurement, writes the automatic report if that
 * is still due, and forgets regions, times and options. Starts after it return -1, with one
 * warning in all. Errors: not initialized.
 */
GPTL_API int GPTLfinalize(void);

/* Whether the library is on. Returns: 1 or 0. */
GPTL_API int GPTLis_initialized(void);

/*
 * Stops and resumes measuring, for every thread. A region that is open when GPTLdisable is called
 * counts up to that moment; if it is still open at GPTLenable it goes on from there. A region that
 * is started in between is never timed, and its name is not kept: the next stop after GPTLenable,
 * but for regions started since then, is taken for its stop. So regions must nest there: a region
 * around it that is stopped first stays open. The two do not nest, and turn the library on, as a
 * first start does. Errors: the library was finalized.
 */
GPTL_API int GPTLenable(void);
GPTL_API int GPTLdisable(void);

/*
 * Sets times and counts to zero in all threads: all of them, or those of region NAME. The tree
 * stays. A region that is open goes on from the moment of the reset. After GPTLreset reports say
 * that the measurement began then.
 * Errors: not initialized; no such region.
 */
GPTL_API int GPTLreset(void);
GPTL_API int GPTLreset_timer(const char *name);

/*
 * Ends an interval: the report gives for each region its calls, sum, minimum and maximum since the
 * mark before, under LABEL, for every thread. An empty LABEL becomes "(empty)". When more than
 * `marks` (an option, 64) intervals are kept, neighbouring ones are joined, so memory stays bounded
 * and the whole run stays covered. Errors: not initialized, out of memory.
 */
GPTL_API int GPTLmark(const char *label);

/* ---- Regions ---------------------------------------------------------------------------- */

/*
 * Starts and stops region NAME on the calling thread. A stop ends the innermost open region of that
 * name. A region started while it is open counts one more call, and its time once. Regions opened
 * inside the one that is stopped stay open, and the report lists the pair as crossed. If their
 * stops never come, they end when they are started again or when a region around the one that was
 * stopped is stopped as well, with the time up to the first stop. Errors: GPTLstop of a region that
 * is not open on this thread; the library was finalized.
 */
GPTL_API int GPTLstart(const char *name);
GPTL_API int GPTLstop(const char *name);

/*
 * Starts and stops region NAME by a handle, otherwise as GPTLstart and GPTLstop do. That saves the
 * search. *HANDLE must be 0 before its first use; it then belongs to NAME and may be used by all
 * threads. A handle kept in a 64-bit integer set to 0 works on little-endian machines.
 * GPTLinit_handle makes the handle and starts nothing. Errors: as of GPTLstart and GPTLstop; a
 * handle that belongs to another name.
 */
GPTL_API int GPTLinit_handle(const char *name, int *handle);
GPTL_API int GPTLstart_handle(const char *name, int *handle);
GPTL_API int GPTLstop_handle(const char *name, int *handle);

/*
 * Starts and stops a region, its name given with its LENGTH in bytes, as Fortran gives it: blanks
 * at the end do not count and a NUL ends the name. Errors: as of the functions without the letter
 * f; a negative LENGTH.
 */
GPTL_API int GPTLstartf(const char *name, int length);
GPTL_API int GPTLstopf(const char *name, int length);
GPTL_API int GPTLstartf_handle(const char *name, int length, int *handle);
GPTL_API int GPTLstopf_handle(const char *name, int length, int *handle);

/*
 * Start and stop the region `threadohd_outer`, for the thread that comes to a loop of several
 * threads, and `threadohd_inner`, for each thread around its part of the loop. What the first one
 * took longer than the second is the time to start the threads and to wait for the last one.
 * Errors: as of GPTLstart and GPTLstop.
 */
GPTL_API int GPTLstart_threadohd_outer(void);
GPTL_API int GPTLstart_threadohd_inner(void);
GPTL_API int GPTLstop_threadohd_outer(void);
GPTL_API int GPTLstop_threadohd_inner(void);

/*
 * Adds calls of known time to region NAME, as a child of what is open: one call that took VALUE
 * seconds, or CALLS calls that took VALUE seconds together. Errors: VALUE negative or not finite;
 * CALLS below 1; the node's times would be above 2^61 ticks together (73 years of nanoseconds).
 */
GPTL_API int GPTLstartstop_val(const char *name, double value);
GPTL_API int GPTLstartstop_vals(const char *name, double value, int calls);
GPTL_API int GPTLstartstop_valsf(const char *name, int length, double value, int calls);

/*
 * Puts PREFIX before the name of every region that this thread starts from now on; a stop names the
 * region as its start did. GPTLprefix_set replaces the prefix set before. Errors: NULL, a negative
 * length, out of memory.
 */
GPTL_API int GPTLprefix_set(const char *prefix);
GPTL_API int GPTLprefix_setf(const char *prefix, int length);
GPTL_API int GPTLprefix_unset(void);

/* ---- Reports ---------------------------------------------------------------------------- */

/*
 * Writes the report of all threads to timing.<PROCID> in the working directory (with the option
 * output.path, where that says), or to FILE; a negative PROCID means stderr. The file appears under its
 * name only when it is complete. May be called any number of times and while regions are open, which are
 * not charged with the time that it takes.
 * Errors: not initialized; the file cannot be written (the message says why).
 */
GPTL_API int GPTLpr(int procid);
GPTL_API int GPTLpr_file(const char *file);

/*
 * Chooses whether report files are appended to or overwritten, and tells which: sets the option
 * `append` on or off, which is allowed at any time. A JSON or XML report that would be appended
 * goes to a file of its own. Returns: the queries 1 or 0, the others 0.
 */
GPTL_API int GPTLpr_set_append(void);
GPTL_API int GPTLpr_query_append(void);
GPTL_API int GPTLpr_set_write(void);
GPTL_API int GPTLpr_query_write(void);

/*
 * The same by the names of the climate models: MODE is GPTLprint_write or GPTLprint_append. Errors:
 * another MODE. Returns: the query one of these, the other 0.
 */
GPTL_API int GPTLprint_mode_query(void);
GPTL_API int GPTLprint_mode_set(int mode);

/* ---- Queries ----------------------------------------------------------------------------- */

/*
 * T is a thread number as printed in the report; T < 0 means the calling thread. A region reached
 * by several paths gives their sum. Calls count, with their time, when they end; a count beyond an
 * int's range is INT_MAX. Errors: not initialized; no such region in that thread; no such thread.
 */

/*
 * Seconds and count of NAME so far, whether it is open now (*ONFLG 1 or 0), CPU seconds (0 unless
 * GPTLcpu is on), and up to MAXCOUNTERS hardware counters. Any result pointer may be NULL.
 */
GPTL_API int GPTLquery(const char *name, int t, int *count, int *onflg, double *wall, double *usr,
                       double *sys, long long *papicounters_out, int maxcounters);

/* All hardware counters of NAME, as many as are enabled. */
GPTL_API int GPTLquerycounters(const char *name, int t, long long *papicounters_out);

/* Seconds of NAME: in all, and of its latest call that has ended. */
GPTL_API int GPTLget_wallclock(const char *name, int t, double *value);
GPTL_API int GPTLget_wallclock_latest(const char *name, int t, double *value);

/* Calls of NAME. */
GPTL_API int GPTLget_count(const char *name, int t, int *count);

/*
 * The largest thread's seconds in NAME, and how far they are above the mean of all threads that
 * know it. Errors: not initialized; no such region in any thread.
 */
GPTL_API int GPTLget_threadwork(const char *name, double *maxwork, double *imbal);

/*
 * The number of regions of thread T, and the name of number REGION (from 0, in the order of
 * their first start). A name that does not fit SIZE bytes is cut, ends with NUL, and -1 comes back.
 */
GPTL_API int GPTLget_nregions(int t, int *nregions);
GPTL_API int GPTLget_regionname(int t, int region, char *name, int size);

/*
 * Seconds now: wall (of CLOCK_MONOTONIC, whatever clock is in use), and the user and system CPU
 * seconds of the process. Works also when the library is off.
 */
GPTL_API int GPTLstamp(double *wall, double *usr, double *sys);

/*
 * Hardware counters and derived events. GPTLget_eventvalue gives the value of EVENT in region TIMER
 * of thread T (T < 0: the calling one). The numbers of events, as GPTLsetoption takes them, and
 * their names belong together: NAME is one of PAPI's or of the derived events, GPTL_IPC say.
 * GPTLevent_code_to_name needs 128 bytes for it. GPTL_PAPIlibraryinit starts PAPI, for numbers that
 * a program wants before its first event is set. Errors: PAPI is not there (only derived events have
 * names then); the event is not known, not enabled, or has no value there; no such region.
 */
GPTL_API int GPTL_PAPIlibraryinit(void);
GPTL_API int GPTLevent_name_to_code(const char *name, int *code);
GPTL_API int GPTLevent_code_to_name(int code, char *name);
GPTL_API int GPTLget_eventvalue(const char *timer, const char *event, int t, double *value);

/*
 * MB of memory: resident; total and resident. In climate models GPTLget_memusage has five integer
 * arguments instead (size, resident and others, in pages). Such calls must be changed: Fortran that
 * declares the function by hand compiles, but gets no meaningful numbers. Errors: the system does
 * not tell.
 */
GPTL_API int GPTLget_memusage(float *megabytes);
GPTL_API int GPTLget_procsiz(float *total, float *resident);

/* Prints the memory of the process, or what getrusage(2) says, in a line on stderr with LABEL. */
GPTL_API int GPTLprint_memusage(const char *label);
GPTL_API int GPTLprint_rusage(const char *label);

/*
 * The number of errors and of warnings so far, printed or not. A stop that crosses another region's
 * counts as a warning; it is not printed, as the report lists it. Returns: that number.
 */
GPTL_API int GPTLnum_errors(void);
GPTL_API int GPTLnum_warn(void);

#ifdef __cplusplus
}
#endif

/*
 * After mpi.h this header has GPTLpr_summary as well: users of the climate models' GPTL include no
 * other. Where the library was built without MPI there is no gptlmpi.h.
 */
#if defined(MPI_VERSION) && defined(__has_include)
#if __has_include(<gptlmpi.h>)
#include <gptlmpi.h>
#endif
#endif

#endif
