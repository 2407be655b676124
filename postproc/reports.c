/*
 * reports.c - prints the location of a `gptl run`'s reports and the command to view them, in one
 * line.
 */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postproc/commands.h"

#include "core/claim.h"

enum { PATH_SIZE = 2 * PATH_MAX };

static int is_report(const struct dirent *entry)
{
    static const char prefix[] = GPTL_CLAIM_PREFIX GPTL_CLAIM_WROTE ".";
    return strncmp(entry->d_name, prefix, sizeof prefix - 1) == 0;
}

/*
 * Read the path stored in file NAME, relative to the working directory if possible; "" if
 * unreadable.
 */
static void read_path(const char *folder, const char *name, char path[PATH_SIZE])
{
    char file[PATH_SIZE], here[PATH_MAX];
    snprintf(file, sizeof file, "%s/%s", folder, name);
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, path, PATH_SIZE - 1) : 0;
    path[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        close(fd);
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    if (length > 0 && strncmp(path, here, length) == 0 && path[length] == '/')
        memmove(path, path + length + 1, strlen(path + length));
}

/* Return whether a report exists at PATH; formats other than text append a suffix. */
static bool is_there(const char *path)
{
    static const char *const ends[] = {"", ".json", ".xml"};
    char file[PATH_SIZE + 8];
    for (size_t i = 0; *path && i < sizeof ends / sizeof *ends; i++) {
        snprintf(file, sizeof file, "%s%s", path, ends[i]);
        if (access(file, F_OK) == 0)
            return true;
    }
    return false;
}

/* Return the length of the common prefix. */
static size_t common(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

/*
 * Print the line. ALL is the common prefix of the names of N reports, or the name of a single one.
 */
static void tell(const char *all, size_t n)
{
    char json[PATH_SIZE + 8];
    snprintf(json, sizeof json, "%s.json", all);
    if (n == 1 && access(json, R_OK) == 0)
        fprintf(stderr, "gptl run: the report is in %s; more of it: gptl report %s\n", all, json);
    else if (n == 1)
        fprintf(stderr, "gptl run: the report is in %s\n", all);
    else
        fprintf(stderr,
                "gptl run: %zu reports are in %s*; all together: gptl report --summary %s*.json\n",
                n, all, all);
}

void gptl_reports_tell(const char *folder)
{
    struct dirent **entries;
    char all[PATH_SIZE] = "", path[PATH_SIZE];
    int n = scandir(folder, &entries, is_report, alphasort);
    size_t found = 0;
    for (int i = 0; i < n; i++) {
        read_path(folder, entries[i]->d_name, path);
        if (is_there(path) && found++ == 0)
            memcpy(all, path, sizeof all);
        else if (is_there(path))
            all[common(all, path)] = '\0';
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    if (found > 0 && *all)
        tell(all, found);
}
