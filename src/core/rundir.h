/*
 * rundir.h - the private directory of a `gptl run`, which contains all files of a run while the
 * command runs.
 *
 * Results are staged: the file for path PATH is in the directory as `here/PATH` (relative to the
 * working directory of `gptl run`) or as `root/PATH` (absolute), and `gptl run` moves it after the
 * command. This code is independent of the rest of the core, and part of the preloaded libraries as
 * well. It preserves errno, makes no I/O call that could be recorded as the host's, and is not a
 * cancellation point.
 */
#ifndef GPTL_CORE_RUNDIR_H
#define GPTL_CORE_RUNDIR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GPTL_RUNDIR_PREFIX "gptl-run."
#define GPTL_RUNDIR_HERE "here"
#define GPTL_RUNDIR_ROOT "root"
/*
 * Description of the run: lines KEY=VALUE with pid, host, job, home (the working directory),
 * command.
 */
#define GPTL_RUNDIR_ABOUT "claim.about"

enum gptl_rundir_places {
    GPTL_RUNDIR_LOCAL,  /* GPTL_RUN_DIR, then storage of this host, memory first */
    GPTL_RUNDIR_JOB,    /* GPTL_RUN_DIR, then the user's directories, then storage of this host */
    GPTL_RUNDIR_SHARED, /* the subset that other hosts may see */
    GPTL_RUNDIR_DISK,   /* storage of this host that may be a disk */
};

/*
 * Return in TO the INDEXth candidate for the parent directory of runs, in order of preference; ""
 * for a candidate that the environment does not define. Return false after the last one.
 */
bool gptl_rundir_place(enum gptl_rundir_places places, int index, char to[PATH_MAX]);

/*
 * Create the directory NAME in PLACE with mode 0700, or, if IS_SHARED, accept an existing one of
 * this user with this mode. Return its path in PATH. Return false with the reason in errno.
 */
bool gptl_rundir_make(const char *place, const char *name, bool is_shared, char path[PATH_MAX]);

/* Return whether PATH is a directory of this user with mode 0700, and not a link. */
bool gptl_rundir_is_own(const char *path);

/*
 * Find the directory for this process where `gptl run` created DIRECTORY: DIRECTORY itself, or on
 * another host a directory of the same name that `gptl run` sees as well; "" if none exists. Return
 * false if the process has another user: it may use no directory, and leaves no files anywhere.
 */
bool gptl_rundir_find(const char *directory, char path[PATH_MAX]);

/*
 * Find the directory on a disk for files that do not fit into DIRECTORY: DIRECTORY itself if it is
 * on a disk, else the one of the same name that `gptl run` created. Return false if it created
 * none.
 */
bool gptl_rundir_overflow(const char *directory, char path[PATH_MAX]);

/* Reserve SIZE bytes of the memory for files in DIRECTORY. Return false if less is left. */
bool gptl_rundir_take(const char *directory, uint64_t size);

/*
 * Return in STAGED the location of file PATH until it is moved, and create its parent directories.
 * Return false if the name is too long.
 */
bool gptl_rundir_stage(const char *directory, const char *path, char staged[PATH_MAX]);

/*
 * Do the same for a file of unbounded size, on a disk if possible. Return false also after the end
 * of the run.
 */
bool gptl_rundir_stage_large(const char *directory, const char *path, char staged[PATH_MAX]);

/*
 * Return the path staged as STAGED in DIRECTORY, without "here"; NULL if STAGED is not a staged
 * file.
 */
const char *gptl_rundir_target(const char *directory, const char *staged);

/*
 * Return whether `gptl run` has ended, so that other processes must move the files in its
 * directory.
 */
bool gptl_rundir_has_ended(const char *directory);

/*
 * Convert PATH to an absolute path; a relative one starts in the working directory of `gptl run`.
 */
bool gptl_rundir_absolute(const char *directory, const char *path, char to[PATH_MAX]);

#endif
