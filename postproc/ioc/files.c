/* files.c - the files that occur in a log. */
#include "config.h"

#include "postproc/ioc/files.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "postproc/ioc/memory.h"

#include "ioc/format.h"
#include "posix/posix.h"

/* Return whether a pattern matches the whole path, or the part after any '/'. */
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
    for (size_t i = 0; i < files->nnames; i++)
        free(files->names[i].path);
    free(files->names);
    map_free(&files->by_path);
    map_free(&files->by_identity);
    map_free(&files->by_place);
    *files = (struct files){0};
}

/*
 * Return PATH without "//" and "/./": "a//b", "./a/./b/" and "a/b" become equal. ".." stays,
 * because only the file system can resolve it.
 */
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

/* Return the key of PATH in the table of names, existing or new. */
static uint64_t key_of_path(const struct files *files, const char *path)
{
    uint64_t hash = 14695981039346656037u, *known;
    for (const char *c = path; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    while ((known = map_find(&files->by_path, hash)) &&
           strcmp(files->names[*known].path, path) != 0)
        hash++;
    return hash;
}

static void name(struct files *files, const char *path, uint32_t file)
{
    uint64_t *place = map_put(&files->by_path, key_of_path(files, path));
    files->names =
        memory_room(files->names, &files->names_room, files->nnames + 1, sizeof *files->names);
    files->names[files->nnames] = (struct file_name){memory_text(path), file};
    *place = files->nnames++;
    if (!files->files[file].chosen)
        files->files[file].chosen = file != 0 && matches(files->glob, path);
}

static bool is_same(const struct file_identity *a, const struct file_identity *b)
{
    return a->inode == b->inode && a->device == b->device && a->birth == b->birth &&
           strcmp(a->host, b->host) == 0;
}

static uint64_t key_of_identity(const struct files *files, const struct file_identity *identity)
{
    uint64_t hash = (identity->inode * 31 + identity->device) * 31 + identity->birth, *known;
    while ((known = map_find(&files->by_identity, hash)) &&
           !is_same(&files->files[*known].identity, identity))
        hash++;
    return hash;
}

/* Return the key of a file that another host has at PATH. */
static uint64_t key_of_place(const struct files *files, const char *path,
                             const struct file_identity *identity)
{
    uint64_t hash = identity->inode * 31 + identity->birth, *known;
    for (; *path; path++)
        hash = (hash ^ (unsigned char)*path) * 1099511628211u;
    while ((known = map_find(&files->by_place, hash))) {
        const struct file_identity *other = &files->files[*known].identity;
        if (other->inode == identity->inode && other->birth == identity->birth &&
            strcmp(other->host, identity->host) != 0)
            break;
        hash++;
    }
    return hash;
}

/* Return the number of a known file with IDENTITY, or 0. */
static uint32_t find(const struct files *files, const char *path,
                     const struct file_identity *identity)
{
    const uint64_t *known = map_find(&files->by_identity, key_of_identity(files, identity));
    if (!known)
        known = map_find(&files->by_place, key_of_place(files, path, identity));
    return known ? (uint32_t)*known : 0;
}

uint32_t files_number(struct files *files, const char *path, uint32_t kind,
                      const struct file_identity *identity)
{
    char *own = simple(path);
    const uint64_t *named = map_find(&files->by_path, key_of_path(files, own));
    uint32_t stood_for = named ? files->names[*named].file : 0, number = 0;
    if (identity->inode)
        number = find(files, own, identity);
    if (!number && stood_for &&
        (identity->inode == 0 || files->files[stood_for].identity.inode == 0))
        number = stood_for;
    if (!number)
        number = add(files, own, kind);
    if (number != stood_for)
        name(files, own, number);
    if (identity->inode && files->files[number].identity.inode == 0) {
        files->files[number].identity = *identity;
        *map_put(&files->by_identity, key_of_identity(files, identity)) = number;
        *map_put(&files->by_place, key_of_place(files, own, identity)) = number;
    }
    if (files->files[number].kind == GPTL_IOC_UNKNOWN)
        files->files[number].kind = kind;
    free(own);
    return number;
}

void files_renamed(struct files *files, uint32_t file, uint32_t to)
{
    if (file == 0 || to == 0 || file == to || files->files[file].identity.inode == 0)
        return;
    char *path = memory_text(files->files[to].path);
    name(files, path, file);
    free(files->files[file].path);
    files->files[file].path = path;
}
