/*
 * rundir.h - the private directory of a `gptl run`: all files of a run lie in it while the command runs.
 *
 * Results are staged: a file that is to appear as PATH lies in the directory as `here/PATH` (relative to the
 * working directory of `gptl run`) or as `root/PATH` (absolute), and `gptl run` moves it when the command
 * has ended. It needs nothing else of the core, and is in the preloaded libraries as well. All of it keeps
 * errno, is no call of the host's I/O that could be recorded, and no point of cancellation.
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
/* Who made it: lines KEY=VALUE with pid, host, job, home (the working directory), command. */
#define GPTL_RUNDIR_ABOUT "claim.about"

enum gptl_rundir_places {
    GPTL_RUNDIR_LOCAL,  /* GPTL_RUN_DIR, then storage of this host, memory first */
    GPTL_RUNDIR_JOB,    /* GPTL_RUN_DIR, then the user's directories, then storage of this host */
    GPTL_RUNDIR_SHARED, /* those of them that other hosts may see */
    GPTL_RUNDIR_DISK,   /* storage of this host that may be a disk */
};

/*
 * The INDEXth directory in which those of runs may be, in the order to try them. *TO is "" for one that the
 * environment does not name. Returns false behind the last one.
 */
bool gptl_rundir_place(enum gptl_rundir_places places, int index, char to[PATH_MAX]);

/*
 * Makes the directory NAME in PLACE, with mode 0700, or takes one that is there if it is this user's with
 * that mode, and IS_SHARED. PATH becomes its path. Returns false, with the reason in errno.
 */
bool gptl_rundir_make(const char *place, const char *name, bool is_shared, char path[PATH_MAX]);

/* Whether PATH is a directory of this user, with mode 0700, and no link. */
bool gptl_rundir_is_own(const char *path);

/*
 * The directory that this process uses where `gptl run` made DIRECTORY: that one, or on another host one of
 * the same name that `gptl run` sees as well; "" where there is none. False: it may use none, and leaves
 * nothing anywhere, since it has another user.
 */
bool gptl_rundir_find(const char *directory, char path[PATH_MAX]);

/*
 * The directory on a disk for files that do not fit into DIRECTORY: DIRECTORY itself if it lies on a disk, else
 * the one of the same name that `gptl run` made. False: it made none.
 */
bool gptl_rundir_overflow(const char *directory, char path[PATH_MAX]);

/* Takes SIZE bytes of the memory that files in DIRECTORY may use. False: there is not so much left. */
bool gptl_rundir_take(const char *directory, uint64_t size);

/* Where the file PATH lies until it is moved; makes the directories above it. False: its name is too long. */
bool gptl_rundir_stage(const char *directory, const char *path, char staged[PATH_MAX]);

/* The same for a file that grows without bound: on a disk if possible. False also after the end of the run. */
bool gptl_rundir_stage_large(const char *directory, const char *path, char staged[PATH_MAX]);

/* The path that is staged as STAGED in DIRECTORY; NULL if it is no staged one. "here" is left out. */
const char *gptl_rundir_target(const char *directory, const char *staged);

/* Whether `gptl run` has ended, and what its directory has for others to move. */
bool gptl_rundir_has_ended(const char *directory);

/* PATH as it is from anywhere: a relative one begins where `gptl run` was started. */
bool gptl_rundir_absolute(const char *directory, const char *path, char to[PATH_MAX]);

#endif
