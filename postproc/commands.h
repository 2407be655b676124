/* commands.h - the subcommands of the program gptl, one file each. */
#ifndef GPTL_POSTPROC_COMMANDS_H
#define GPTL_POSTPROC_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

enum gptl_exit { GPTL_EXIT_DONE = 0, GPTL_EXIT_FINDING = 1, GPTL_EXIT_USAGE = 2 };

/* Run a subcommand with the arguments of main and its name as ARGV[0]; return the exit status. */
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
 * Find the library NAME next to this program, in the build tree or installed. Returns false after a
 * message prefixed with WHO.
 */
bool gptl_find_library(const char *who, const char *name, char *path, size_t size);

/* Find a helper program as gptl_find_library does, without a message. */
bool gptl_find_helper(const char *name, char *path, size_t size);

/* Print the data of the salvage file PATH on stdout. Returns 0, or -1 after a message. */
int gptl_salvage_print(const char *path);

/*
 * Report all salvage files in the directory of a run and remove them; the reports are staged there
 * under the names that the options specify. Returns their number, or -1 if a file had to stay.
 */
int gptl_salvage_report_folder(const char *folder);

/* Name these reports on stderr in one line, after they were moved to their destination. */
void gptl_salvage_tell(void);

/*
 * Return whether the salvage file PATH, of a profile or of I/O calls, is empty and its process, of
 * this host, has ended before it began to measure.
 */
bool gptl_salvage_never_began(const char *path);

/* Return whether the process of the salvage file PATH runs on this host and still writes to it. */
bool gptl_salvage_still_runs(const char *path);

/*
 * Wait at most two seconds for the processes of all salvage files in FOLDER: processes that are
 * being killed or have lost their launcher are about to end.
 */
void gptl_salvage_await(const char *folder);

/*
 * Name the reports written by the processes of the `gptl run` of FOLDER on stderr in one line, if
 * there are any.
 */
void gptl_reports_tell(const char *folder);

#endif
