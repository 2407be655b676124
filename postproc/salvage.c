/* salvage.c - what a killed process left in its salvage file, as the report it did not write. */
#include "config.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postproc/commands.h"
#include "postproc/ioc/salvage.h"

#include "core/measured.h"
#include "core/salvage.h"
#include "report/report.h"

/*
 * Reports the file FROM on stdout, or, unless PRINT, under the name that its process would have
 * chosen, which goes to TO. Returns 0, 1 when there was nothing left to report, -1 after an error.
 */
static int report_file(const char *from, bool print, char *to, size_t size)
{
    struct gptl_profile profile;
    struct gptl_process *process = &profile.process;
    char why[4400];
    int rc = gptl_report_take_salvaged(&profile, from, why, sizeof why);
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

int gptl_salvage_print(const char *path)
{
    char to[64];
    int rc = report_file(path, true, to, sizeof to);
    if (rc > 0)
        fprintf(stderr, "gptl report: %s: its process has reported all that it measured\n", path);
    return rc < 0 ? -1 : 0;
}

static int is_salvage(const struct dirent *entry)
{
    return strncmp(entry->d_name, GPTL_SALVAGE_PREFIX, strlen(GPTL_SALVAGE_PREFIX)) == 0;
}

/* A crowd takes one line. A program that became another one ended without a report as well. */
static void tell(const char *first, int written)
{
    if (written == 1)
        fprintf(stderr, "gptl run: wrote %s from what a process left that ended without a report\n",
                first);
    else if (written > 1)
        fprintf(stderr,
                "gptl run: wrote %s and %d more from what %d processes left that ended without a "
                "report\n",
                first, written - 1, written);
}

/* What a process that still runs has measured is its own to report: it goes on. */
static int report_left(const char *from, char *to, size_t size)
{
    if (gptl_salvage_never_began(from))
        return 1;
    if (gptl_salvage_still_runs(from)) {
        fprintf(stderr, "gptl run: %s: its process still runs, and will write its report itself\n",
                from);
        return -1;
    }
    return report_file(from, false, to, size);
}

int gptl_salvage_report_folder(const char *folder)
{
    struct dirent **entries;
    char first[4400];
    gptl_salvage_await(folder);
    int n = scandir(folder, &entries, is_salvage, alphasort), failed = 0, written = 0;
    for (int i = 0; i < n; i++) {
        char from[4400], to[4400];
        snprintf(from, sizeof from, "%s/%s", folder, entries[i]->d_name);
        int rc = report_left(from, to, sizeof to);
        if (rc == 0 && written++ == 0)
            memcpy(first, to, sizeof first);
        if (rc >= 0)
            unlink(from);
        failed |= rc < 0;
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    tell(first, written);
    int calls = ioc_salvage_folder("gptl run", folder, NULL, true);
    return failed || calls < 0 ? -1 : n + calls;
}
