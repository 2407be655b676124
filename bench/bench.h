/*
 * bench.h - what the programs of this folder share: pinning, a floor, fair comparison, result rows.
 *
 * A bench prints ratios and never passes or fails; it ends with 1 only when it could not run and
 * with 77 when this machine lacks what it needs. Rows are lines with the columns
 *
 *     work | floor ns | figure ns | ratio | target
 *
 * and all other lines begin with '#'. The floor is two raw reads of the clock that the library
 * uses, in the same run. Benches use the public API only, and call it as users do: through the PLT
 * of a shared library.
 */
#ifndef BENCH_H
#define BENCH_H

#ifdef __cplusplus
extern "C" {
#endif

/* Does something ROUNDS times. */
typedef void bench_run(void *arg, long rounds);

struct bench_work {
    bench_run *run;
    void *arg;
    long pairs;  /* start+stop pairs in one round */
    double ns;   /* result of bench_compare: nanoseconds a pair */
    long rounds; /* private to bench_compare: rounds in one repeat */
};

/* Pins the process to a core (environment BENCH_CPU, else the last allowed) and prints the head. */
void bench_open(void);

/* Pins the calling thread: 0 is the core of bench_open, 1 another one. Returns -1 without such. */
int bench_pin(int nth);

/* Makes a temporary directory, removed by bench_close, the working directory. */
void bench_enter_tempdir(void);

/*
 * Ends the bench, with 1 when the library reported an error. The automatic report at exit is no
 * part of it and is not written.
 */
__attribute__((noreturn)) void bench_close(void);

/* Ends the bench with STATUS after a sentence on stderr. */
__attribute__((noreturn)) void bench_stop(int status, const char *why);

/*
 * Turns the library on with CLOCK ("tsc", "clock_gettime", "gettimeofday"; NULL: tsc, and where it
 * cannot be had clock_gettime) and returns the floor: two raw reads of the same clock.
 */
struct bench_work bench_library(const char *clock);

/* Start and stop of one literal name. */
void bench_run_pair(void *arg, long rounds);

/*
 * Fills in ns of each of COUNT works, at most 4. They take turns in repeats of a fifth of a
 * millisecond; each repeat is divided by that of the first work just before it, and the median
 * ratio counts. Processors change their frequency within milliseconds: on one where the shortest of
 * 200 repeats of 1 ms gave ratios from 1.24 to 1.40 for the same pair, this gave 1.294 to 1.295.
 */
void bench_compare(struct bench_work *work, int count);

/* Prints a row of two times in ns a pair; a row of other quantities, units in the cells. */
void bench_row(const char *work, double floor_ns, double figure_ns, const char *target);
void bench_row_text(const char *work, const char *floor, const char *figure, double ratio,
                    const char *target);

/* Seconds since some moment; kB of the line KEY ("VmRSS") of /proc/self/status. */
double bench_seconds(void);
double bench_status_kb(const char *key);

/*
 * Runs this program again, with WHAT as its only argument and, unless NULL, OPTIONS as
 * GPTL_OPTIONS, and reads COUNT numbers that it gives with bench_give. Returns 0, or -1 when it
 * gave fewer or failed.
 */
int bench_child(const char *options, const char *what, double *value, int count);
void bench_give(double value);

/*
 * Makes a tree of NODES nodes (up to 1,011,010) out of 1110 names, 10 x 100 x 1000.
 * bench_intern_names makes the names known to the library beforehand, without a node.
 */
void bench_intern_names(void);
void bench_grow_tree(long nodes);

#ifdef __cplusplus
}
#endif

#endif
