/*
 * trees.h - copies of source trees for inserting probes. Unchanged files are not written, so that
 * make does not rebuild them.
 */
#ifndef GPTL_POSTPROC_IOSTACK_TREES_H
#define GPTL_POSTPROC_IOSTACK_TREES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tree {
    char *name;            /* of $NAME; "": the application's */
    char *original, *copy; /* directories, or files */
};

struct trees {
    struct tree *trees;
    size_t n, room;
    char *folder; /* directory of the copies */
    uint64_t files, written, replaced;
};

/* Add ORIGINAL, a directory or file, as $NAME. Returns 0, or -1 after a message. */
int trees_add(struct trees *trees, const char *name, const char *original);
/* Return the path of the copy of PATH, which the caller frees; NULL: outside all trees. */
char *trees_copy_of(const struct trees *trees, const char *path);
/* Copy new files, except the ones in KEEP, which is sorted. Returns 0, or -1 after a message. */
int trees_copy(struct trees *trees, char *const *keep, size_t nkeep);
/*
 * Write SIZE bytes of TEXT to the file PATH unless it already has these contents. Returns 0, or -1
 * after a message.
 */
int trees_write(struct trees *trees, const char *path, const char *like, const char *text,
                size_t size);
char *trees_load(const char *path, size_t *size);
void trees_free(struct trees *trees);

#endif
