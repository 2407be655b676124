/* run.h - the state of a `gptl run`, shared by its parts. */
#ifndef GPTL_POSTPROC_RUN_RUN_H
#define GPTL_POSTPROC_RUN_RUN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct run {
    char directory[PATH_MAX]; /* "": none */
    char span_logs[PATH_MAX]; /* directory of span logs, as the user may specify it */
    bool records_io, sees_mpi, follows_io;
    bool is_bare; /* preload nothing into the command */
};

/* Copy FROM to TO with each quote doubled, as required within quotes. */
void run_double_quotes(const char *from, char *to);

/*
 * Set GPTL_OPTIONS for the command, including OPTIONS of the command line. Returns false if out of
 * memory.
 */
bool run_set_options(const struct run *run, const char *options);

/*
 * Set GPTL_IO for the command: one log for all its processes, regardless of their working
 * directories.
 */
bool run_set_io_log(const struct run *run);

/* Set GPTL_IOSTACK for the command: a log for each layer and process. */
bool run_set_span_logs(const struct run *run);

/* Return the libraries to preload, separated by colons; NULL after a message. */
const char *run_list_libraries(const struct run *run);

/*
 * Set LD_PRELOAD for the command, unless it is bare, and the variables of the libraries. Returns
 * false after a message.
 */
bool run_set_preload(const struct run *run);

/*
 * Choose the directory of span logs: a new one, or one without logs. Returns false after a message.
 */
bool run_choose_span_logs(struct run *run);

/*
 * Return whether the command ended without a signal: otherwise another message explains missing
 * data.
 */
bool run_ended_by_itself(int status);

/* Report the number of span logs, and the command to analyze them. STATUS is the command's. */
void run_tell_span_logs(const struct run *run, int status);

/*
 * Return whether the command WORDS cannot be measured because it ignores preloading or starts a
 * container. Print a warning, or count it.
 */
bool run_warn_if_unseen(struct run *run, char *const words[]);

/*
 * Count WORDS, which start a container, as unmeasured, and return true, if the container lacks our
 * libraries.
 */
bool run_count_container(const struct run *run, char *const words[]);

/* Report the number of unmeasured programs of the run, the reason and the remedy. */
void run_tell_unmeasured(const struct run *run);

/* Report ranks of the run that left neither data nor a report. */
void run_tell_missing_ranks(const char *directory);

/* Warn if calls of MPI were not visible in any process. */
void run_warn_if_no_mpi(const struct run *run, int status);

#define RUN_IO_LOG "ioc.log" /* in the working directory */

/* Return the size of the log of --io, or -1 if the user specified another path. */
off_t run_io_log_bytes(void);

/*
 * Report the location of the log of --io, if IS_TOLD, or the reason why it lacks calls or contains
 * calls of another run. BEFORE is its size before the command.
 */
void run_tell_calls(int status, off_t before, bool is_told);

#endif
