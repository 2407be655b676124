/* salvage.c - reports of killed processes from their salvage files. */
#include "config.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "postproc/commands.h"
#include "postproc/ioc/salvage.h"

#include "core/measured.h"
#include "core/rundir.h"
#include "core/salvage.h"
#include "report/report.h"

static int read_profile(const char *from, struct gptl_profile *profile)
{
    char why[4400];
    int rc = gptl_report_take_salvaged(profile, from, why, sizeof why);
    if (rc < 0)
        fprintf(stderr, "gptl report: %s\n", why);
    return rc;
}

/*
 * Return whether reports of the file FROM fit into DIRECTORY: their size is several times its size.
 */
static bool has_room(const char *directory, const char *from)
{
    enum { TIMES = 8, MORE = 1 << 20 };
    struct statvfs s;
    struct stat file;
    return statvfs(directory, &s) != 0 || stat(from, &file) != 0 ||
           (uint64_t)s.f_bavail * s.f_frsize >= (uint64_t)file.st_blocks * 512 * TIMES + MORE;
}

/*
 * Where the report TO is written: the command has ended, so it may go to its place at once if DIRECTORY is full.
 */
static bool choose_place(const char *directory, const char *from, const char *to,
                         char place[PATH_MAX])
{
    if (has_room(directory, from))
        return gptl_rundir_stage(directory, to, place);
    return gptl_rundir_absolute(directory, to, place);
}

/*
 * Write the report of file FROM into DIRECTORY, from where it is moved later; TO gets the name that
 * the process would have chosen. Returns 0, 1 without data, or -1 after an error.
 */
static int report_file(const char *directory, const char *from, char *to, size_t size)
{
    struct gptl_profile profile;
    struct gptl_process *process = &profile.process;
    char staged[PATH_MAX];
    int rc = read_profile(from, &profile);
    if (rc != 0)
        return rc;
    gptl_report_path(to, size - 32, process->rank < 0 ? 0 : process->rank, process);
    gptl_report_claim(to, size, process->pid);
    rc = 1;
    if (profile.ncopies > 0)
        rc = choose_place(directory, from, to, staged) &&
                     gptl_report_write("gptl report", &profile, staged) == 0
                 ? 0
                 : -1;
    if (rc == 0)
        gptl_report_wrote("automatic report", to);
    gptl_report_free(&profile);
    return rc;
}

int gptl_salvage_print(const char *path)
{
    struct gptl_profile profile;
    int rc = read_profile(path, &profile);
    if (rc == 0) {
        rc = profile.ncopies > 0 ? gptl_report_write("gptl report", &profile, "/dev/stdout") : 1;
        gptl_report_free(&profile);
    }
    if (rc > 0)
        fprintf(stderr, "gptl report: %s: its process has reported all that it measured\n", path);
    return rc < 0 ? -1 : 0;
}

static int is_salvage(const struct dirent *entry)
{
    return strncmp(entry->d_name, GPTL_SALVAGE_PREFIX, strlen(GPTL_SALVAGE_PREFIX)) == 0;
}

/* Reports written from salvage files so far. */
static struct {
    char first[4400];
    int n;
} written;

/*
 * Print one line for any number of reports. A process also ends without a report if it executes
 * another program.
 */
void gptl_salvage_tell(void)
{
    if (written.n == 1)
        fprintf(stderr, "gptl run: wrote %s from what a process left that ended without a report\n",
                written.first);
    else if (written.n > 1)
        fprintf(stderr,
                "gptl run: wrote %s and %d more from what %d processes left that ended without a "
                "report\n",
                written.first, written.n - 1, written.n);
}

/* Report the salvage file FROM. A running process will report itself, so its file stays. */
static int report_left(const char *directory, const char *from, char *to, size_t size)
{
    if (gptl_salvage_never_began(from))
        return 1;
    if (gptl_salvage_still_runs(from)) {
        fprintf(stderr, "gptl run: %s: its process still runs, and will write its report itself\n",
                from);
        return -1;
    }
    return gptl_report_is_wanted("gptl run") ? report_file(directory, from, to, size) : 1;
}

int gptl_salvage_report_folder(const char *folder)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, is_salvage, alphasort), failed = 0;
    for (int i = 0; i < n; i++) {
        char from[4400], to[4400];
        snprintf(from, sizeof from, "%s/%s", folder, entries[i]->d_name);
        int rc = report_left(folder, from, to, sizeof to);
        if (rc == 0 && written.n++ == 0)
            memcpy(written.first, to, sizeof written.first);
        if (rc >= 0)
            unlink(from);
        failed |= rc < 0;
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    int calls = ioc_salvage_folder("gptl run", folder, NULL, true);
    return failed || calls < 0 ? -1 : n + calls;
}
