/*
 * files.h - the names of files, each with a number. Lock-free, because signal handlers open files
 * too.
 */
#ifndef GPTL_POSIX_FILES_H
#define GPTL_POSIX_FILES_H

#include "posix/posix.h"

/*
 * Return the file named PATH, as passed to a call with directory DIR (a descriptor, AT_FDCWD or
 * GPTL_POSIX_TEXT), or NULL.
 */
struct gptl_posix_file *gptl_posix_name(int dir, const char *path);
/*
 * Like gptl_posix_name, after a call that failed with ERROR, possibly before the kernel read PATH.
 */
struct gptl_posix_file *gptl_posix_name_refused(int dir, const char *path, int error);
/* Return the file named PATH, of SIZE bytes, relative to the directory numbered BASE, or NULL. */
struct gptl_posix_file *gptl_posix_name_at(uint32_t base, const char *path, size_t size);

static inline uint32_t gptl_posix_number(const struct gptl_posix_file *file)
{
    return file ? file->number : 0;
}

/* Identity of a file. A reused inode has another birth time. */
struct gptl_posix_identity {
    uint64_t device, inode, birth;
    int64_t size;
    enum gptl_posix_kind kind;
};
/* Fill in IDENTITY of the open descriptor FD. Return false if that is not possible. */
bool gptl_posix_ask(int fd, struct gptl_posix_identity *identity);
/*
 * Return FILE if its identity matches or is still unknown, otherwise another file with the same
 * name.
 */
struct gptl_posix_file *gptl_posix_settle(struct gptl_posix_file *file,
                                          const struct gptl_posix_identity *identity);
struct stat;
enum gptl_posix_kind gptl_posix_kind_of(const struct stat *s);

/* Set ROOT as the current root. gptl_posix_root returns its number, or 0 for the initial root. */
void gptl_posix_moved_root(const struct gptl_posix_file *root);
uint32_t gptl_posix_root(void);
/* Forget the working directory, which has changed. */
void gptl_posix_moved_directory(void);

#endif
