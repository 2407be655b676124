/* run.h - the state of a `gptl run`, which its parts share. */
#ifndef GPTL_POSTPROC_RUN_RUN_H
#define GPTL_POSTPROC_RUN_RUN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct run {
    char directory[PATH_MAX]; /* "": there is none */
    char span_logs[PATH_MAX]; /* the directory of logs of spans, as the user may name it */
    bool records_io, sees_mpi, follows_io;
    bool is_bare; /* nothing is preloaded into the command */
};

/* Copies FROM to TO with each quote doubled, as within quotes. */
void run_double_quotes(const char *from, char *to);

/* GPTL_OPTIONS for the command, with OPTIONS of the command line. False without memory. */
bool run_set_options(const struct run *run, const char *options);

/* GPTL_IO for the command: one log for all its processes, wherever they go. */
bool run_set_io_log(const struct run *run);

/* GPTL_IOSTACK for the command: a log for each layer and process. */
bool run_set_span_logs(const struct run *run);

/* The libraries that the command preloads, between colons; NULL after a message. */
const char *run_list_libraries(const struct run *run);

/* LD_PRELOAD for the command, unless it is bare, and the variables that libraries of ours read. False after a message. */
bool run_set_preload(const struct run *run);

/* Chooses the directory for logs of spans: a new one, or one without any. False after a message. */
bool run_choose_span_logs(struct run *run);

/* Whether the command ran to its end: otherwise another line says why nothing was seen of it. */
bool run_ended_by_itself(int status);

/* Says how many logs of spans there are, and how to look at them. STATUS: the command's. */
void run_tell_span_logs(const struct run *run, int status);

/*
 * Whether nothing is seen of the command WORDS, which takes no preload, or starts a container: then says so,
 * or counts it.
 */
bool run_warn_if_unseen(struct run *run, char *const words[]);

/* Counts WORDS, which start a container, as unmeasured, and returns true, if our libraries are not in it. */
bool run_count_container(const struct run *run, char *const words[]);

/* Says how many programs of the run were not measured, why, and what helps. */
void run_tell_unmeasured(const struct run *run);

/* Says which ranks of the run left nothing, not even a report. */
void run_tell_missing_ranks(const char *directory);

/* Says so when no process called MPI where it could be seen. */
void run_warn_if_no_mpi(const struct run *run, int status);

#define RUN_IO_LOG "ioc.log" /* in the working directory */

/* Bytes of the log of --io; -1 if the user puts it elsewhere. */
off_t run_io_log_bytes(void);

/*
 * Says where the log of --io is, if IS_TOLD, or why it has no calls, or the calls of another run as well. BEFORE:
 * its size before the command.
 */
void run_tell_calls(int status, off_t before, bool is_told);

#endif
