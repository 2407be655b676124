/* report.c - gptl report: what a salvage file holds, as the report that its process did not write. */
#include "config.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"

#include "core/core.h"
#include "core/salvage.h"
#include "report/report.h"

static const char usage[] =
    "usage: gptl report [--set KEY=VALUE]... FILE|FOLDER...\n"
    "\n"
    "Prints the report of a process that was killed while it measured with the option salvage on\n"
    "(`gptl run` turns it on). FILE is the salvage file it left, gptl-salvage.HOST.PID; of a "
    "FOLDER,\n"
    "all such files in it.\n"
    "\n"
    "  --set KEY=VALUE   an option of the report, as in GPTL_OPTIONS: --set percent=on\n";

/*
 * Reports the file FROM on stdout, or, unless PRINT, under the name that its process would have
 * chosen, which goes to TO. Returns 0, 1 when there was nothing left to report, -1 after an error.
 */
static int report_file(const char *from, bool print, char *to, size_t size)
{
    struct gptl_profile profile = {.salvaged = from};
    struct gptl_process *process = &profile.process;
    char why[4400];
    int rc = gptl_core_salvage_read(from, &profile.copies, &profile.ncopies, process,
                                    &profile.clock, why, sizeof why);
    if (rc < 0)
        fprintf(stderr, "gptl report: %s\n", why);
    if (rc != 0)
        return rc;
    snprintf(to, size, "/dev/stdout");
    if (!print) {
        gptl_report_path(to, size - 32, process->rank < 0 ? 0 : process->rank, process);
        gptl_report_claim(to, size, process->pid);
    }
    rc = profile.ncopies > 0 ? gptl_report_write("gptl report", &profile, to) : 1;
    gptl_report_free(&profile);
    return rc;
}

/* ---- Folders ------------------------------------------------------------------------------- */

static int is_salvage(const struct dirent *entry)
{
    return strncmp(entry->d_name, GPTL_SALVAGE_PREFIX, strlen(GPTL_SALVAGE_PREFIX)) == 0;
}

int gptl_salvage_report_folder(const char *folder, bool print, bool remove_them)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, is_salvage, alphasort), failed = 0;
    for (int i = 0; i < n; i++) {
        char from[4400], to[4400];
        snprintf(from, sizeof from, "%s/%s", folder, entries[i]->d_name);
        int rc = report_file(from, print, to, sizeof to);
        if (rc == 0 && !print)
            fprintf(stderr, "gptl run: wrote %s from what a killed process left\n", to);
        if (rc >= 0 && remove_them)
            unlink(from);
        failed |= rc < 0;
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return failed ? -1 : n;
}

/* ---- The command --------------------------------------------------------------------------- */

static int report_argument(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        int n = gptl_salvage_report_folder(path, true, false);
        if (n == 0)
            fprintf(stderr, "gptl report: %s: there is no salvage file (%sHOST.PID) in it\n", path,
                    GPTL_SALVAGE_PREFIX);
        return n > 0 ? 0 : -1;
    }
    char to[64];
    int rc = report_file(path, true, to, sizeof to);
    if (rc > 0)
        fprintf(stderr, "gptl report: %s: its process has reported all that it measured\n", path);
    return rc < 0 ? -1 : 0;
}

int gptl_report(int argc, char **argv)
{
    int i = 1, failed = 0;
    gptl_core_set_options("output=text;append=off", "gptl report");
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(usage, stdout);
            return GPTL_EXIT_DONE;
        }
        if (strcmp(argv[i], "--set") != 0 || i + 1 == argc) {
            fprintf(stderr, "gptl report: %s: unknown option, or its value is missing\n%s", argv[i],
                    usage);
            return GPTL_EXIT_USAGE;
        }
        if (gptl_core_set_options(argv[++i], "--set") != 0)
            return GPTL_EXIT_USAGE;
    }
    if (i == argc) {
        fprintf(stderr, "gptl report: no file given\n%s", usage);
        return GPTL_EXIT_USAGE;
    }
    for (; i < argc; i++)
        failed |= report_argument(argv[i]) != 0;
    return failed ? GPTL_EXIT_USAGE : GPTL_EXIT_DONE;
}
