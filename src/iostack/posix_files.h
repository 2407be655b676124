/* posix_files.h - what the layer POSIX knows of files and descriptors beside what the room posix does. */
#ifndef GPTL_IOSTACK_POSIX_FILES_H
#define GPTL_IOSTACK_POSIX_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "posix/posix.h"

/* A name, by its number; NULL: it is not known. */
struct gptl_iostack_file *gptl_iostack_file(uint32_t number);
/* A name is new: the sink's `file`. */
void gptl_iostack_learn(struct gptl_posix_file *file);
/* The number of its full path in this thread's log; 0: it has none. */
uint64_t gptl_iostack_file_name(struct gptl_iostack_file *file);
/* Of the system, of compilers and libraries, memory that has a name: no data of a program's. */
bool gptl_iostack_is_of_system(struct gptl_iostack_file *file);
/* Its name is one of shared memory. */
void gptl_iostack_has_no_path(uint32_t number);
/* The first one on its device: what that has done so far is written down. */
void gptl_iostack_sample(struct gptl_iostack_file *file);

/* The file of a descriptor that is a regular one, or was when it was looked at last; else NULL. */
struct gptl_iostack_file *gptl_iostack_file_of(int fd);
struct gptl_iostack_file *gptl_iostack_last_file_of(int fd);

/* The offset of a descriptor, as far as calls have told; -1: not known. */
int64_t gptl_iostack_position(int fd);
void gptl_iostack_set_position(int fd, int64_t position);
/* All of them may be shared from now on. */
void gptl_iostack_forget_positions(void);

#endif
