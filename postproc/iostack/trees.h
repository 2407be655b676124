/*
 * trees.h - the copies of source trees that probes are put into. What has not changed is not written, so
 * that make has nothing to do.
 */
#ifndef GPTL_POSTPROC_IOSTACK_TREES_H
#define GPTL_POSTPROC_IOSTACK_TREES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tree {
    char *name;            /* as $NAME; "" : the application's */
    char *original, *copy; /* folders, or files */
};

struct trees {
    struct tree *trees;
    size_t n, room;
    char *folder; /* that has the copies */
    uint64_t files, written, replaced;
};

/* Knows ORIGINAL, a folder or file, as $NAME. Returns 0, or -1 after a message. */
int trees_add(struct trees *trees, const char *name, const char *original);
/* Where the copy of the file PATH is, NULL: it is in none of the trees. Free it. */
char *trees_copy_of(const struct trees *trees, const char *path);
/* Copies what is new; those in KEEP, sorted, are left alone. Returns 0, or -1 after a message. */
int trees_copy(struct trees *trees, char *const *keep, size_t nkeep);
/* SIZE bytes of TEXT become the file PATH, if that is not so already. Returns 0, or -1 after a message. */
int trees_write(struct trees *trees, const char *path, const char *like, const char *text,
                size_t size);
char *trees_load(const char *path, size_t *size);
void trees_free(struct trees *trees);

#endif
