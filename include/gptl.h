/*
 * gptl.h - the C interface of libgptl, a call-path timing library.
 *
 * A region is a named piece of code between GPTLstart(name) and GPTLstop(name). Each call path has
 * a separate node in the tree of the calling thread: the open regions at the start determine the
 * path.
 *
 *     #include <gptl.h>
 *
 *     GPTLstart("solve");
 *     ...
 *     GPTLstop("solve");
 *
 * Nothing else is required: the first start turns the library on, and the report timing.0 is
 * written when the process ends. GPTLinitialize, GPTLpr and GPTLfinalize control both moments
 * explicitly.
 *
 * For every function here, unless stated otherwise:
 *  - it returns 0, or -1 after an error, which is counted, described in one line on stderr and
 *    leaves all arguments that point to results untouched;
 *  - it may be called from any thread, also while other threads start and stop regions;
 *  - it is not async-signal-safe, except that a signal handler may start and stop regions: a call
 *    that interrupts the library itself is dropped and counted in the report;
 *  - NAME is a NUL-terminated string of any length and content, which is copied. An empty one is
 *    the region "(empty)";
 *  - a NULL argument is an error;
 *  - times are in seconds, memory in MB (1 MB = 1,048,576 bytes), thread numbers count from 0.
 *
 * The manual pages are generated from this file; man/header2man defines the format.
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

/*
 * Symbol of a function whose plain symbol is left to objects that were compiled with the header of
 * another GPTL.
 */
#if defined(__GNUC__) && defined(__ELF__)
#define GPTL_SYMBOL(name) __asm__(#name)
#else
#define GPTL_SYMBOL(name)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Options of GPTLsetoption. Each has a key of the same name without "GPTL" in GPTL_OPTIONS. */
enum GPTLoption {
    GPTLsync_mpi = 0,         /* time a synchronization before MPI collectives; off */
    GPTLwall = 1,             /* wall-clock columns; on */
    GPTLcpu = 2,              /* user and system CPU time of the thread; off */
    GPTLabort_on_error = 3,   /* terminate the process on the first error; off */
    GPTLoverhead = 4,         /* print the library's own cost; on */
    GPTLprofile_ovhd = 4,     /* the same, under the name used by climate models */
    GPTLdepthlimit = 5,       /* deepest level timed; no limit */
    GPTLverbose = 6,          /* report the library's actions on stderr; off */
    GPTLnarrowprint = 7,      /* counter columns of 8 characters, not 16; on */
    GPTLpercent = 9,          /* percent-of-first-region column; off */
    GPTLpersec = 10,          /* also print counters per second; on */
    GPTLmultiplex = 11,       /* allow time-sharing of hardware counters (multiplexing); off */
    GPTLdopr_preamble = 12,   /* print the preamble; on */
    GPTLdopr_threadsort = 13, /* print the section sorted by region over threads; on */
    GPTLdopr_multparent = 14, /* print the section of regions with several parents; on */
    GPTLdopr_collision = 15,  /* print hash table statistics; on */
    GPTLprint_method = 16,    /* parent under which a region is printed; GPTLmost_frequent */
    GPTL_IPC = 17,            /* derived event: instructions per cycle; off, like all of them */
    GPTL_CI = 18,             /* floating-point operations per load or store */
    GPTL_FPC = 19,            /* floating-point operations per cycle */
    GPTL_FPI = 20,            /* floating-point operations per instruction */
    GPTL_LSTPI = 21,          /* loads and stores per instruction */
    GPTL_DCMRT = 22,          /* miss rate of the level-1 data cache */
    GPTL_LSTPDCM = 23,        /* loads and stores per miss of the level-1 data cache */
    GPTL_L2MRT = 24,          /* miss rate of the level-2 cache */
    GPTL_LSTPL2M = 25,        /* loads and stores per miss of the level-2 cache */
    GPTL_L3MRT = 26,          /* read miss rate of the level-3 cache */
    GPTLdopr_memusage = 27,   /* print growth of process memory on stderr; off */
    GPTLtablesize = 50,       /* initial size of each thread's hash table; it grows automatically */
    GPTLmaxthreads = 51,      /* expected number of threads; a hint */
    GPTLonlyprint_rank0 = 52, /* only rank 0 writes a report; off */
    GPTLmem_growth = 53,      /* growth in percent reported by dopr_memusage; 10 */
    GPTLdopr_quotes = 54,     /* region names in quotes; off */
    GPTLprint_mode = 55       /* GPTLprint_write or GPTLprint_append; GPTLprint_write */
};

/* Clocks of GPTLsetutr. */
enum GPTLclock {
    GPTLgettimeofday = 1,   /* microseconds; an administrator may set it back */
    GPTLnanotime = 2,       /* the time-stamp counter: lowest cost, highest resolution */
    GPTLread_real_time = 3, /* AIX only; an error elsewhere */
    GPTLmpiwtime = 4,       /* MPI_Wtime, with the MPI library; while MPI is not running, as 5 */
    GPTLclockgettime = 5,   /* clock_gettime(CLOCK_MONOTONIC) */
    GPTLpapitime = 6,       /* PAPI_get_real_nsec, with the counter library */
    GPTLplacebo = 7         /* always 0: counts calls at no cost */
};

/* Values of the option GPTLprint_method of GPTLsetoption. */
enum GPTLmethod {
    GPTLfirst_parent = 1,  /* under the parent that called it first */
    GPTLlast_parent = 2,   /* under the parent whose first call of it was the latest */
    GPTLmost_frequent = 3, /* under the parent with most calls (the default) */
    GPTLfull_tree = 4      /* under each parent, with the values of that path */
};

/* Values of the option GPTLprint_mode, of GPTLprint_mode_set and GPTLprint_mode_query. */
enum GPTLprintmode {
    GPTLprint_write = 1, /* overwrite report files (the default) */
    GPTLprint_append = 2 /* append to report files */
};

/* Type names used by programs written for GPTL 8. */
typedef enum GPTLoption GPTLoption;
typedef enum GPTLclock GPTLFuncoption;
typedef enum GPTLmethod GPTLMethod;

/* ---- Initialization and options -------------------------------------------------------------- */

/*
 * Set OPTION to VAL (0 and 1 for off and on). Allowed until the first explicit GPTLinitialize.
 * OPTION may also be an event: GPTL_IPC and the other derived events, or a PAPI event code. Errors:
 * unknown option, value out of bounds, called after GPTLinitialize, an event that cannot be counted
 * here (the message contains the reason). All options, including those without a number, can also
 * be set in the environment: GPTL_OPTIONS="key=value;key=value"; the environment takes precedence.
 */
GPTL_API int GPTLsetoption(int option, int val) GPTL_SYMBOL(GPTLsetoption_v9);

/*
 * Choose the clock. The default is the best clock that passes a check at startup (source,
 * monotonicity, cost, resolution), normally GPTLnanotime. Times already measured with another clock
 * are converted. GPTLnanotime falls back to GPTLclockgettime if the processor's counter is
 * unreliable; the report says so. Errors: unknown clock, a clock that this machine or this library
 * does not provide, called after GPTLinitialize.
 */
GPTL_API int GPTLsetutr(int clock);

/*
 * Turn the library on and end the phase in which options can be set. Calls nest: a program and a
 * library in it may both call this function, and the last GPTLfinalize ends the measurement. Data
 * measured since an earlier implicit start is kept. From now on the program prints its own reports
 * (GPTLpr and related functions): an automatic report follows only if GPTL_OPTIONS or `gptl run`
 * requests it (output=...). Errors: out of memory.
 */
GPTL_API int GPTLinitialize(void);

/*
 * Undo one GPTLinitialize. The last call ends the measurement, writes the automatic report if it is
 * still due, and discards regions, times and options. Later starts return -1, with a single
 * warning. Errors: not initialized.
 */
GPTL_API int GPTLfinalize(void);

/* Return whether the library is on. Returns: 1 or 0. */
GPTL_API int GPTLis_initialized(void);

/*
 * Suspend and resume measurement in all threads. A region that is open at GPTLdisable counts up to
 * that moment; if it is still open at GPTLenable, it continues from there. A region started in
 * between is never timed, and its name is not kept: the next stop after GPTLenable that matches no
 * region started since then is taken for its stop. Therefore regions must nest properly in this
 * phase: if an enclosing region is stopped first, it stays open. Calls of the two functions do not
 * nest. They turn the library on, as a first start does. Errors: the library was finalized.
 */
GPTL_API int GPTLenable(void);
GPTL_API int GPTLdisable(void);

/*
 * Set times and counts to zero in all threads: for all regions, or for region NAME. The tree stays.
 * An open region continues from the moment of the reset. After GPTLreset, reports state that the
 * measurement began at the reset. Errors: not initialized; no such region.
 */
GPTL_API int GPTLreset(void);
GPTL_API int GPTLreset_timer(const char *name);

/*
 * End an interval labeled LABEL. For each region and thread, the report lists calls, sum, minimum
 * and maximum since the previous mark. An empty LABEL becomes "(empty)". When there are more than
 * `marks` (an option, 64) intervals, adjacent ones are merged, so that memory stays bounded and the
 * intervals still cover the entire run. Errors: not initialized, out of memory.
 */
GPTL_API int GPTLmark(const char *label);

/* ---- Regions ---------------------------------------------------------------------------- */

/*
 * Start and stop region NAME on the calling thread. A stop ends the innermost open region of that
 * name. Starting an open region again adds one call, but its time counts once. If inner regions are
 * open at a stop, they stay open, and the report lists the pair as crossed. An inner region without
 * a later stop ends when it is started again or when another region around it is stopped, with the
 * time up to the first stop. Errors: GPTLstop of a region that is not open on this thread; the
 * library was finalized.
 */
GPTL_API int GPTLstart(const char *name);
GPTL_API int GPTLstop(const char *name);

/*
 * Start and stop region NAME by a handle, which saves the name lookup. Otherwise the functions are
 * equivalent to GPTLstart and GPTLstop. *HANDLE must be 0 before its first use; it then belongs to
 * NAME and may be used by all threads. On little-endian machines, the handle may be stored in a
 * 64-bit integer set to 0. GPTLinit_handle creates the handle and starts nothing. Errors: as for
 * GPTLstart and GPTLstop; a handle that belongs to another name.
 */
GPTL_API int GPTLinit_handle(const char *name, int *handle);
GPTL_API int GPTLstart_handle(const char *name, int *handle);
GPTL_API int GPTLstop_handle(const char *name, int *handle);

/*
 * Start and stop a region whose name has LENGTH bytes, as Fortran passes it. Trailing blanks are
 * ignored, and a NUL ends the name. Errors: as for the functions without the letter f; a negative
 * LENGTH.
 */
GPTL_API int GPTLstartf(const char *name, int length);
GPTL_API int GPTLstopf(const char *name, int length);
GPTL_API int GPTLstartf_handle(const char *name, int length, int *handle);
GPTL_API int GPTLstopf_handle(const char *name, int length, int *handle);

/*
 * Start and stop regions that measure the overhead of threads. The thread that reaches a parallel
 * loop uses the region `threadohd_outer` around it; each thread uses `threadohd_inner` around its
 * part of the loop. The difference of their times is the time to start the threads and to wait for
 * the last one. Errors: as for GPTLstart and GPTLstop.
 */
GPTL_API int GPTLstart_threadohd_outer(void);
GPTL_API int GPTLstart_threadohd_inner(void);
GPTL_API int GPTLstop_threadohd_outer(void);
GPTL_API int GPTLstop_threadohd_inner(void);

/*
 * Add calls of known duration to region NAME, as a child of the open region: one call of VALUE
 * seconds, or CALLS calls of VALUE seconds in total. Errors: VALUE negative or not finite; CALLS
 * below 1; the total of the node would exceed 2^61 ticks (73 years in nanoseconds).
 */
GPTL_API int GPTLstartstop_val(const char *name, double value);
GPTL_API int GPTLstartstop_vals(const char *name, double value, int calls);
GPTL_API int GPTLstartstop_valsf(const char *name, int length, double value, int calls);

/*
 * Add PREFIX to the name of every region that this thread starts from now on. A stop uses the same
 * name as the start, whatever the prefix is by then, or the complete name. GPTLprefix_set replaces
 * the previous prefix. Errors: NULL, a negative length, out of memory.
 */
GPTL_API int GPTLprefix_set(const char *prefix);
GPTL_API int GPTLprefix_setf(const char *prefix, int length);
GPTL_API int GPTLprefix_unset(void);

/* ---- Reports ---------------------------------------------------------------------------- */

/*
 * Write the report of all threads to timing.<PROCID> in the working directory (or in the directory
 * of the option output.path), or to FILE; a negative PROCID means descriptor 2, whatever file
 * the program has opened there. The option output adds JSON and XML files, but does not suppress
 * this text. The file appears under its name only when it is complete. The functions may be called
 * any number of times, also while regions are open; the time of the call is not charged to them.
 * Errors: not initialized; the file cannot be written (the message contains the reason).
 */
GPTL_API int GPTLpr(int procid);
GPTL_API int GPTLpr_file(const char *file);

/*
 * Choose whether report files are appended to or overwritten, or query the choice: the option
 * `append`, which these functions set at any time. A JSON or XML report is never appended; it is
 * written to a separate file. Returns: the queries 1 or 0, the others 0.
 */
GPTL_API int GPTLpr_set_append(void);
GPTL_API int GPTLpr_query_append(void);
GPTL_API int GPTLpr_set_write(void);
GPTL_API int GPTLpr_query_write(void);

/*
 * Choose or query whether report files are appended to, under the names of climate models: MODE is
 * GPTLprint_write or GPTLprint_append. Errors: another MODE. Returns: the query one of these, the
 * other 0.
 */
GPTL_API int GPTLprint_mode_query(void);
GPTL_API int GPTLprint_mode_set(int mode);

/* ---- Queries ----------------------------------------------------------------------------- */

/*
 * T is a thread number as printed in the report; T < 0 means the calling thread. The result for a
 * region with several call paths is the sum over them. Calls count, with their time, when they end;
 * a count beyond an int's range is INT_MAX. Errors: not initialized; no such region in that thread;
 * no such thread.
 */

/*
 * Get the count and seconds of NAME so far, whether it is open now (*ONFLG 1 or 0), CPU seconds (0
 * unless GPTLcpu is on), and up to MAXCOUNTERS hardware counters. Any result pointer may be NULL.
 */
GPTL_API int GPTLquery(const char *name, int t, int *count, int *onflg, double *wall, double *usr,
                       double *sys, long long *papicounters_out, int maxcounters);

/* Get all enabled hardware counters of NAME. */
GPTL_API int GPTLquerycounters(const char *name, int t, long long *papicounters_out);

/* Get the seconds of NAME: in total, or of its latest completed call. */
GPTL_API int GPTLget_wallclock(const char *name, int t, double *value);
GPTL_API int GPTLget_wallclock_latest(const char *name, int t, double *value);

/* Get the number of calls of NAME. */
GPTL_API int GPTLget_count(const char *name, int t, int *count);

/*
 * Get the longest time of a thread in NAME, and its excess over the mean of all threads that have
 * called it, in seconds. Errors: not initialized; no such region in any thread.
 */
GPTL_API int GPTLget_threadwork(const char *name, double *maxwork, double *imbal);

/*
 * Get the number of regions of thread T, or the name of number REGION, from 0: first the regions of
 * the program in the order of their first start, then all others, such as MPI calls, in that order.
 * A name that does not fit SIZE bytes is truncated and ends with NUL, and the function returns -1.
 */
GPTL_API int GPTLget_nregions(int t, int *nregions);
GPTL_API int GPTLget_regionname(int t, int region, char *name, int size);

/*
 * Get the current time in seconds: wall-clock time (of CLOCK_MONOTONIC, independent of the clock in
 * use), and the user and system CPU time of the process. The function works also when the library
 * is off.
 */
GPTL_API int GPTLstamp(double *wall, double *usr, double *sys);

/*
 * Query hardware counters and derived events. GPTLget_eventvalue gives the value of EVENT in region
 * TIMER of thread T (T < 0: the calling one). Other functions convert between event numbers, as in
 * GPTLsetoption, and event names: NAME is a PAPI event or a derived event, for instance GPTL_IPC.
 * GPTLevent_code_to_name needs 128 bytes for it. GPTL_PAPIlibraryinit starts PAPI, for programs
 * that need event numbers before they set their first event. Errors: PAPI is not available (then
 * only derived events have names); the event is unknown, not enabled, or lacks a value there; no
 * such region.
 */
GPTL_API int GPTL_PAPIlibraryinit(void);
GPTL_API int GPTLevent_name_to_code(const char *name, int *code);
GPTL_API int GPTLevent_code_to_name(int code, char *name);
GPTL_API int GPTLget_eventvalue(const char *timer, const char *event, int t, double *value);

/*
 * Get memory in MB: resident; or total and resident. In climate models, GPTLget_memusage has five
 * integer arguments instead (size, resident and others, in pages). Such calls must be changed:
 * Fortran code that declares the function manually compiles, but gets meaningless numbers. Errors:
 * the system does not provide the numbers.
 */
GPTL_API int GPTLget_memusage(float *megabytes);
GPTL_API int GPTLget_procsiz(float *total, float *resident);

/*
 * Print the memory of the process, or the results of getrusage(2), in a line on stderr with LABEL.
 */
GPTL_API int GPTLprint_memusage(const char *label);
GPTL_API int GPTLprint_rusage(const char *label);

/*
 * Return the number of errors or warnings so far, printed or not. A stop that crosses another
 * region's counts as a warning; it is not printed, because the report lists it. Returns: that
 * number.
 */
GPTL_API int GPTLnum_errors(void);
GPTL_API int GPTLnum_warn(void);

#ifdef __cplusplus
}
#endif

/*
 * If mpi.h is included first, this header also declares GPTLpr_summary: users of the climate
 * models' GPTL include no other header. gptlmpi.h does not exist if the library was built without
 * MPI.
 */
#if defined(MPI_VERSION) && defined(__has_include)
#if __has_include(<gptlmpi.h>)
#include <gptlmpi.h>
#endif
#endif

#endif
