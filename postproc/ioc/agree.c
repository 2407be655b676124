/*
 * agree.c - compares the bytes of each file between strace and a log.
 *
 * strace reports the kernel's path, the log the program's path: through links, with "..", relative.
 * Both are mapped to their current inode. Deleted files with different paths in the log are
 * compared by their sum.
 */
#include "config.h"

#include "postproc/ioc/agree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "postproc/ioc/memory.h"

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

static struct agree_file *find_inode(struct agree *agree, const struct stat *s, uint64_t *key)
{
    *key = (s->st_ino ^ (uint64_t)s->st_dev * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdU;
    for (uint64_t *place; (place = map_find(&agree->by_inode, *key)); ++*key) {
        struct agree_file *file = &agree->files[*place];
        if (file->device == s->st_dev && file->inode == s->st_ino)
            return file;
    }
    return NULL;
}

static struct agree_file *add_file(struct agree *agree)
{
    agree->files = memory_room(agree->files, &agree->room, agree->n + 1, sizeof *agree->files);
    agree->files[agree->n] = (struct agree_file){.same = agree->n};
    return &agree->files[agree->n++];
}

static struct agree_file *file_at(struct agree *agree, const char *path)
{
    uint64_t key = hash_of(path), inode_key = 0;
    for (uint64_t *place; (place = map_find(&agree->by_path, key)); key++)
        if (strcmp(agree->names[*place].path, path) == 0)
            return &agree->files[agree->names[*place].file];
    struct stat s;
    bool is_there = path[0] == '/' && stat(path, &s) == 0;
    struct agree_file *file = is_there ? find_inode(agree, &s, &inode_key) : NULL;
    *map_put(&agree->by_path, key) = agree->nnames;
    agree->names =
        memory_room(agree->names, &agree->names_room, agree->nnames + 1, sizeof *agree->names);
    struct agree_name *name = &agree->names[agree->nnames++];
    name->path = memory_text(path);
    if (!file) {
        file = add_file(agree);
        file->path = name->path;
        if (is_there) {
            file->device = s.st_dev;
            file->inode = s.st_ino;
            *map_put(&agree->by_inode, inode_key) = agree->n - 1;
        }
    }
    name->file = (size_t)(file - agree->files);
    return file;
}

void agree_add(struct agree *agree, enum agree_side side, const char *path, bool writes,
               uint64_t bytes)
{
    struct agree_file *file = file_at(agree, path);
    (writes ? file->written : file->read)[side] += bytes;
}

void agree_inside(struct agree *agree, const char *path)
{
    file_at(agree, path)->is_inside = true;
}

static size_t first_of(const struct agree *agree, size_t file)
{
    while (agree->files[file].same != file)
        file = agree->files[file].same;
    return file;
}

void agree_same(struct agree *agree, const char *path, const char *other)
{
    size_t a = (size_t)(file_at(agree, path) - agree->files);
    size_t b = (size_t)(file_at(agree, other) - agree->files);
    a = first_of(agree, a);
    b = first_of(agree, b);
    size_t least = a < b ? a : b, most = a < b ? b : a;
    agree->files[most].same = least;
}

static bool differs(const struct agree_file *file)
{
    bool reads = file->is_inside ? file->read[BY_LOG] > file->read[BY_STRACE]
                                 : file->read[BY_LOG] != file->read[BY_STRACE];
    return reads || file->written[BY_LOG] != file->written[BY_STRACE];
}

static void print_one(const struct agree_file *file)
{
    printf("  \"%s\": strace saw %" PRIu64 " bytes read and %" PRIu64
           " written, the log has %" PRIu64 " and %" PRIu64 "\n",
           file->path, file->read[BY_STRACE], file->written[BY_STRACE], file->read[BY_LOG],
           file->written[BY_LOG]);
}

static void add_to(struct agree_file *sum, const struct agree_file *file)
{
    for (int side = BY_STRACE; side <= BY_LOG; side++) {
        sum->read[side] += file->read[side];
        sum->written[side] += file->written[side];
    }
}

/* Merge the values of all names of a file into its first name. */
static void join(struct agree *agree)
{
    for (size_t i = 0; i < agree->n; i++) {
        struct agree_file *file = &agree->files[i], *first = &agree->files[first_of(agree, i)];
        if (first == file)
            continue;
        add_to(first, file);
        first->is_inside |= file->is_inside;
        first->inode = first->inode ? first->inode : file->inode;
        *file = (struct agree_file){.path = file->path, .inode = 1, .same = i};
    }
}

size_t agree_print(struct agree *agree)
{
    struct agree_file gone = {0};
    size_t n = 0;
    join(agree);
    for (size_t i = 0; i < agree->n; i++)
        if (agree->files[i].inode == 0 && !agree->files[i].is_inside)
            add_to(&gone, &agree->files[i]);
    bool gone_differ = differs(&gone);
    for (size_t i = 0; i < agree->n; i++) {
        const struct agree_file *file = &agree->files[i];
        bool is_gone = file->inode == 0 && !file->is_inside;
        if (!differs(file) || (is_gone && !gone_differ))
            continue;
        print_one(file);
        n += !is_gone;
    }
    return n + gone_differ;
}

void agree_free(struct agree *agree)
{
    for (size_t i = 0; i < agree->nnames; i++)
        free(agree->names[i].path);
    free(agree->names);
    free(agree->files);
    map_free(&agree->by_path);
    map_free(&agree->by_inode);
    *agree = (struct agree){0};
}
