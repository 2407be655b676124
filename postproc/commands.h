/* commands.h - the subcommands of the program gptl, one file each. */
#ifndef GPTL_POSTPROC_COMMANDS_H
#define GPTL_POSTPROC_COMMANDS_H

enum gptl_exit { GPTL_EXIT_DONE = 0, GPTL_EXIT_FINDING = 1, GPTL_EXIT_USAGE = 2 };

/* What main would get, with the subcommand's name as ARGV[0]; they return the exit status. */
int gptl_run(int argc, char **argv);
int gptl_avail(int argc, char **argv);
int gptl_report(int argc, char **argv);
int gptl_diff(int argc, char **argv);
int gptl_filter(int argc, char **argv);
int gptl_ioc(int argc, char **argv);
int gptl_iostack(int argc, char **argv);
int gptl_hex2name(int argc, char **argv);

/* Prints what the salvage file PATH has on stdout. Returns 0, or -1 after a message. */
int gptl_salvage_print(const char *path);

/*
 * Reports all salvage files in a folder under the names that the options give, and removes those
 * that were reported. Returns how many there were, or -1 when one could not be reported.
 */
int gptl_salvage_report_folder(const char *folder);

#endif
