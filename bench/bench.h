/*
 * bench.h - shared interface of the benchmarks: pinning, a floor, fair comparison, result rows.
 *
 * A bench prints ratios and never passes or fails. It exits with 1 if it could not run, and with 77
 * if this machine lacks a requirement. Rows are lines with the columns
 *
 *     work | floor ns | figure ns | ratio | target
 *
 * and all other lines begin with '#'. The floor is two raw reads of the library's clock in the same
 * run. Benches use the public API only, through the PLT of a shared library, as user programs do.
 */
#ifndef BENCH_H
#define BENCH_H

#ifdef __cplusplus
extern "C" {
#endif

/* Perform ROUNDS repetitions of a work. */
typedef void bench_run(void *arg, long rounds);

struct bench_work {
    bench_run *run;
    void *arg;
    long pairs;  /* start+stop pairs in one round */
    double ns;   /* result of bench_compare: nanoseconds per pair */
    long rounds; /* private to bench_compare: rounds in one repeat */
};

/* Pin the process to a core (environment BENCH_CPU, else the last allowed) and print the head. */
void bench_open(void);

/*
 * Pin the calling thread: 0 is the core of bench_open, 1 another one. Return -1 if there is none.
 */
int bench_pin(int nth);

/* Create a temporary working directory, removed by bench_close. */
void bench_enter_tempdir(void);

/*
 * End the bench, with 1 if the library reported an error. The automatic report at exit is not part
 * of the bench and is suppressed.
 */
__attribute__((noreturn)) void bench_close(void);

/* End the bench with STATUS after a sentence on stderr. */
__attribute__((noreturn)) void bench_stop(int status, const char *why);

/*
 * Turn the library on with CLOCK ("tsc", "clock_gettime", "gettimeofday"; NULL: tsc, else
 * clock_gettime) and return the floor: two raw reads of the same clock.
 */
struct bench_work bench_library(const char *clock);

/* Start and stop of one literal name. */
void bench_run_pair(void *arg, long rounds);

/*
 * Fill in ns of each of COUNT works, at most 4. They alternate in repeats of a fifth of a
 * millisecond. Each repeat is divided by the preceding repeat of the first work, and the median
 * ratio counts. Processors change their frequency within milliseconds: on one where the shortest of
 * 200 repeats of 1 ms gave ratios from 1.24 to 1.40 for the same pair, this gave 1.294 to 1.295.
 */
void bench_compare(struct bench_work *work, int count);

/* Print a row of two times in ns per pair; a row of other quantities, with units in the cells. */
void bench_row(const char *work, double floor_ns, double figure_ns, const char *target);
void bench_row_text(const char *work, const char *floor, const char *figure, double ratio,
                    const char *target);

/* Return seconds since an arbitrary moment; kB in the line KEY ("VmRSS") of /proc/self/status. */
double bench_seconds(void);
double bench_status_kb(const char *key);

/*
 * Run this program again, with WHAT as its only argument and OPTIONS (unless NULL) as GPTL_OPTIONS,
 * and read COUNT numbers that it passes to bench_give. Return 0, or -1 if it gave fewer or failed.
 */
int bench_child(const char *options, const char *what, double *value, int count);
void bench_give(double value);

/*
 * Create a tree of NODES nodes (up to 1,011,010) from 1110 names, 10 x 100 x 1000.
 * bench_intern_names creates the names in advance, without nodes.
 */
void bench_intern_names(void);
void bench_grow_tree(long nodes);

#ifdef __cplusplus
}
#endif

#endif
