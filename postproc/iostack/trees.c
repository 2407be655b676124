/* trees.c - copies of source trees. */
#include "config.h"

#include "postproc/iostack/trees.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "postproc/ioc/memory.h"

enum { MOST_DEPTH = 200 };

struct copying {
    struct trees *trees;
    char *const *keep;
    size_t nkeep;
};

static int complain(const char *what, const char *path)
{
    fprintf(stderr, "gptl iostack: cannot %s %s: %s\n", what, path, strerror(errno));
    return -1;
}

static char *join(const char *folder, const char *name)
{
    size_t n = strlen(folder) + strlen(name) + 2;
    char *path = memory_zeros(n, 1);
    snprintf(path, n, "%s/%s", folder, name);
    return path;
}

/* ---- List of trees ------------------------------------------------------------------------- */

int trees_add(struct trees *trees, const char *name, const char *original)
{
    char *real = realpath(original, NULL);
    if (!real)
        return complain("find", original);
    for (size_t i = 0; i < trees->n; i++)
        if (strcmp(trees->trees[i].original, real) == 0) {
            free(real);
            return 0;
        }
    trees->trees = memory_room(trees->trees, &trees->room, trees->n + 1, sizeof *trees->trees);
    const char *slash = strrchr(real, '/');
    trees->trees[trees->n++] = (struct tree){.name = memory_text(name),
                                             .copy = join(trees->folder, *name   ? name
                                                                         : slash ? slash + 1
                                                                                 : real),
                                             .original = real};
    return 0;
}

void trees_free(struct trees *trees)
{
    for (size_t i = 0; i < trees->n; i++) {
        free(trees->trees[i].name);
        free(trees->trees[i].original);
        free(trees->trees[i].copy);
    }
    free(trees->trees);
    free(trees->folder);
}

/* Return the copy of PATH; of nested trees, the innermost is used. */
char *trees_copy_of(const struct trees *trees, const char *path)
{
    char *real = realpath(path, NULL), *copy = NULL;
    size_t longest = 0;
    for (size_t i = 0; real && i < trees->n; i++) {
        size_t n = strlen(trees->trees[i].original);
        if (n < longest || strncmp(real, trees->trees[i].original, n) != 0 ||
            (real[n] != '/' && real[n] != '\0'))
            continue;
        longest = n;
        free(copy);
        copy =
            real[n] ? join(trees->trees[i].copy, real + n + 1) : memory_text(trees->trees[i].copy);
    }
    free(real);
    return copy;
}

/* ---- Files --------------------------------------------------------------------------------- */

char *trees_load(const char *path, size_t *size)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *text = NULL;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        text = memory_zeros((size_t)status.st_size + 1, 1);
        for (*size = 0; *size < (size_t)status.st_size;) {
            ssize_t n = read(fd, text + *size, (size_t)status.st_size - *size);
            if (n == 0 || (n < 0 && errno != EINTR))
                break;
            *size += n > 0 ? (size_t)n : 0;
        }
    }
    if (fd >= 0)
        close(fd);
    return text;
}

/* Write a file next to the target and rename it, so that readers never see a partial file. */
static int write_file(const char *path, const char *text, size_t size, const struct stat *like)
{
    char *temporary = memory_zeros(strlen(path) + 32, 1);
    snprintf(temporary, strlen(path) + 32, "%s.gptl.%ld", path, (long)getpid());
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), result = 0;
    for (size_t done = 0; fd >= 0 && done < size;) {
        ssize_t n = write(fd, text + done, size - done);
        if (n < 0 && errno != EINTR) {
            result = -1;
            break;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0 && result == 0 && like) {
        struct timespec times[2] = {like->st_atim, like->st_mtim};
        result = fchmod(fd, like->st_mode & 07777) || futimens(fd, times) ? -1 : 0;
    }
    if (fd < 0 || (close(fd) != 0) || result != 0 || rename(temporary, path) != 0) {
        complain("write", path);
        unlink(temporary);
        result = -1;
    }
    free(temporary);
    return result;
}

/*
 * Set a modification time newer than all existing files, or make would keep objects built from the
 * old file. The kernel's default has the granularity of its tick, so a file just copied may have
 * the same time.
 */
static int make_new(const char *path)
{
    struct timespec times[2];
    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[1] = times[0];
    bool is_done = utimensat(AT_FDCWD, path, times, 0) == 0 || errno == ENOENT;
    return is_done ? 0 : complain("write", path);
}

int trees_write(struct trees *trees, const char *path, const char *like, const char *text,
                size_t size)
{
    size_t old_size = 0;
    struct stat status;
    char *old = trees_load(path, &old_size);
    bool is_same = old && old_size == size && memcmp(old, text, size) == 0;
    free(old);
    trees->files++;
    if (is_same) /* objects copied over the ones built from it are newer */
        return trees->replaced ? make_new(path) : 0;
    trees->written++;
    if (write_file(path, text, size, NULL) || make_new(path))
        return -1;
    return stat(like, &status) == 0 ? chmod(path, status.st_mode & 07777) : 0;
}

/*
 * Copy a file. The copy gets the time of its original, or keeps a later one if the build has
 * recreated it (objects of a tree built in place): make considers only newer originals. A replaced
 * copy gets the current time, because dependent files may have been built after the original was
 * changed.
 */
static int copy_file(struct copying *c, const char *from, const char *to, const struct stat *status)
{
    struct stat old;
    bool is_there = lstat(to, &old) == 0 && S_ISREG(old.st_mode);
    c->trees->files++;
    if (is_there && (old.st_mtim.tv_sec > status->st_mtim.tv_sec ||
                     (old.st_mtim.tv_sec == status->st_mtim.tv_sec &&
                      old.st_mtim.tv_nsec >= status->st_mtim.tv_nsec)))
        return 0;
    size_t size;
    char *text = trees_load(from, &size);
    if (!text)
        return complain("read", from);
    c->trees->written++;
    c->trees->replaced += is_there;
    int result = write_file(to, text, size, status);
    free(text);
    return result || !is_there ? result : utimensat(AT_FDCWD, to, NULL, 0);
}

static int copy_link(struct copying *c, const char *from, const char *to)
{
    char target[PATH_MAX], old[PATH_MAX];
    ssize_t n = readlink(from, target, sizeof target - 1);
    ssize_t m = readlink(to, old, sizeof old - 1);
    if (n < 0)
        return complain("read", from);
    target[n] = '\0';
    c->trees->files++;
    if (n == m && memcmp(target, old, (size_t)n) == 0)
        return 0;
    c->trees->written++;
    unlink(to);
    return symlink(target, to) ? complain("write", to) : 0;
}

/* ---- Trees --------------------------------------------------------------------------------- */

static int compare_texts(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

static bool is_kept(const struct copying *c, const char *path)
{
    return c->nkeep && bsearch(&path, c->keep, c->nkeep, sizeof path, compare_texts) != NULL;
}

static int copy_any(struct copying *c, const char *from, const char *to, int depth);

static int copy_folder(struct copying *c, const char *from, const char *to, int depth)
{
    struct dirent *entry;
    int result = 0;
    if (mkdir(to, 0777) != 0 && errno != EEXIST)
        return complain("make", to);
    DIR *dir = opendir(from);
    if (!dir || depth > MOST_DEPTH) {
        if (dir)
            closedir(dir);
        return complain("read", from);
    }
    while (result == 0 && (entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            strcmp(entry->d_name, ".git") == 0)
            continue;
        char *a = join(from, entry->d_name), *b = join(to, entry->d_name);
        result = copy_any(c, a, b, depth + 1);
        free(a);
        free(b);
    }
    closedir(dir);
    return result;
}

/*
 * Copy a file, link or directory. Sockets, pipes and devices are skipped, and so is the directory
 * of copies if it is within a tree.
 */
static int copy_any(struct copying *c, const char *from, const char *to, int depth)
{
    struct stat status, own;
    if (is_kept(c, to))
        return 0;
    if (lstat(from, &status) != 0)
        return complain("read", from);
    if (S_ISLNK(status.st_mode) && depth > 0)
        return copy_link(c, from, to);
    if (S_ISDIR(status.st_mode)) {
        if (stat(c->trees->folder, &own) == 0 && own.st_dev == status.st_dev &&
            own.st_ino == status.st_ino)
            return 0;
        return copy_folder(c, from, to, depth);
    }
    return S_ISREG(status.st_mode) ? copy_file(c, from, to, &status) : 0;
}

/* ---- Copies with probes --------------------------------------------------------------------- */

/*
 * Return the names of the copies with probes, relative to the directory, each NUL-terminated. The
 * caller frees them.
 */
static char *load_probed(const struct trees *trees, size_t *size)
{
    char *path = join(trees->folder, ".probed"), *names = trees_load(path, size);
    free(path);
    return names;
}

static int store_probed(const struct trees *trees, char *const *keep, size_t nkeep)
{
    size_t size = 0, old_size = 0, skip = strlen(trees->folder) + 1;
    char *path = join(trees->folder, ".probed"), *old = trees_load(path, &old_size);
    for (size_t i = 0; i < nkeep; i++)
        size += strlen(keep[i]) + 1 - skip;
    char *names = memory_zeros(size + 1, 1), *at = names;
    for (size_t i = 0; i < nkeep; i++)
        at = stpcpy(at, keep[i] + skip) + 1;
    int result = old && old_size == size && memcmp(old, names, size) == 0
                     ? 0
                     : write_file(path, names, size, NULL);
    free(old);
    free(names);
    free(path);
    return result;
}

/* Visit copies that no longer have probes. */
static void visit_lost(const struct copying *c, const char *probed, size_t size,
                       int (*visit)(const char *path))
{
    for (size_t at = 0; probed && at < size; at += strlen(probed + at) + 1) {
        char *path = join(c->trees->folder, probed + at);
        if (!is_kept(c, path))
            visit(path);
        free(path);
    }
}

int trees_copy(struct trees *trees, char *const *keep, size_t nkeep)
{
    struct copying c = {trees, keep, nkeep};
    size_t size = 0;
    int result = 0;
    if (mkdir(trees->folder, 0777) != 0 && errno != EEXIST)
        return complain("make", trees->folder);
    char *probed = load_probed(trees, &size);
    visit_lost(&c, probed, size, unlink);
    for (size_t i = 0; i < trees->n && result == 0; i++)
        result = copy_any(&c, trees->trees[i].original, trees->trees[i].copy, 0);
    visit_lost(&c, probed, size, make_new);
    free(probed);
    return result ? result : store_probed(trees, keep, nkeep);
}
