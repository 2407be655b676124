/* commands.h - the subcommands of the program gptl, one file each. */
#ifndef GPTL_POSTPROC_COMMANDS_H
#define GPTL_POSTPROC_COMMANDS_H

#include <stdbool.h>

enum gptl_exit { GPTL_EXIT_DONE = 0, GPTL_EXIT_FINDING = 1, GPTL_EXIT_USAGE = 2 };

/* What main would get, with the subcommand's name as ARGV[0]; they return the exit status. */
int gptl_run(int argc, char **argv);
int gptl_report(int argc, char **argv);

/*
 * Reports all salvage files in a folder: as report files under the names that the options give, or,
 * when PRINT, on stdout. Removes those that were reported if REMOVE_THEM. Returns how many there were,
 * or -1 when one could not be reported.
 */
int gptl_salvage_report_folder(const char *folder, bool print, bool remove_them);

#endif
