/* directory.c - the directory of a run: creates it, and finds directories left by killed runs. */
#include "config.h"

#include "postproc/run/directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "core/room.h"
#include "core/rundir.h"
#include "report/host.h"

/* ---- Creation ------------------------------------------------------------------------------ */

static const char *job(void)
{
    const char *name = gptl_host_job();
    return name ? name : "";
}

static void host_name(char host[256])
{
    snprintf(host, 256, "localhost");
    gethostname(host, 255);
}

/*
 * Return the PID namespace, which distinguishes processes of different containers with equal
 * numbers.
 */
static unsigned long long pid_namespace(void)
{
    struct stat s;
    return stat("/proc/self/ns/pid", &s) == 0 ? (unsigned long long)s.st_ino : 0;
}

/* A name that is unique per host, container, process and start. */
static void choose_name(char name[600])
{
    char host[256];
    struct timespec now;
    host_name(host);
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, 600, GPTL_RUNDIR_PREFIX "%s.%llx.%ld.%llx%09lx", host, pid_namespace(),
             (long)getpid(), (unsigned long long)now.tv_sec, (unsigned long)now.tv_nsec);
}

/* A value ends at its first line break. */
static void put_line(FILE *to, const char *key, const char *value)
{
    fprintf(to, "%s=%.*s\n", key, (int)strcspn(value, "\n"), value);
}

static bool write_about(const char *path, char *const command[])
{
    char file[PATH_MAX + 32], host[256], home[PATH_MAX];
    snprintf(file, sizeof file, "%.*s/" GPTL_RUNDIR_ABOUT, PATH_MAX - 1, path);
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    FILE *to = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!to)
        return false;
    host_name(host);
    fprintf(to, "pid=%ld\nnamespace=%llx\n", (long)getpid(), pid_namespace());
    put_line(to, "host", host);
    put_line(to, "job", job());
    if (getcwd(home, sizeof home) && !strchr(home, '\n'))
        put_line(to, "home", home);
    put_line(to, "command", command[0]);
    bool done = !ferror(to);
    return fclose(to) == 0 && done;
}

static void undo(const char *path)
{
    DIR *entries = opendir(path);
    struct dirent *entry;
    while (entries && (entry = readdir(entries)))
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(entries), entry->d_name, 0);
    if (entries)
        closedir(entries);
    rmdir(path);
}

static bool make_in(const char *place, char *const command[], bool with_room, char path[PATH_MAX])
{
    char name[600];
    choose_name(name);
    if (!gptl_rundir_make(place, name, false, path))
        return false;
    errno = ENOSPC;
    if ((!with_room || gptl_room_left(path) >= GPTL_ROOM_LEAST) && write_about(path, command))
        return true;
    int error = errno;
    undo(path);
    errno = error;
    return false;
}

/*
 * Return whether PLACE, which need not exist, is in or below the working directory: programs that
 * list the directory would see our files.
 */
static bool is_in_working_directory(const char *place)
{
    char path[PATH_MAX], real[PATH_MAX], here[PATH_MAX];
    snprintf(path, sizeof path, "%s", place);
    while (!realpath(path, real)) {
        char *slash = strrchr(path, '/');
        if (errno != ENOENT || !slash || slash == path)
            return false;
        *slash = '\0';
    }
    size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
    return n > 1 && strncmp(real, here, n) == 0 && (real[n] == '/' || real[n] == '\0');
}

/* Create the directory for files of unbounded size. */
static void make_overflow(const char *path)
{
    char place[PATH_MAX], overflow[PATH_MAX];
    bool done = !gptl_room_is_memory(path);
    for (int i = 0; !done && gptl_rundir_place(GPTL_RUNDIR_DISK, i, place); i++)
        done = *place && !gptl_room_is_memory(place) && !is_in_working_directory(place) &&
               gptl_rundir_make(place, strrchr(path, '/') + 1, false, overflow);
}

void run_directory_make(char *const command[], char path[PATH_MAX])
{
    enum gptl_rundir_places places = *job() ? GPTL_RUNDIR_JOB : GPTL_RUNDIR_LOCAL;
    const char *wanted = getenv("GPTL_RUN_DIR");
    char place[PATH_MAX];
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; gptl_rundir_place(places, i, place); i++) {
            bool is_named = i == 0;
            if ((turn == 2 || is_named || !is_in_working_directory(place)) &&
                make_in(place, command, turn == 0, path)) {
                make_overflow(path);
                return;
            }
            if (i == 0 && turn == 0 && wanted && *wanted)
                fprintf(stderr,
                        "gptl run: cannot use GPTL_RUN_DIR \"%s\": %s; name the absolute path of a "
                        "directory that you may write to\n",
                        wanted, *place ? strerror(errno) : "it is not absolute");
        }
    *path = '\0';
    fputs(
        "gptl run: no directory for temporary files can be made in /dev/shm, TMPDIR, /tmp or "
        "/var/tmp: what "
        "a "
        "killed process measured is lost; set GPTL_RUN_DIR to a directory that you may write to\n",
        stderr);
}

bool run_directory_each(const char *directory, bool (*visit)(const char *directory, void *context),
                        void *context)
{
    const char *name = strrchr(directory, '/');
    char place[PATH_MAX], path[2 * PATH_MAX];
    bool all = visit(directory, context);
    struct stat s, seen[16];
    size_t n = stat(directory, &seen[0]) == 0;
    static const enum gptl_rundir_places orders[] = {GPTL_RUNDIR_JOB, GPTL_RUNDIR_DISK};
    for (size_t o = 0; name && o < 2; o++)
        for (int i = 0; gptl_rundir_place(orders[o], i, place); i++) {
            size_t k = 0;
            snprintf(path, sizeof path, "%s%s", place, name);
            if (!*place || !gptl_rundir_is_own(path) || stat(path, &s) != 0)
                continue;
            while (k < n && (seen[k].st_dev != s.st_dev || seen[k].st_ino != s.st_ino))
                k++;
            if (k < n || n == sizeof seen / sizeof *seen)
                continue;
            seen[n++] = s;
            all = visit(path, context) && all;
        }
    return all;
}

/* ---- Search for remaining directories ------------------------------------------------------ */

struct about {
    long pid;
    unsigned long long name_space;
    char host[256], job[256], home[PATH_MAX], command[PATH_MAX];
};

static void take_text(char *to, size_t size, const char *line, const char *key)
{
    size_t n = strlen(key);
    if (strncmp(line, key, n) != 0)
        return;
    size_t length = strnlen(line + n, size - 1);
    memcpy(to, line + n, length);
    to[length] = '\0';
}

static bool read_about(const char *path, struct about *about)
{
    char file[PATH_MAX + 32], line[2 * PATH_MAX], number[64] = "";
    *about = (struct about){.pid = 0};
    snprintf(file, sizeof file, "%.*s/" GPTL_RUNDIR_ABOUT, PATH_MAX - 1, path);
    FILE *from = fopen(file, "re");
    while (from && fgets(line, sizeof line, from)) {
        line[strcspn(line, "\n")] = '\0';
        take_text(about->host, sizeof about->host, line, "host=");
        take_text(about->job, sizeof about->job, line, "job=");
        take_text(about->home, sizeof about->home, line, "home=");
        take_text(about->command, sizeof about->command, line, "command=");
        take_text(number, sizeof number, line, "namespace=");
        about->name_space = strtoull(number, NULL, 16);
        if (strncmp(line, "pid=", 4) == 0)
            about->pid = strtol(line + 4, NULL, 10);
    }
    if (from)
        fclose(from);
    return from != NULL;
}

bool run_directory_is_one(const char *path)
{
    char file[PATH_MAX + 32];
    snprintf(file, sizeof file, "%.*s/" GPTL_RUNDIR_ABOUT, PATH_MAX - 1, path);
    return gptl_rundir_is_own(path) && access(file, R_OK) == 0;
}

/* The most recent directory found so far. */
struct search {
    char path[PATH_MAX];
    struct about about;
    struct timespec changed;
    int n;
};

static bool is_of_here(const struct about *about)
{
    char host[256];
    host_name(host);
    return *job() ? strcmp(about->job, job()) == 0 : strcmp(about->host, host) == 0;
}

static void look_at(struct search *search, const char *path)
{
    struct about about;
    struct stat s;
    if (!gptl_rundir_is_own(path) || !read_about(path, &about) || !is_of_here(&about) ||
        stat(path, &s) != 0)
        return;
    search->n++;
    if (search->n > 1 && (s.st_mtim.tv_sec < search->changed.tv_sec ||
                          (s.st_mtim.tv_sec == search->changed.tv_sec &&
                           s.st_mtim.tv_nsec < search->changed.tv_nsec)))
        return;
    snprintf(search->path, sizeof search->path, "%.*s", PATH_MAX - 1, path);
    search->about = about;
    search->changed = s.st_mtim;
}

static void look_in(struct search *search, const char *place)
{
    char path[2 * PATH_MAX];
    DIR *entries = *place ? opendir(place) : NULL;
    struct dirent *entry;
    while (entries && (entry = readdir(entries)))
        if (strncmp(entry->d_name, GPTL_RUNDIR_PREFIX, strlen(GPTL_RUNDIR_PREFIX)) == 0) {
            snprintf(path, sizeof path, "%s/%s", place, entry->d_name);
            if (strlen(path) < PATH_MAX)
                look_at(search, path);
        }
    if (entries)
        closedir(entries);
}

bool run_directory_find_left(const char *who, char path[PATH_MAX])
{
    struct search search = {.n = 0};
    char place[PATH_MAX];
    for (int i = 0; gptl_rundir_place(GPTL_RUNDIR_JOB, i, place); i++)
        look_in(&search, place);
    if (search.n == 0) {
        fprintf(stderr, "%s: no file given, and no run left data behind on this %s\n", who,
                *job() ? "job's hosts" : "host");
        return false;
    }
    snprintf(path, PATH_MAX, "%s", search.path);
    fprintf(stderr, "%s: the run of \"%s\" in %s left its data in %s", who, search.about.command,
            search.about.home, path);
    if (search.n > 1)
        fprintf(stderr, "; %d earlier run%s left data beside it", search.n - 1,
                search.n > 2 ? "s" : "");
    fputs("; remove it when it is not needed any more\n", stderr);
    return true;
}

/* ---- Contents ------------------------------------------------------------------------------ */

struct data {
    char **paths;
    int n, room;
};

static bool is_data(const char *name)
{
    size_t n = strlen(name);
    return strncmp(name, "gptl-salvage", 12) == 0 || (n > 5 && strcmp(name + n - 5, ".json") == 0);
}

static void find_data(struct data *found, const char *directory, int depth)
{
    char path[2 * PATH_MAX];
    bool has_data = false;
    DIR *entries = depth < 64 ? opendir(directory) : NULL;
    struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        struct stat s;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (entry->d_name[0] == '.' || strlen(path) >= PATH_MAX || lstat(path, &s) != 0)
            continue;
        if (S_ISDIR(s.st_mode))
            find_data(found, path, depth + 1);
        else
            has_data |= S_ISREG(s.st_mode) && is_data(entry->d_name);
    }
    if (entries)
        closedir(entries);
    if (has_data && found->n < found->room && (found->paths[found->n] = strdup(directory)))
        found->n++;
}

static bool find_in(const char *directory, void *found)
{
    find_data(found, directory, 0);
    return true;
}

int run_directory_data(const char *directory, char **paths, int n)
{
    struct data found = {paths, 0, n};
    run_directory_each(directory, find_in, &found);
    if (found.n == 0)
        fprintf(stderr, "gptl report: %s: no process of this run measured anything\n", directory);
    return found.n;
}
