/* files.c - the files that a log is about. */
#include "config.h"

#include "postproc/ioc/files.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"

#include "ioc/format.h"
#include "posix/posix.h"

/* A pattern stands for the whole path, or for what comes behind any '/' of it. */
static bool matches(const char *glob, const char *path)
{
    if (!glob || strcmp(glob, path) == 0 || fnmatch(glob, path, 0) == 0)
        return true;
    for (const char *slash = path; (slash = strchr(slash, '/')); slash++)
        if (strcmp(glob, slash + 1) == 0 || fnmatch(glob, slash + 1, 0) == 0)
            return true;
    return false;
}

bool file_is_aside(const struct file *file)
{
    if (file->in_memory || (file->kind != GPTL_IOC_UNKNOWN && file->kind != GPTL_IOC_REGULAR))
        return true;
    return gptl_posix_is_of_system(file->path) || strcmp(file->path, "(unknown)") == 0;
}

static uint32_t add(struct files *files, const char *path, uint32_t kind)
{
    files->files = memory_room(files->files, &files->room, files->n + 1, sizeof *files->files);
    files->files[files->n] = (struct file){.path = memory_text(path), .kind = kind, .end = -1};
    files->files[files->n].chosen = matches(files->glob, path);
    return (uint32_t)files->n++;
}

void files_begin(struct files *files, const char *glob)
{
    *files = (struct files){.glob = glob};
    add(files, "(unknown)", GPTL_IOC_UNKNOWN);
    files->files[0].chosen = glob == NULL;
}

void files_free(struct files *files)
{
    for (size_t i = 0; i < files->n; i++)
        free(files->files[i].path);
    free(files->files);
    map_free(&files->by_path);
    *files = (struct files){0};
}

/* "a//b", "./a/./b/" and "a/b" are one. What ".." means, only the file system knows. */
static char *simple(const char *path)
{
    char *copy = memory_text(path), *to = copy;
    for (const char *from = path; *from;) {
        bool at_begin = to == copy || to[-1] == '/';
        if (at_begin && from[0] == '.' && (from[1] == '/' || (from[1] == '\0' && to != copy)))
            from += from[1] ? 2 : 1;
        else if (*from == '/' && to != copy && to[-1] == '/')
            from++;
        else
            *to++ = *from++;
    }
    if (to > copy + 1 && to[-1] == '/')
        to--;
    *to = '\0';
    return copy;
}

uint32_t files_number(struct files *files, const char *path, uint32_t kind)
{
    char *name = simple(path);
    uint64_t hash = 14695981039346656037u;
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    uint64_t *known;
    while ((known = map_find(&files->by_path, hash)) &&
           strcmp(files->files[*known].path, name) != 0)
        hash++;
    uint32_t number = known ? (uint32_t)*known : add(files, name, kind);
    if (!known)
        *map_put(&files->by_path, hash) = number;
    if (files->files[number].kind == GPTL_IOC_UNKNOWN)
        files->files[number].kind = kind;
    free(name);
    return number;
}
