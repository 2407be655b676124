/* commands.h - the subcommands of the program gptl, one file each. */
#ifndef GPTL_POSTPROC_COMMANDS_H
#define GPTL_POSTPROC_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

enum gptl_exit { GPTL_EXIT_DONE = 0, GPTL_EXIT_FINDING = 1, GPTL_EXIT_USAGE = 2 };

/* What main would get, with the subcommand's name as ARGV[0]; they return the exit status. */
int gptl_run(int argc, char **argv);
int gptl_avail(int argc, char **argv);
int gptl_report(int argc, char **argv);
int gptl_diff(int argc, char **argv);
int gptl_filter(int argc, char **argv);
int gptl_ioc(int argc, char **argv);
int gptl_iostack(int argc, char **argv);
int gptl_maps(int argc, char **argv);
int gptl_predict(int argc, char **argv);
int gptl_memsig(int argc, char **argv);
int gptl_net(int argc, char **argv);
int gptl_hex2name(int argc, char **argv);

/*
 * The library NAME that stands beside this program, in the build tree or installed. Returns false
 * after a message that WHO begins, where there is none.
 */
bool gptl_find_library(const char *who, const char *name, char *path, size_t size);

/* The same of a program that is run by this one only; no message. */
bool gptl_find_helper(const char *name, char *path, size_t size);

/* Prints what the salvage file PATH has on stdout. Returns 0, or -1 after a message. */
int gptl_salvage_print(const char *path);

/*
 * Reports all salvage files in the directory of a run, and removes those that were reported: the reports are
 * staged there under the names that the options give. Returns how many there were, or -1 when one had to stay.
 */
int gptl_salvage_report_folder(const char *folder);

/* Says which reports those were, in a line on stderr, when they are where they belong. */
void gptl_salvage_tell(void);

/*
 * Whether the salvage file PATH, of a profile or of calls for I/O, has nothing in it, and its process was
 * one of this host that is gone: it ended before it began to measure.
 */
bool gptl_salvage_never_began(const char *path);

/* Whether its process is one of this host that runs, and writes what it measures to that file. */
bool gptl_salvage_still_runs(const char *path);

/*
 * Waits for the processes of all salvage files in FOLDER, but not longer than two seconds: those that are
 * being killed, or have lost their launcher, are ending.
 */
void gptl_salvage_await(const char *folder);

/* Says in a line on stderr which reports the processes of the `gptl run` of FOLDER wrote; none: nothing. */
void gptl_reports_tell(const char *folder);

#endif
