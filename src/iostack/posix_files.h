/*
 * posix_files.h - information of the layer POSIX about files and descriptors, in addition to the
 * posix module's.
 */
#ifndef GPTL_IOSTACK_POSIX_FILES_H
#define GPTL_IOSTACK_POSIX_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "posix/posix.h"

/* Return the file with this number, or NULL if it is unknown. */
struct gptl_iostack_file *gptl_iostack_file(uint32_t number);
/* Handle a new name: the callback `file` of the sink. */
void gptl_iostack_learn(struct gptl_posix_file *file);
/* Return the number of its full path in this thread's log; 0: no path. */
uint64_t gptl_iostack_file_name(struct gptl_iostack_file *file);
/*
 * Return whether the file belongs to the system, a compiler or a library, or is named memory, as
 * opposed to data of a program.
 */
bool gptl_iostack_is_of_system(struct gptl_iostack_file *file);
/* Mark a name as shared memory. */
void gptl_iostack_has_no_path(uint32_t number);
/* Record a sample of the file's device if this is the device's first file. */
void gptl_iostack_sample(struct gptl_iostack_file *file);

/*
 * Return the file of a descriptor if it is a regular file now, or was at the last check; else NULL.
 */
struct gptl_iostack_file *gptl_iostack_file_of(int fd);
struct gptl_iostack_file *gptl_iostack_last_file_of(int fd);

/* Return the offset of a descriptor as derived from the calls so far; -1: unknown. */
int64_t gptl_iostack_position(int fd);
void gptl_iostack_set_position(int fd, int64_t position);
/* Forget all offsets, because descriptors may be shared from now on. */
void gptl_iostack_forget_positions(void);

#endif
