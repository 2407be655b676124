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

/* Fills in what is known of an open descriptor. */
struct stat;
void gptl_posix_describe(struct gptl_posix_file *file, const struct stat *s);
enum gptl_posix_kind gptl_posix_kind_of(const struct stat *s);

/* The working directory is another one now. */
void gptl_posix_moved_directory(void);

#endif
