/* files.h - the names of files, each with a number. Lock-free, as signal handlers open files too. */
#ifndef GPTL_POSIX_FILES_H
#define GPTL_POSIX_FILES_H

#include "posix/posix.h"

/* PATH as it was given to a call with the directory DIR (AT_FDCWD, GPTL_POSIX_TEXT), or NULL. */
struct gptl_posix_file *gptl_posix_name(int dir, const char *path);
/* The same after a call that failed with ERROR, which may have come before anybody read PATH. */
struct gptl_posix_file *gptl_posix_name_refused(int dir, const char *path, int error);
/* The same for one whose base is known. */
struct gptl_posix_file *gptl_posix_name_at(uint32_t base, const char *path, size_t size);

static inline uint32_t gptl_posix_number(const struct gptl_posix_file *file)
{
    return file ? file->number : 0;
}

/* What a name stands for. An inode has another birth when it is used again. */
struct gptl_posix_identity {
    uint64_t device, inode, birth;
    int64_t size;
    enum gptl_posix_kind kind;
};
/* Finds that out of an open descriptor. */
bool gptl_posix_ask(int fd, struct gptl_posix_identity *identity);
/* FILE itself, if it is or can be that one, or else another with the same name. */
struct gptl_posix_file *gptl_posix_settle(struct gptl_posix_file *file,
                                          const struct gptl_posix_identity *identity);
struct stat;
enum gptl_posix_kind gptl_posix_kind_of(const struct stat *s);

/* ROOT is the root now. And the number of that; 0: it is the usual one. */
void gptl_posix_moved_root(const struct gptl_posix_file *root);
uint32_t gptl_posix_root(void);
/* The working directory is another one now. */
void gptl_posix_moved_directory(void);

#endif
